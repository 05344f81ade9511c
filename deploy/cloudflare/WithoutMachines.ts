/**
 * What only a server on a machine does: count what somebody reads, send traces, look at the statements of what it serves,
 * end what older processes beside it needed, ask a build service, and make releases fail on purpose. Where nobody does, the
 * code for it is never run.
 */
import type { Plugin } from "esbuild"

interface Instead {
  readonly path: RegExp
  readonly contents: string
}

/** No script sends traces, and of those that are not sent the library's server says nothing. */
const traces: Instead = {
  path: /effect\/dist\/http\/HttpMiddleware\.js$/,
  contents: `export const isTracerDisabledUnsafe = () => true
export const tracer = (app) => app
export const withLoggerDisabled = (app) => app`
}

/** A span stays one of the library's own, which tells nobody. There is no log of requests but Cloudflare's. */
const spans: ReadonlyArray<Instead> = [
  {
    path: /packages\/core\/src\/telemetry\/SpanTracer\.ts$/,
    contents: `export const spanIn = () => null
export const senderOf = () => ({})`
  },
  {
    path: /packages\/server\/src\/http\/request\/RequestObserver\.ts$/,
    contents: "export const observing = (answer) => answer"
  }
]

/** Meters are numbers of one process, which an endpoint of a machine tells. */
const meters: Instead = {
  path: /packages\/core\/src\/telemetry\/Meters\.ts$/,
  contents: `import * as Context from "effect/Context"
const meter = { add: () => {}, observe: () => {}, from: () => {} }
const every = new Proxy({}, { get: () => meter })
export const Meters = Context.Reference("@pawl/core/telemetry/Meters", { defaultValue: () => every })`
}

/** `provenance` is off on Cloudflare. */
const statements: Instead = {
  path: /packages\/router\/src\/ReleaseChecks\.ts$/,
  contents: `import * as Effect from "effect/Effect"
export const make = Effect.succeed({ mayServe: () => Effect.succeed(true), verdict: () => Effect.succeed("off") })`
}

/** An object is alone on its rows: no process is noted in them, and so none is waited for. */
const processes: Instead = {
  path: /packages\/sql\/src\/OlderVersions\.ts$/,
  contents: `import * as Effect from "effect/Effect"
export const contract = () => Effect.die(new Error("no process is beside an object"))`
}

/** No installation on Cloudflare makes releases fail on purpose (`fixturesEnabled`). */
const fixtures: Instead = {
  path: /packages\/core\/src\/release\/Injection\.ts$/,
  contents: `import * as Schema from "effect/Schema"
class FixturesDisabled extends Schema.TaggedError()("FixturesDisabled", {}) {
  get message() {
    return "This installation injects no failures."
  }
}
export const injectFailure = () => new FixturesDisabled()`
}

/**
 * There is neither a build service nor a remote there. A release to a target ends as it would after the first look, with the
 * same words.
 */
const buildService: Instead = {
  path: /packages\/core\/src\/release\/BuildServicePath\.ts$/,
  contents: `import { decideAndCommit } from "../ledger/Decision.ts"
import { BuildServiceMissing } from "./BuildService.ts"
import { RemoteRefused } from "./CanonicalRemote.ts"
import { ending } from "./ReleaseEnd.ts"
export const runAtTarget = (release, { remote }) => {
  const missing = remote === undefined ? new BuildServiceMissing({}) : new RemoteRefused({ reason: "this installation pushes to no remotes" })
  return decideAndCommit(ending(release.id, { _tag: "Failed", reason: missing.message }))
}`
}

/** For every script. */
export const withoutMachines: Plugin = {
  name: "without-machines",
  setup: (each) => {
    for (const { contents, path: filter } of [traces, ...spans, meters, statements, processes, fixtures, buildService])
      each.onLoad({ filter }, () => ({ loader: "js", contents }))
  }
}
