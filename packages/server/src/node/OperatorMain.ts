/** What of the `pawl` command is for operators and auditors: it runs when this module is loaded. */
import { constants } from "node:os"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { describeCause, wordsOf } from "@pawl/core/primitives/Words"
import { Cause, Console, Effect, Layer, Option, Record, Redacted } from "effect"
import { approveCommand } from "./commands/ApproveCommand.ts"
import { auditCommand } from "./commands/AuditCommand.ts"
import { backupCommand, restoreCommand } from "./commands/BackupCommand.ts"
import { importCommand } from "./commands/ImportCommand.ts"
import { failureDocument } from "./commands/JsonDocument.ts"
import { keyCommand } from "./commands/KeyCommand.ts"
import { mcpCommand } from "./commands/McpCommand.ts"
import { migrateCommand } from "./commands/MigrateCommand.ts"
import { jsonOption } from "./commands/Remote.ts"
import { tokensCommand } from "./commands/TokensCommand.ts"
import { usersCommand } from "./commands/UsersCommand.ts"
import { verifyCommand } from "./commands/VerifyCommand.ts"
import { whyCommand } from "./commands/WhyCommand.ts"
import * as LogFormat from "./telemetry/LogFormat.ts"
import * as Options from "./Options.ts"
import { teardown } from "./listen/Teardown.ts"
import { delayStopBy, stopMs } from "./StopTime.ts"
import { version } from "./Version.ts"

/** An option of the command line. What is not given is looked for in the environment, then in the config file. */
const option = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.optional, Flag.withDescription(description))

const serveOptions = {
  port: option("port", "the port to listen on; 0 picks a free one (PAWL_PORT, 8787)"),
  host: option("host", "the address to listen on (PAWL_HOST, 127.0.0.1)"),
  data: option("data", "the folder that holds everything (PAWL_DATA, .pawl)"),
  roles: option("roles", "what this process does: some of api,router,worker (PAWL_ROLES)"),
  npmRegistry: option(
    "npm-registry",
    "the npm registry that packages come from (PAWL_NPM_REGISTRY, https://registry.npmjs.org/)"
  ),
  config: option("config", "a JSON file of options (pawl.config.json)")
}

const serve = Command.make("serve", serveOptions, ({ config, ...rest }) =>
  Effect.gen(function* () {
    const given = Record.getSomes(rest)
    const options = yield* Options.read(given, Option.getOrUndefined(config))
    delayStopBy(options.drainDelay)
    // The other commands need little of it, and start the sooner without.
    const { start } = yield* Effect.promise(() => import("./Server.ts"))
    const running = yield* start(options)
    if (running.tokenIsFresh && running.ownerToken !== null)
      yield* Console.log(`owner token ${Redacted.value(running.ownerToken)} (kept in ${options.data}/owner-token)`)
    if (running.freshKeyid !== null)
      yield* Console.log(`signing key ${running.freshKeyid} (kept in ${options.data}/signing-key)`)
    if (running.signInLink !== null)
      yield* Console.log(`sign in ${Redacted.value(running.signInLink)} (once, within 10 minutes)`)
    yield* Console.log(`ready http://127.0.0.1:${running.port}`)
    yield* Effect.logInfo("ready").pipe(
      Effect.annotateLogs({ port: running.port, data: options.data, environment: options.environment })
    )
    return yield* running.ended
  }).pipe(Effect.scoped)
).pipe(Command.withDescription("Serves the API and the live apps from one data folder"))

// What serving does not need is read when it is asked for: a server starts the sooner.
const demo = Command.make(
  "demo",
  {
    exit: Flag.Boolean("exit").pipe(
      Flag.withDefault(false),
      Flag.withDescription("stop when done, non-zero when a step did not do what it says")
    ),
    model: Flag.Boolean("model").pipe(
      Flag.withDefault(false),
      Flag.withDescription("let the model that PAWL_MODEL_URL names work a goal; without it one follows a script")
    )
  },
  (options) =>
    Effect.flatMap(
      Effect.promise(() => import("./demo/RunDemo.ts")),
      ({ runDemo }) => runDemo(options)
    )
).pipe(Command.withDescription("Runs the main job on real input, in a folder of its own"))

const doctorOptions = { data: serveOptions.data, config: serveOptions.config, ...jsonOption }

const doctor = Command.make("doctor", doctorOptions, ({ config, json, ...rest }) =>
  Effect.flatMap(
    Effect.promise(() => import("./Doctor.ts")),
    ({ print }) => print(Record.getSomes(rest), json, Option.getOrUndefined(config))
  )
).pipe(Command.withDescription("Says what this machine offers, what is missing, and how to mend it"))

const pawl = Command.make("pawl").pipe(
  Command.withSubcommands([
    serve,
    demo,
    doctor,
    migrateCommand,
    backupCommand,
    restoreCommand,
    importCommand,
    auditCommand,
    whyCommand,
    approveCommand,
    usersCommand,
    tokensCommand,
    keyCommand,
    verifyCommand,
    mcpCommand
  ])
)

/** With `--json` a failure is a document on standard output, whether or not the rest of the line can be read. */
const asDocument = (code: string, detail: string) =>
  process.argv.includes("--json") ? Console.log(failureDocument(code, detail)) : Effect.void

/** Standard output is for answers: what is wrong with a command line is said on standard error alone. */
const presenter = CliOutput.layerPresenter({
  present: (event) => {
    switch (event._tag) {
      case "InvalidInvocation":
        return Effect.flatMap(CliOutput.Formatter, (formatter) => {
          const words = formatter.formatErrors(event.errors)
          return Effect.andThen(asDocument("usage", event.errors.map(wordsOf).join(" ")), Console.error(words))
        })
      case "Version":
        return Console.log(event.version)
      case "Help":
        return CliOutput.defaultPresenter.present(event)
    }
  }
})

/** Help with colours is for a terminal that wants them. */
const formatter = CliOutput.layer(
  CliOutput.defaultFormatter({ colors: process.stdout.isTTY === true && !process.env["NO_COLOR"] })
)

/**
 * Whatever hangs while stopping: nothing acknowledged is lost by leaving, and a supervisor must not have to wait. Whoever
 * asks a second time is not made to wait at all.
 */
for (const signal of ["SIGTERM", "SIGINT"] as const)
  process.once(signal, () => {
    setTimeout(() => process.exit(0), stopMs()).unref()
    process.once(signal, () => process.exit(128 + constants.signals[signal]))
  })

const fail = (text: string, code: 1 | 2) =>
  Effect.all([
    asDocument("failed", text),
    Console.error(`pawl: ${text}`),
    Effect.sync(() => void (process.exitCode = code))
  ])

Command.run(pawl, { version }).pipe(
  Effect.provide(Layer.mergeAll(NodeServices.layer, presenter, formatter)),
  Effect.catchCause((cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
    const failure = Cause.findErrorOption(cause)
    // A defect is told whole: it is a fault of Pawl or of the machine, and silence would hide which.
    if (Option.isNone(failure)) return fail(`this should not have happened: ${describeCause(cause)}`, 1)
    const error = failure.value
    // What the command line itself refused has been printed. It is not the 1 of `audit`: nothing was found.
    if (CliError.isCliError(error))
      return Effect.sync(() => void (process.exitCode = error._tag === "ShowHelp" && error.errors.length === 0 ? 0 : 2))
    return fail(
      error instanceof Error ? wordsOf(error) : String(error),
      error instanceof Options.InvalidOptions ? 2 : 1
    )
  }),
  Effect.provide(LogFormat.layer),
  NodeRuntime.runMain({ disableErrorReporting: true, teardown })
)
