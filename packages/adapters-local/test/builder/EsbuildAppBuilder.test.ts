import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { version } from "esbuild"
import { Context, Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { AppBuilder, type BuildResult } from "@pawl/core/bundle/AppBuilder"
import { canonicalJson } from "@pawl/core/primitives/Digest"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { appBuilderContract, buildJob, buildOnce, type Tree } from "@pawl/testing/contracts/apps/AppBuilderContract"
import { layer } from "@pawl/adapters-local/builder/bundler/EsbuildAppBuilder"
import { layerSpawner } from "@pawl/adapters-local/spawner/Processes"
import { layerHere } from "./Here.ts"

const shared = ManagedRuntime.make(layerHere())
const run = mkdtempSync(join(tmpdir(), "pawl-builder-"))
/** As a server has them: by a spawner. */
const processes = ManagedRuntime.make(layer().pipe(Layer.provide(Layer.orDie(layerSpawner(run)))))
afterAll(async () => {
  await shared.dispose()
  await processes.dispose()
  rmSync(run, { recursive: true, force: true })
})

appBuilderContract("EsbuildAppBuilder", {
  layer: Layer.effect(
    AppBuilder,
    Effect.map(processes.contextEffect, (context) => Context.get(context, AppBuilder))
  )
})

const build = (files: Tree): Promise<BuildResult> =>
  shared.runPromise(buildOnce(buildJob(files, { id: crypto.randomUUID() })))
const bundleOf = async (files: Tree) => {
  const result = await build(files)
  if (result._tag !== "Built") throw new Error(JSON.stringify(result))
  return result
}
const problemsOf = async (files: Tree) => {
  const result = await build(files)
  if (result._tag !== "Refused") throw new Error(JSON.stringify(result).slice(0, 1000))
  return result.problems
}
const worker = (body: string) => `${body}\nexport default { fetch: () => new Response("") }\n`

describe("EsbuildAppBuilder", () => {
  it("is the esbuild that the package pins", () => {
    expect(shared.runSync(Effect.map(AppBuilder, (builder) => builder.version))).toEqual({ name: "esbuild", version })
  })

  it("bundles TypeScript, JSX, JSON and CommonJS into one module", async () => {
    const { bundle } = await bundleOf({
      "src/index.ts": `import { a } from "./a.js"\nimport data from "./data.json" with { type: "json" }\nimport old from "../lib/old.cjs"\nimport { h } from "./view"\nexport default { fetch: (): Response => new Response(a + data.b + old.c + h()) }`,
      "src/a.ts": `export const a: string = "from-a"`,
      "src/data.json": `{ "b": "from-json" }`,
      "src/view.tsx": `/** @jsx make */\nconst make = (tag: string) => tag\nexport const h = () => <main />`,
      "lib/old.cjs": `exports.c = "from-cjs"`
    })
    expect(Object.keys(bundle.modules)).toEqual(["index.js"])
    const code = bundle.modules["index.js"]?.content ?? ""
    for (const text of ["from-a", "from-json", "from-cjs", `make("main"`]) expect(code).toContain(text)
    expect(code).not.toContain("import ")
  })

  it("keeps text, data and wasm as modules of their own, as wrangler does", async () => {
    const wasm = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])
    const { bundle } = await bundleOf({
      "src/index.js": worker(
        `import a from "./page.html"\nimport b from "./note.txt"\nimport c from "../blob.bin"\nimport d from "./add.wasm"\nimport e from "./add.wasm?module"\nimport f from "./q.sql"\nimport g from "../public/also.txt"\nconsole.log(a, b, c, d, e, f, g)`
      ),
      "src/page.html": "<p>é</p>",
      "src/note.txt": "\uFEFFnote",
      "blob.bin": new Uint8Array([0, 255, 254]),
      "src/add.wasm": wasm,
      "src/q.sql": "select 1",
      "public/also.txt": "served too"
    })
    const byType = Object.groupBy(Object.entries(bundle.modules), ([, module]) => module.type)
    expect(byType.text?.map(([, module]) => module.content).sort()).toEqual(
      ["<p>é</p>", "select 1", "served too", "\uFEFFnote"].sort()
    )
    expect(byType.data?.map(([, module]) => module.content)).toEqual([Buffer.from([0, 255, 254]).toString("base64")])
    expect(byType.wasm?.map(([, module]) => module.content)).toEqual([Buffer.from(wasm).toString("base64")])
    const code = bundle.modules[bundle.mainModule ?? ""]?.content ?? ""
    for (const name of Object.keys(bundle.modules))
      if (name !== bundle.mainModule) expect(code).toContain(`"./${name}"`)
  })

  it("keeps a large module out of bundle.json, under its digest", async () => {
    const { bundle, objects } = await bundleOf({
      "src/index.js": worker(`import a from "./a.bin"\nconsole.log(a)`),
      "src/a.bin": new Uint8Array(LocalLimits.bundleInlineBytes + 1)
    })
    const [, module] = Object.entries(bundle.modules).find(([name]) => name.endsWith("a.bin")) ?? []
    expect(module?.content).toBe(undefined)
    expect(module?.object).toBe(`modules/${module?.sha256}`)
    expect(objects.get(module?.object ?? "")?.byteLength).toBe(LocalLimits.bundleInlineBytes + 1)
  })

  it("leaves the runtime's own modules as imports", async () => {
    const { bundle } = await bundleOf({
      "wrangler.jsonc": `{ "main": "src/index.ts", "compatibility_flags": ["nodejs_compat"], }`,
      "src/index.ts": worker(
        `import { WorkerEntrypoint } from "cloudflare:workers"\nimport { Buffer } from "buffer"\nexport class A extends WorkerEntrypoint {}\nconsole.log(Buffer)`
      )
    })
    expect(bundle.compatibilityFlags).toEqual(["nodejs_compat"])
    expect(bundle.modules["index.js"]?.content).toMatch(/from "cloudflare:workers"/)
    expect(bundle.modules["index.js"]?.content).toMatch(/from "node:buffer"/)
  })

  it("gives each asset its type, and text as UTF-8", async () => {
    const { bundle } = await bundleOf({
      "public/a.CSS": "",
      "public/b.png": "",
      "public/c": "",
      "public/d.tar.gz": "",
      "public/e.constructor": "",
      "public/.well-known/x.json": "",
      "public/_headers": "/*\n  X: y"
    })
    const types = Object.fromEntries(
      Object.entries(bundle.assets.manifest).map(([path, entry]) => [path, entry.contentType])
    )
    expect(types).toEqual({
      "a.CSS": "text/css; charset=utf-8",
      "b.png": "image/png",
      c: "application/octet-stream",
      "d.tar.gz": "application/gzip",
      "e.constructor": "application/octet-stream",
      ".well-known/x.json": "application/json; charset=utf-8"
    })
  })

  it("takes _headers and _redirects for rules, serves neither, and warns of each line that it leaves out", async () => {
    const { assets, bundle, warnings } = await bundleOf({
      "public/index.html": "",
      "public/_redirects": "/a /b\n/c //evil.example",
      "public/_headers": "/*\n  X-Own: y\n  Content-Length: 5\n  ! ETag",
      "public/deep/_headers": "a file like any other",
      "src/index.js": worker("console.log(typeof globalThis.x === 'nunber')")
    })
    expect([...assets.keys()].sort()).toEqual(["deep/_headers", "index.html"])
    expect(Object.keys(bundle.assets.manifest)).toEqual(["deep/_headers", "index.html"])
    expect(bundle.assets).toMatchObject({
      redirects: [{ from: "/a", to: "/b", status: 302 }],
      headers: [{ path: "/*", set: [["x-own", "y"]], unset: ["etag"] }]
    })
    expect(warnings.map(({ code, file, line }) => [code, file, line])).toEqual([
      ["rule_ignored", "public/_headers", 3],
      ["rule_ignored", "public/_redirects", 2],
      ["warning", "src/index.js", expect.any(Number)]
    ])
    // The bundle is what the check `build` shows as its output: whoever built it reads them there.
    expect(bundle.warnings).toEqual(warnings)
  })

  it("says nothing of rules and warnings in a bundle that has none", async () => {
    const { bundle } = await bundleOf({ "public/index.html": "" })
    expect(Object.keys(bundle)).not.toContain("warnings")
    expect(Object.keys(bundle.assets).sort()).toEqual([
      "directory",
      "htmlHandling",
      "manifest",
      "notFoundHandling",
      "runWorkerFirst"
    ])
  })

  it("serves nothing that .assetsignore names, and can run it", async () => {
    const { bundle } = await bundleOf({
      "dist/.assetsignore": "_worker.js\n*.map\n",
      "dist/_worker.js": worker("console.log('from the assets folder')"),
      "dist/index.html": "",
      "dist/index.js.map": "",
      "wrangler.json": JSON.stringify({ main: "dist/_worker.js", assets: { directory: "dist" } })
    })
    expect(Object.keys(bundle.assets.manifest)).toEqual(["index.html"])
    expect(bundle.modules["index.js"]?.content).toContain("from the assets folder")
  })

  it("refuses a _worker.js that would be served, and rules that are too long or no text", async () => {
    expect(await problemsOf({ "public/_worker.js": "export default {}" })).toMatchObject([
      { code: "worker_in_assets", file: "public/_worker.js" }
    ])
    for (const name of ["_headers", "_redirects", ".assetsignore"]) {
      const long = { "public/index.html": "", [`public/${name}`]: "#".repeat(LocalLimits.assetRulesBytes + 1) }
      expect(await problemsOf(long)).toMatchObject([{ code: "asset_rules_over_limit", file: `public/${name}` }])
    }
  })

  it("names file, line, column and message of a mistake, and nothing of the line itself", async () => {
    const problems = await problemsOf({
      "src/index.ts": `import "./b"\nexport default {}`,
      "src/b.ts": `const secretToken = 1\nlet x = = 2`
    })
    expect(problems).toEqual([{ code: "syntax", message: 'Unexpected "="', file: "src/b.ts", line: 2, column: 9 }])
  })

  it("names the importing file and line of every package that is not there", async () => {
    const problems = await problemsOf({
      "src/index.ts": worker(`import a from "left-pad"\nimport b from "@acme/kit"\nconsole.log(a, b)`)
    })
    expect(problems.map(({ code, file, line }) => [code, file, line])).toEqual([
      ["package_missing", "src/index.ts", 1],
      ["package_missing", "src/index.ts", 2]
    ])
    expect(problems[0]?.message).toContain('"left-pad"')
    expect(problems[1]?.message).toContain('"@acme/kit"')
  })

  it("refuses a Worker without a default export, and a file that is no code", async () => {
    expect(await problemsOf({ "src/index.ts": "export const fetch = 1" })).toMatchObject([
      { code: "default_export_missing", file: "src/index.ts" }
    ])
    const scripted = {
      "src/index.ts": "export const fetch = 1",
      "package.json": '{"scripts":{"build":"node make.js"}}'
    }
    expect(await problemsOf(scripted)).toMatchObject([
      { message: expect.stringContaining('name it in pawl.json: "build": { "command": "npm run build" }') }
    ])
    expect(await problemsOf({ "src/index.ts": worker(`import "./a.less"`), "src/a.less": "" })).toMatchObject([
      { code: "module_type_unknown" }
    ])
    expect(await problemsOf({ "wrangler.json": `{ "main": "index.html" }`, "index.html": "" })).toMatchObject([
      { code: "module_type_unknown", file: null }
    ])
  })

  it("gives the same bundle from another builder", async () => {
    const files = {
      "src/index.ts": worker(
        Array.from({ length: 30 }, (_, i) => `import { f${i} } from "./f${i}"\nconsole.log(f${i})`).join("\n")
      ),
      ...Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`src/f${i}.ts`, `export const f${i} = ${i}`]))
    }
    const one = await bundleOf(files)
    const other = await Effect.runPromise(Effect.provide(buildOnce(buildJob(files)), layer({ spare: false })))
    expect(other._tag === "Built" ? canonicalJson(other.bundle) : other).toBe(canonicalJson(one.bundle))
  })
})
