/** `docs/reference/cli.md`: the verbs for everybody, from their table. */
import { everyVerbs, usageOf } from "@pawl/server/node/commands/user/CommandLine"
import { exitCodeWords, optionUsage } from "@pawl/server/node/commands/user/HelpText"
import { operatorNames } from "@pawl/server/node/commands/user/OperatorNames"
import { userVerbs } from "@pawl/server/node/commands/user/UserVerbs"
import type { VerbOption } from "@pawl/server/node/commands/user/Verb"
import { code, page, type Page, table } from "./Markdown.ts"

const optionTable = (options: ReadonlyArray<VerbOption>): string =>
  table(
    ["option", "what it does"],
    options.map((option) => [code(optionUsage(option)), option.what])
  )

export const commandsPage = (): Page =>
  page("docs/reference/cli.md", "The command line", [
    "`pawl <verb> --help` says the same. In a checkout it is `packages/server/dist/node/main.js`, once `npm start` has built it.",
    "## What all verbs do alike",
    [
      "- What was asked for goes to standard output, all else to standard error. At a terminal there are tables, fitted to it; in a pipe columns between tabs, without a head.",
      "- `--json` answers one document, of a failure too: `code`, `detail`, the facts of the [problem](errors.md). `next` is `[{ command, when }]`: what to do from there. With `--follow` each row is a document on a line of its own.",
      "- Which server: `--url`, `PAWL_URL`, `git config pawl.url` of a clone, where you signed in last, else this machine at `PAWL_PORT` (8787).",
      "- As whom: `PAWL_TOKEN`, else who signed in there, else on the server's own machine the owner's token in the data folder (`PAWL_DATA`, `.pawl`). A sign-in is kept in `$XDG_CONFIG_HOME/pawl/hosts.json` (`~/.config`), readable by its owner alone. No token is an argument: others can read those.",
      "- Which Project: `--project`, `PAWL_PROJECT`, `git config pawl.project`, which `pawl clone` sets; else you are asked.",
      "- Nobody is asked where there is no terminal. There `--yes` agrees; `--tree` agrees to one tree and to no other.",
      "- Colours are for a terminal; `NO_COLOR` turns them off. What strangers wrote is shown without control characters.",
      "- `^C` ends a verb. What it began on the server goes on there."
    ].join("\n"),
    "### Exit codes",
    table(
      ["code", "what it says"],
      exitCodeWords.map(([number, words]) => [number, words])
    ),
    "### Options of every verb",
    optionTable(everyVerbs),
    "## Verbs",
    ...userVerbs.flatMap((verb) => [
      `### pawl ${verb.name}`,
      `${verb.what}.`,
      code(usageOf(verb)),
      ...(verb.options.length === 0 ? [] : [optionTable(verb.options)])
    ]),
    "## For operators and auditors",
    "Their output and exit codes are their own; `--help` tells. With `--json` each that ends by itself prints one document, of a failure too: what it found, and `next`; of some that change something what they say, as `said`. `pawl verify --json` prints its [list](verify.md). `pawl why` with `--token` or `--data`, and `pawl approve` with `--sign`, `--enroll` or within a clone with a Candidate's id, are [of this kind](../concepts/approval.md#on-ones-own-machine).",
    table(
      ["command", "what it does"],
      operatorNames.map(({ name, what }) => [code(`pawl ${name}`), what])
    )
  ])
