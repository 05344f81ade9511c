/** `pawl demo`: a server of its own in a folder of its own, and the main job on it. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Limits } from "@pawl/core/primitives/Limits"
import { Console, Effect, Redacted, Schema } from "effect"
import * as Doctor from "../Doctor.ts"
import * as LogFormat from "../telemetry/LogFormat.ts"
import * as Options from "../Options.ts"
import * as Server from "../Server.ts"
import { run } from "./Demo.ts"
import * as DemoApi from "./DemoApi.ts"
import * as ScriptedModel from "./ScriptedModel.ts"
import * as Timeline from "./Timeline.ts"

/** A step did not do what it says. */
export class DemoFailed extends Schema.TaggedError<DemoFailed>()("DemoFailed", { reason: Schema.String }) {
  override get message() {
    return `the demo failed: ${this.reason}`
  }
}

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "pawl-demo-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const tell = (urls: ReadonlyArray<string>, exit: boolean) =>
  Console.log(
    [
      "",
      "Live now:",
      ...urls.map((url) => `  ${url}`),
      "",
      exit
        ? "Every step did what it says."
        : "Every step did what it says. Ctrl-C stops the server and removes its folder."
    ].join("\n")
  )

/** How the demo is run. */
export interface DemoOptions {
  /** It ends when it has shown all; else it serves until it is interrupted. */
  readonly exit: boolean
  /** It asks the model that the options name, in the place of one that follows a script. */
  readonly model: boolean
}

/** US dollars per million tokens of the scripted model, so that there is money to count. */
const scriptedPrices = { input: 0.1, cached: 0.01, output: 2 }

const scriptedModel = Effect.acquireRelease(
  Effect.promise(() => ScriptedModel.open()),
  (model) => Effect.sync(model.close)
)

/** A model that follows a script, as the options of a server name one. */
const asModels = ({ url }: ScriptedModel.ScriptedModel): Options.Options["models"] => {
  const scripted = { name: "scripted", contextTokens: 128_000, prices: scriptedPrices }
  return {
    endpoint: { dialect: "openai-chat", url, key: null },
    tiers: { fast: scripted, balanced: scripted, strong: scripted }
  }
}

/** Ends when the demo has, if `exit`; else it serves until it is interrupted. Fails with `DemoFailed`. */
export const runDemo = Effect.fnUntraced(
  function* ({ exit, model: configured }: DemoOptions) {
    const data = yield* folder
    const options = yield* Options.read({
      port: "0",
      data,
      environment: "production",
      fixturesEnabled: "true",
      smokeRetryMs: "1000",
      appsDomain: "apps.localhost",
      roles: "api,router,worker"
    })
    const timeline = Timeline.make(process.stdout)
    yield* Effect.forEach(yield* Doctor.warnings, (warning) => Effect.sync(() => timeline.say(`! ${warning}`)))
    // The demo leaves nothing behind: its folder goes, and nobody's database is touched.
    const model = configured ? null : yield* scriptedModel
    if (configured && options.models === null)
      return yield* new DemoFailed({ reason: "--model asks a model that is set up: PAWL_MODEL_URL names none" })
    const own = model === null ? {} : { models: asModels(model), agentDailyCallCap: Limits.modelCallsPerDay }
    const running = yield* Server.start({ ...options, ...own, databaseUrl: null })
    timeline.say(`Pawl is ready at http://127.0.0.1:${running.port}, in ${data}`)
    const api = DemoApi.make(
      { host: "127.0.0.1", port: running.port },
      running.ownerToken === null ? "" : Redacted.value(running.ownerToken)
    )
    const urls = yield* Effect.tryPromise({
      try: () => run({ api, timeline, model }),
      catch: (error) => new DemoFailed({ reason: error instanceof Error ? error.message : String(error) })
    })
    yield* tell(urls, exit)
    if (!exit) yield* Effect.never
  },
  Effect.scoped,
  Effect.provide(LogFormat.layerQuiet)
)
