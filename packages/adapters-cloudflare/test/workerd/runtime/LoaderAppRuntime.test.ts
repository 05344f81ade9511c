/** The contract of runtimes on Worker Loader, in workerd, over bundles in R2; and what an app cannot reach. */
import { appRuntimeContract, ask, bodyText } from "@pawl/testing/contracts/apps/AppRuntimeContract"
import { AppRuntime, type AppVersion } from "@pawl/core/app/AppRuntime"
import { type Bundle, bundlePrefix } from "@pawl/core/bundle/Bundle"
import * as BundleStore from "@pawl/core/bundle/BundleStore"
import { sha256, utf8 } from "@pawl/core/primitives/Digest"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import * as R2ObjectStore from "../../../src/objects/R2ObjectStore.ts"
import * as LoaderAppRuntime from "../../../src/runtime/LoaderAppRuntime.ts"
import { failureOf } from "../../../src/runtime/OverLimits.ts"
import { bound } from "../kit/Bound.ts"

const objects = R2ObjectStore.layer(bound.BUCKET)
const project = "proj_00000000-0000-4000-8000-000000000001"
let worlds = 0

const runtime = Layer.provide(
  LoaderAppRuntime.layer({
    loader: bound.LOADER,
    bindings: ({ id }) => ({ NAME: id }),
    compatibilityFlags: new Set(["nodejs_compat"])
  }),
  objects
)

/** Stores an app; the commit is made of its name and of its world. */
const install = (source: string, id: string, world: number, fields: Partial<Bundle> = {}): Promise<AppVersion> =>
  Effect.gen(function* () {
    const commit = (yield* sha256(utf8(`${world} ${id} ${source}`))).slice(0, 40)
    const { digest, key } = yield* BundleStore.store(bundlePrefix("apps", project, commit), {
      bundle: {
        version: 1,
        project,
        commit,
        tree: commit,
        builtAt: "2030-01-01T00:00:00.000Z",
        builder: { name: "test", version: "1" },
        mainModule: "index.js",
        modules: { "index.js": { type: "esm", sha256: yield* sha256(utf8(source)), content: source } },
        compatibilityDate: "2026-01-01",
        compatibilityFlags: [],
        assets: { notFoundHandling: "none", htmlHandling: "auto-trailing-slash", runWorkerFirst: false, manifest: {} },
        ...fields
      },
      assets: new Map(),
      objects: new Map()
    })
    return { id, project, channel: "production", bundleKey: key, bundleDigest: digest, incarnation: world }
  }).pipe(Effect.provide(objects), Effect.runPromise)

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
    Effect.promise(() => install(source, "p@app", worlds++, fields)),
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

  it("of files alone answers 404 here: its files are served before it is asked", async () => {
    const version = await install("", "p@files", worlds++, { mainModule: null, modules: {} })
    expect((await Effect.runPromise(asked(version))).status).toBe(404)
  })

  it("that is stopped for a bound is told by the bound, in Cloudflare's own words", () => {
    const of = (words: string) => failureOf("p@app", new Error(words))
    expect(of("Worker exceeded CPU time limit.")).toMatchObject({ _tag: "AppOverLimit", limit: "cpu" })
    expect(of("Worker exceeded memory limit.")).toMatchObject({ _tag: "AppOverLimit", limit: "memory" })
    expect(of("Too many subrequests.")).toMatchObject({ _tag: "AppOverLimit", limit: "subrequests" })
    expect(of("no such table")).toMatchObject({ _tag: "AppThrew", reason: "no such table" })
  })
})
