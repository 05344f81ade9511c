import { AppRuntime } from "@pawl/core/app/AppRuntime"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { ask, bodyText } from "@pawl/testing/contracts/apps/AppRuntimeContract"
import { Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { hex, install, openWorld } from "./RuntimeWorld.ts"

const world = openWorld()
afterAll(() => world.dispose())

const main = `import lib from "./lib.js"; export default { async fetch() { return new Response(lib) } }`
const lib = `export default "from the object"`
const source = (bytes: string) => ({
  main,
  modules: { "src/lib.js": { type: "esm" as const, sha256: hex(lib), object: "modules/lib.js" } },
  objects: { "modules/lib.js": Buffer.from(bytes) }
})

const fetchOf = (version: Parameters<AppRuntime["Service"]["fetch"]>[0]) =>
  Effect.gen(function* () {
    const response = yield* Effect.flatMap(AppRuntime, (runtime) =>
      runtime.fetch(version, ask("http://a.apps.localhost/"))
    )
    return yield* Effect.promise(() => bodyText(response.body))
  })

describe("only the bundle that was verified is served", () => {
  it("refuses a bundle of another digest, and keeps serving the right one", () =>
    world.runPromise(
      Effect.gen(function* () {
        const version = yield* install(source(lib), "p@right")
        expect(yield* fetchOf(version)).toBe("from the object")
        const wrong = { ...version, bundleDigest: "a".repeat(64) }
        expect(yield* Effect.flip(fetchOf(wrong))).toMatchObject({ _tag: "BundleUnusable" })
        expect(yield* fetchOf(version)).toBe("from the object")
      })
    ))

  it("refuses a module that is damaged or missing", () =>
    world.runPromise(
      Effect.gen(function* () {
        const damaged = yield* install(source(`export default "other code"`), "p@damaged")
        expect(yield* Effect.flip(fetchOf(damaged))).toMatchObject({
          _tag: "BundleUnusable",
          reason: expect.stringContaining("src/lib.js")
        })
        const missing = yield* install({ ...source(lib), objects: {} }, "p@missing")
        expect(yield* Effect.flip(fetchOf(missing))).toMatchObject({ _tag: "BundleUnusable" })
      })
    ))

  it.each(["experimental", "unsafe_module", "service_binding_extra_handlers"])(
    "refuses a bundle with the compatibility flag %s, which no app may have",
    (flag) =>
      world.runPromise(
        Effect.gen(function* () {
          const version = yield* install({ ...source(lib), flags: [flag] }, `p@${flag}`)
          expect(yield* Effect.flip(fetchOf(version))).toMatchObject({
            _tag: "BundleUnusable",
            reason: expect.stringContaining(flag)
          })
        })
      )
  )

  it("refuses a bundle that is cut short", () =>
    world.runPromise(
      Effect.gen(function* () {
        const version = yield* install(source(lib), "p@cut")
        const store = yield* ObjectStore
        const bytes = yield* store.get(version.bundleKey)
        yield* store.put(version.bundleKey, bytes.subarray(0, bytes.length - 10))
        expect(yield* Effect.flip(fetchOf(version))).toMatchObject({ _tag: "BundleUnusable" })
      })
    ))
})
