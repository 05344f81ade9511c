/** The contract of runtimes on Worker Loader, in workerd, over bundles in R2; and what an app cannot reach. */
import { appRuntimeContract, ask, bodyText } from "@pawl/testing/contracts/apps/AppRuntimeContract"
import { AppRuntime, type AppVersion } from "@pawl/core/app/AppRuntime"
import type { Bundle } from "@pawl/core/bundle/Bundle"
import { utf8 } from "@pawl/core/primitives/Digest"
import { Effect, Layer, Result } from "effect"
import { describe, expect, it } from "vitest"
import type { Bucket } from "../../../src/objects/Bucket.ts"
import type { WorkerLoader } from "../../../src/runtime/WorkerLoader.ts"
import * as R2ObjectStore from "../../../src/objects/R2ObjectStore.ts"
import * as LoaderAppRuntime from "../../../src/runtime/LoaderAppRuntime.ts"
import { failureOf } from "../../../src/runtime/OverLimits.ts"
import { bound } from "../kit/Bound.ts"
import { install } from "../kit/InstalledApp.ts"

const objects = R2ObjectStore.layer(bound.BUCKET)
let worlds = 0

const options: LoaderAppRuntime.Options = {
  loader: bound.LOADER,
  bindings: ({ id }) => ({ NAME: id }),
  compatibilityFlags: new Set(["nodejs_compat"])
}
const runtime = Layer.provide(LoaderAppRuntime.layer(options), objects)

appRuntimeContract("Worker Loader", async () => {
  const world = worlds++
  return { layer: runtime, install: (app, id) => install(app.source, id, world) }
})

const asked = (version: AppVersion) =>
  Effect.flatMap(AppRuntime, (apps) => apps.fetch(version, ask("http://shop.apps.localhost/"))).pipe(
    Effect.provide(runtime)
  )
const answer = (source: string, fields: Partial<Bundle> = {}) =>
  Effect.flatMap(
    Effect.promise(() => install(source, "p@app", worlds++, { fields })),
    (version) => Effect.flatMap(asked(version), ({ body }) => Effect.promise(() => bodyText(body)))
  )
const saying = (expression: string): string =>
  `export default { async fetch(request, env) { return new Response(String(await (${expression}))) } }`

describe("An app in a loaded Worker", () => {
  it("has the bindings of its version, and nothing else of ours", async () => {
    expect(await Effect.runPromise(answer(saying("JSON.stringify(env)")))).toBe('{"NAME":"p@app"}')
  })

  it("reaches no network", async () => {
    const caught = "fetch('http://127.0.0.1/').then(() => 'reached', (error) => error.message)"
    expect(await Effect.runPromise(answer(saying(caught)))).toMatch(/not permitted to access the internet/)
  })

  it("is not served with a flag that no app may have, nor when its bundle has other bytes", async () => {
    const flagged = await Effect.runPromise(Effect.flip(answer(saying("1"), { compatibilityFlags: ["unsafe_module"] })))
    expect(flagged).toMatchObject({
      _tag: "BundleUnusable",
      reason: "no app may have the compatibility flag unsafe_module"
    })
    const version = await install(saying("1"), "p@damaged", worlds++)
    await bound.BUCKET.put(version.bundleKey, utf8("{}"))
    expect(await Effect.runPromise(Effect.flip(asked(version)))).toMatchObject({ _tag: "BundleUnusable" })
  })

  it("of files alone answers 404 here, each time in words: its files are served before it is asked", async () => {
    const version = await install("", "p@files", worlds++, { fields: { mainModule: null, modules: {} } })
    const twice = await Effect.runPromise(
      Effect.gen(function* () {
        const apps = yield* AppRuntime
        const home = ask("http://shop.apps.localhost/")
        const texts: Array<string> = []
        for (let time = 0; time < 2; time++) {
          const { body, status } = yield* apps.fetch(version, home)
          texts.push(`${status} ${yield* Effect.promise(() => bodyText(body))}`)
        }
        return texts
      }).pipe(Effect.provide(runtime))
    )
    expect(twice).toEqual(["404 Not found\n", "404 Not found\n"])
  })

  it("is read once: requests after the first ask the bucket for nothing, and a stop reads it again", async () => {
    const reads: Array<string> = []
    const bucket: Bucket = {
      head: (key) => bound.BUCKET.head(key),
      get: (key, options) => {
        reads.push(key)
        return bound.BUCKET.get(key, options)
      },
      put: (key, body, options) => bound.BUCKET.put(key, body, options),
      delete: (keys) => bound.BUCKET.delete(keys),
      list: (options) => bound.BUCKET.list(options)
    }
    const counted = Layer.provide(LoaderAppRuntime.layer(options), R2ObjectStore.layer(bucket))
    const version = await install(saying("1"), "p@once", worlds++)
    const counts = await Effect.runPromise(
      Effect.gen(function* () {
        const apps = yield* AppRuntime
        const found: Array<number> = []
        const visit = Effect.gen(function* () {
          const { body } = yield* apps.fetch(version, ask("http://shop.apps.localhost/"))
          yield* Effect.promise(() => bodyText(body))
          found.push(reads.length)
        })
        yield* visit
        yield* visit
        yield* apps.stop(version.id)
        yield* visit
        return found
      }).pipe(Effect.provide(counted))
    )
    expect(counts).toEqual([1, 1, 2])
  })

  it("whose code the loader wants again and nobody can read is no app that threw, and is served once it can be read", async () => {
    const lost: WorkerLoader = {
      get: (_id, code) => ({
        getEntrypoint: () => ({
          fetch: async () => {
            await code()
            return new Response("served")
          }
        })
      })
    }
    const forgetful = Layer.provide(LoaderAppRuntime.layer({ ...options, loader: lost }), objects)
    const version = await install(saying("1"), "p@lost", worlds++)
    const whole = await (await bound.BUCKET.get(version.bundleKey))!.arrayBuffer()
    const seen = await Effect.runPromise(
      Effect.gen(function* () {
        const apps = yield* AppRuntime
        const visit = Effect.result(apps.fetch(version, ask("http://shop.apps.localhost/")))
        const first = yield* visit
        yield* Effect.promise(() => bound.BUCKET.delete(version.bundleKey))
        const second = yield* visit
        yield* Effect.promise(() => bound.BUCKET.put(version.bundleKey, new Uint8Array(whole)))
        const third = yield* visit
        return [first, second, third].map((each) => (Result.isSuccess(each) ? each.success.status : each.failure._tag))
      }).pipe(Effect.provide(forgetful))
    )
    expect(seen).toEqual([200, "BundleUnusable", 200])
  })

  it("that is stopped for a bound is told by the bound, in Cloudflare's own words", () => {
    const of = (words: string) => failureOf("p@app", new Error(words))
    expect(of("Worker exceeded CPU time limit.")).toMatchObject({ _tag: "AppOverLimit", limit: "cpu" })
    expect(of("Worker exceeded memory limit.")).toMatchObject({ _tag: "AppOverLimit", limit: "memory" })
    expect(of("Too many subrequests.")).toMatchObject({ _tag: "AppOverLimit", limit: "subrequests" })
    expect(of("no such table")).toMatchObject({ _tag: "AppThrew", reason: "no such table" })
  })
})
