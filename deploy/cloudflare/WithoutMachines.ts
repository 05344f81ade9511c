/**
 * What only a server on a machine does: count what somebody reads, send traces, look at the statements of what it serves, and
 * end what older processes beside it needed. Where nobody does, the code for it is never run.
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

/** For every script. */
export const withoutMachines: Plugin = {
  name: "without-machines",
  setup: (each) => {
    for (const { contents, path: filter } of [traces, meters, statements, processes])
      each.onLoad({ filter }, () => ({ loader: "js", contents }))
  }
}
