import { Effect, ManagedRuntime, Stream } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { type AppLogLine, AppLogs } from "@pawl/core/app/AppLogs"
import { AppRuntime, type AppVersion } from "@pawl/core/app/AppRuntime"
import { bundlePrefix } from "@pawl/core/bundle/Bundle"
import * as BundleStore from "@pawl/core/bundle/BundleStore"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { layerHere } from "../../builder/Here.ts"
import { buildJob, buildOnce, type Tree } from "@pawl/testing/contracts/apps/AppBuilderContract"
import { ask } from "@pawl/testing/contracts/apps/AppRuntimeContract"
import { rounds, slice } from "@pawl/testing/Depth"
import { framesOf, placed } from "../../../src/runtime/stacks/StackFrames.ts"
import { makeLayers } from "../../builder/Layers.ts"
import { hex, install, openWorld, project } from "../RuntimeWorld.ts"

const world = openWorld()
const layers = makeLayers()
const builder = ManagedRuntime.make(layerHere({ packageLayers: layers.folder }))
afterAll(async () => {
  await world.dispose()
  await builder.dispose()
  layers.remove()
})

const get = (version: AppVersion, path = "/") =>
  world.runPromise(
    Effect.flatMap(AppRuntime, (runtime) => runtime.fetch(version, ask(`http://app.apps.localhost${path}`))).pipe(
      Effect.map(({ status }) => status),
      Effect.catchTag("AppThrew", () => Effect.succeed(502))
    )
  )
const lineWith = (version: AppVersion, text: string): Promise<string> =>
  world.runPromise(
    Effect.flatMap(AppLogs, (logs) =>
      logs.follow(version.project, { after: 0 }).pipe(
        Stream.filter((line: AppLogLine) => line.version === version.id && line.text.includes(text)),
        Stream.runHead,
        Effect.map((line) => (line._tag === "Some" ? line.value.text : ""))
      )
    )
  )

/** Builds and stores an app, as a release would. */
const deployed = async (name: string, files: Tree, changes: Parameters<typeof buildJob>[1] = {}) => {
  const commit = hex(name).slice(0, 40)
  const result = await builder.runPromise(buildOnce(buildJob(files, { id: name, commit, project, ...changes })))
  if (result._tag !== "Built") throw new Error(JSON.stringify(result))
  const prefix = bundlePrefix("apps", project, commit)
  const stored = await world.runPromise(BundleStore.store(prefix, result))
  const version: AppVersion = {
    id: name,
    project,
    channel: "production",
    bundleKey: stored.key,
    bundleDigest: stored.digest
  }
  return { result, version, prefix }
}

const lines = (count: number) => "\n".repeat(count)

describe("stacks in the logs of an app", () => {
  it("name the TypeScript file and its line, for what is thrown, printed, and thrown in a package", async () => {
    const packages = layers.make({
      files: {
        "kit/package.json": JSON.stringify({ name: "kit", main: "./lib/kit.js" }),
        "kit/lib/kit.js": `${lines(6)}export const fail = () => { throw new Error("kit failed") }`
      }
    })
    const { version } = await deployed(
      "stacks",
      {
        "src/index.ts": `import { fail } from "kit"\nimport { broken } from "./x.ts"\nexport default { fetch(request: Request): Response {\n  if (request.url.endsWith("/kit")) fail()\n  console.error(new Error("printed"))\n  return broken({ total: 1 })\n} }\n`,
        "src/x.ts": `interface Cart {\n  readonly total: number\n}\n${lines(7)}export const broken = (cart: Cart): Response => {\n  throw new TypeError(\`no \${cart.total}\`)\n}\n`
      },
      { packages }
    )
    expect(await get(version)).toBe(502)
    const thrown = await lineWith(version, "no 1")
    expect(thrown).toMatch(
      /^GET \/: TypeError: no 1\n {4}at broken \(src\/x\.ts:12:9\)\n {4}at Object\.fetch \(src\/index\.ts:6:10\)$/
    )
    expect(await lineWith(version, "printed")).toContain("at Object.fetch (src/index.ts:5:17)")
    expect(await get(version, "/kit")).toBe(502)
    expect(await lineWith(version, "kit failed")).toContain("at fail (node_modules/kit/lib/kit.js:7:35)")
  })

  it("name the source through the map that a build command left, of modules that stay and of those that are bundled", async () => {
    const code = `export const fail = () => { throw new Error("generated") }\n`
    const map = JSON.stringify({
      version: 3,
      sources: ["../../src/page.tsx", "/etc/passwd"],
      sourcesContent: ["secret text", null],
      names: [],
      // Line 1 of the code is line 5 of the page.
      mappings: "AAIA"
    })
    const files = (noBundle: boolean) => ({
      files: {
        "src/page.tsx": "export {}",
        "wrangler.json": JSON.stringify({ main: "dist/server/index.js", no_bundle: noBundle })
      },
      generated: new Map(
        Object.entries({
          "dist/server/index.js": `import { fail } from "./assets/page.js"\nexport default { fetch: () => fail() }\n`,
          "dist/server/assets/page.js": `${code}//# sourceMappingURL=page.js.map\n`,
          "dist/server/assets/page.js.map": map.replace('"../../src/page.tsx"', '"../../../src/page.tsx"')
        }).map(([path, text]) => [path, { content: new TextEncoder().encode(text), executable: false }] as const)
      )
    })
    for (const noBundle of [true, false]) {
      const { files: own, generated } = files(noBundle)
      const rules = { rules: [{ type: "ESModule", globs: ["**/*.js"] }] }
      const settings = { ...JSON.parse(own["wrangler.json"]), ...(noBundle ? rules : {}) }
      const { result, version } = await deployed(
        `generated-${noBundle}`,
        { ...own, "wrangler.json": JSON.stringify(settings) },
        { generated }
      )
      expect(Object.keys(result.bundle.modules)).toEqual(noBundle ? ["index.js", "assets/page.js"] : ["index.js"])
      expect(await get(version)).toBe(502)
      expect(await lineWith(version, "generated")).toMatch(/at fail \(src\/page\.tsx:5:\d+\)/)
      const kept = [...result.objects].map(([, bytes]) => new TextDecoder().decode(bytes)).join("\n")
      for (const text of ["secret text", "passwd"]) expect(kept).not.toContain(text)
    }
  })

  it("stay as they are where a map is missing, damaged, no map, or too long to read", async () => {
    const main = `export default { fetch() { throw new Error("unmapped") } }`
    const endless = `{"version":3,"sources":["a"],"names":[],"mappings":"${"A,".repeat(rounds({ quick: 100_000, deep: LocalLimits.buildMapBytes / 2 - 100 }))}A"}`
    const maps = Object.entries({
      none: null,
      words: "not a map",
      array: "[]",
      section: `{"version":3,"sections":[{"offset":{"line":0,"column":0},"map":{"version":3,"sources":["x"],"mappings":"%"}}]}`,
      wrong: `{"version":3,"sources":["a"],"names":[],"mappings":"!!!"}`,
      far: `{"version":3,"sources":["a"],"names":[],"mappings":"AAAA/////////////"}`,
      endless
    })
    for (const [name, bytes] of slice(maps, { quick: 3 })) {
      const version = await world.runPromise(install({ main }, `hostile-${name}`))
      const prefix = version.bundleKey.slice(0, version.bundleKey.lastIndexOf("/") + 1)
      const body = Buffer.from(bytes ?? "")
      const changed = await world.runPromise(
        Effect.gen(function* () {
          const { bundle } = yield* BundleStore.load(version.bundleKey)
          const objects = bytes === null ? new Map() : new Map([["maps/m.map", body]])
          const maps = { "src/index.js": { sha256: hex(body), object: "maps/m.map" } }
          return yield* BundleStore.store(prefix, {
            bundle: yield* Effect.succeed({ ...bundle, maps } as typeof bundle),
            assets: new Map(),
            objects
          })
        })
      )
      const now = { ...version, bundleDigest: changed.digest }
      expect(await get(now)).toBe(502)
      expect(`${name}: ${await lineWith(now, "unmapped")}`).toMatch(/at Object\.fetch \((?:src\/index\.js|a):1:\d+\)/)
    }
  })

  it("are the only place where a map is read: no path of the app answers one", async () => {
    const { prefix, result, version } = await deployed("served", {
      "src/index.ts": `export default { fetch: (request: Request, env: { ASSETS: { fetch(r: Request): Promise<Response> } }) => env.ASSETS.fetch(request) }`,
      "public/own.js.map": "a map of its own",
      "wrangler.json": JSON.stringify({ main: "src/index.ts", assets: { directory: "public", binding: "ASSETS" } })
    })
    expect(Object.keys(result.bundle.maps ?? {})).toEqual(["index.js"])
    const object = result.bundle.maps?.["index.js"]?.object ?? ""
    expect(
      (await world.runPromise(Effect.flatMap(ObjectStore, (objects) => objects.get(`${prefix}${object}`)))).length
    ).toBeGreaterThan(0)
    for (const path of [
      "/index.js.map",
      `/${object}`,
      `/${object}?x`,
      `/../${object}`,
      `/%2e%2e/${object}`,
      `/assets/../${object}`,
      "/maps/",
      "/bundle.json"
    ])
      expect(`${path}: ${await get(version, path)}`).toBe(`${path}: 404`)
    expect(await get(version, "/own.js.map")).toBe(200)
  })
})

describe("the frames of a text", () => {
  const rewritten = (text: string) => {
    const frames = framesOf(text)
    return placed(
      text,
      frames,
      frames.map(({ module }) => (module === "index.js" ? { source: "src/a.ts", line: 1, column: 2 } : null))
    )
  }

  it("are those that V8 writes, and nothing else", () => {
    for (const [text, out] of [
      ["    at f (index.js:10:20)", "    at f (src/a.ts:1:2)"],
      ["    at index.js:10:20", "    at src/a.ts:1:2"],
      ["    at async index.js:10:20", "    at async src/a.ts:1:2"],
      ["    at async Object.f [as g] (index.js:10:20)", "    at async Object.f [as g] (src/a.ts:1:2)"],
      ["    at new A (index.js:1:2)\n    at other.js:3:4", "    at new A (src/a.ts:1:2)\n    at other.js:3:4"],
      ["see index.js:10:20", "see index.js:10:20"],
      ["    at f (index.js:10)", "    at f (index.js:10)"],
      ["    at f (index.js:x:1)", "    at f (index.js:x:1)"],
      ["    at (:1:1)", "    at (:1:1)"],
      ["at ", "at "],
      ["", ""]
    ])
      expect(rewritten(text!)).toBe(out)
  })

  it("are bounded in number, and a hostile text is gone through once", () => {
    const many = "    at f (index.js:1:1)\n".repeat(10_000)
    expect(framesOf(many)).toHaveLength(LocalLimits.stackFrames)
    for (const text of [
      "at ".repeat(1_000_000),
      `at ${"(".repeat(1_000_000)}:1:1)`,
      `at ${"1:".repeat(1_000_000)}1`,
      `at ${"1".repeat(1_000_000)}:1:1`,
      `${" ".repeat(1_000_000)}at x:1:1`
    ])
      expect(framesOf(text).length).toBeLessThan(2)
  })
})
