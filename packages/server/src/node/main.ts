#!/usr/bin/env node
/** The `pawl` command. Which one is asked for is told first: what it needs is loaded then, and nothing else. */
import { unknownVerb, verbOf } from "./commands/user/CommandLine.ts"
import { wholeHelp } from "./commands/user/HelpText.ts"
import { isForOperators } from "./commands/user/EarlierForms.ts"
import { operatorNames } from "./commands/user/OperatorNames.ts"
import { runVerb, showFailure, wantsJson } from "./commands/user/UserMain.ts"
import { userVerbs } from "./commands/user/UserVerbs.ts"
import { version } from "./Version.ts"

const args = process.argv.slice(2)
const [first] = args
const verb = verbOf(args, userVerbs)

if (first === undefined || first === "--help" || first === "-h" || first === "help")
  process.stdout.write(`${wholeHelp(userVerbs, operatorNames)}\n`)
else if (first === "--version" || first === "-v") process.stdout.write(`${version}\n`)
else if (isForOperators(args)) await import("./OperatorMain.ts")
else if (verb !== undefined) await runVerb(verb, args.slice(verb.name.split(" ").length))
else
  showFailure(
    unknownVerb(
      args,
      [...userVerbs, ...operatorNames].map(({ name }) => name)
    ),
    wantsJson(args)
  )
