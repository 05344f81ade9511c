import { createHash } from "node:crypto"
import { Effect, ManagedRuntime } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { canonicalJson } from "@pawl/core/primitives/Digest"
import * as BundleStore from "@pawl/core/bundle/BundleStore"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import * as MemoryObjectStore from "@pawl/adapters-memory/MemoryObjectStore"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { buildJob, buildOnce, type Tree } from "@pawl/testing/contracts/apps/AppBuilderContract"
import { layer } from "@pawl/adapters-local/builder/bundler/EsbuildAppBuilder"
import { layerHere } from "./Here.ts"
import { makeLayers } from "./Layers.ts"

const layers = makeLayers()
const shared = ManagedRuntime.make(layerHere({ packageLayers: layers.folder }))
afterAll(async () => {
  await shared.dispose()
  layers.remove()
})

const json = JSON.stringify
const encoder = new TextEncoder()
const jobOf = (files: Tree, made: Tree, changes: Parameters<typeof buildJob>[1] = {}) =>
  buildJob(files, {
    id: crypto.randomUUID(),
    generated: new Map(
      Object.entries(made).map(([path, content]) => [
        path,
        { content: typeof content === "string" ? encoder.encode(content) : content, executable: false }
      ])
    ),
    ...changes
  })
const built = async (...job: Parameters<typeof jobOf>) => {
  const result = await shared.runPromise(buildOnce(jobOf(...job)))
  if (result._tag !== "Built") throw new Error(json(result))
  return result
}
const problemsOf = async (...job: Parameters<typeof jobOf>) => {
  const result = await shared.runPromise(buildOnce(jobOf(...job)))
  if (result._tag !== "Refused") throw new Error(json(result).slice(0, 2000))
  return result.problems
}
const config = (more: object = {}) => ({
  ".wrangler/deploy/config.json": json({ configPath: "../../dist/server/wrangler.json" }),
  "dist/server/wrangler.json": json({
    main: "index.js",
    no_bundle: true,
    rules: [{ type: "ESModule", globs: ["**/*.js", "**/*.mjs"] }],
    ...more
  })
})
const entry = (body: string) => `${body}\nexport default { fetch: () => new Response("") }\n`

describe("what a build command left", () => {
  it("is built over the source, and its modules stay as they are under the names they import each other by", async () => {
    const made = {
      ...config({ assets: { directory: "../client" } }),
      "dist/server/index.js": entry(
        `import { a } from "./assets/a.js"\nimport t from "./assets/note.txt"\nconsole.log(a, t)`
      ),
      "dist/server/assets/a.js": `import "../lib/b.mjs"\nexport const a = 1\nexport const later = () => import("./late.js")`,
      "dist/server/assets/late.js": "export default 1",
      "dist/server/assets/note.txt": "a note",
      "dist/server/assets/not-a-module.png": "png",
      "dist/server/lib/b.mjs": "export {}",
      "dist/client/index.html": "<p>made",
      "dist/client/style.css": "p {}"
    }
    const { assets, bundle } = await built({ "src/index.ts": "not built", "dist/client/index.html": "stale" }, made)
    expect(bundle.mainModule).toBe("index.js")
    expect(Object.entries(bundle.modules).map(([name, { type }]) => `${name} ${type}`)).toEqual([
      "index.js esm",
      "assets/a.js esm",
      "assets/late.js esm",
      "assets/note.txt text",
      "lib/b.mjs esm"
    ])
    expect(bundle.modules["index.js"]?.content).toBe(made["dist/server/index.js"])
    expect([...assets.keys()].sort()).toEqual(["index.html", "style.css"])
    expect(new TextDecoder().decode(assets.get("index.html"))).toBe("<p>made")
  })

  it("is bundled after all when a module of it imports a package", async () => {
    const packages = layers.make({
      files: { "kit/package.json": json({ name: "kit" }), "kit/index.js": `export const kit = "the kit"` }
    })
    const made = {
      ...config(),
      "dist/server/index.js": entry(`import { a } from "./assets/a.js"\nconsole.log(a)`),
      "dist/server/assets/a.js": `import { kit } from "kit"\nexport const a = kit`
    }
    const { bundle } = await built({}, made, { packages })
    expect(Object.keys(bundle.modules)).toEqual(["index.js"])
    expect(bundle.modules["index.js"]?.content).toContain("the kit")
    expect(await problemsOf({}, made)).toMatchObject([
      { code: "package_missing", file: "dist/server/assets/a.js", line: 1 }
    ])
  })

  it.each([
    ["a module that is not there", `\nimport "./none.js"`, "import_missing", 2],
    ["a module above the main one", `import "../client/a.js"`, "import_missing", 1],
    ["a file of the machine", `import "/etc/passwd"`, "import_remote", 1],
    ["a file by its URL", `import "file:///etc/passwd"`, "import_remote", 1],
    ["a package of real login", `import "./a.js"\nimport "next-auth"`, "auth_package", 2],
    ["a module of Node without its flag", `import "node:fs"`, "compatibility_flag_missing", 1],
    ["a module that the runtime has not", `import "cloudflare:pages"`, "runtime_module_refused", 1]
  ])("is refused with its line where it imports %s", async (_, code, problem, line) => {
    const made = { ...config(), "dist/server/index.js": entry(code), "dist/server/a.js": "", "dist/client/a.js": "" }
    expect(await problemsOf({}, made)).toMatchObject([{ code: problem, file: "dist/server/index.js", line }])
  })

  it("is refused when it is no code, has no default export, or is too big, by its name", async () => {
    const of = (files: Tree) => problemsOf({}, { ...config(), "dist/server/index.js": entry(""), ...files })
    expect(await of({ "dist/server/a.js": "import {" })).toMatchObject([{ code: "syntax", file: "dist/server/a.js" }])
    expect(await of({ "dist/server/a.js": new Uint8Array([0xff]) })).toMatchObject([{ code: "not_text" }])
    expect(await of({ "dist/server/index.js": "export const a = 1" })).toMatchObject([
      { code: "default_export_missing" }
    ])
    const big = new Uint8Array(LocalLimits.buildModuleBytes + 1).fill(32)
    expect(await of({ "dist/server/big.js": big })).toMatchObject([
      { code: "module_over_limit", file: "dist/server/big.js" }
    ])
    const many = Object.fromEntries(
      Array.from({ length: LocalLimits.buildModules }, (_, at) => [`dist/server/m${at}.js`, ""])
    )
    expect(await of(many)).toMatchObject([{ code: "modules_over_limit" }])
  })

  it("does not count as source", async () => {
    const files = Object.fromEntries(
      Array.from({ length: LocalLimits.buildSourceFiles + 1 }, (_, at) => [`dist/server/part${at}.js`, ""])
    )
    const { bundle } = await built({}, { ...config(), "dist/server/index.js": entry(""), ...files })
    expect(Object.keys(bundle.modules)).toHaveLength(LocalLimits.buildSourceFiles + 2)
  })

  it("loses its source maps among the assets, and the source keeps its own there", async () => {
    const source = { "pawl.json": "{}", "dist/own.js": "", "dist/own.js.map": "own", "dist/data.map": "own" }
    const { assets } = await built(source, {
      "dist/index.html": "<p>",
      "dist/a.js": "1\n//# sourceMappingURL=a.js.map",
      "dist/a.js.map": "{}",
      "dist/hidden.js": "1",
      "dist/hidden.js.map": "{}",
      "dist/b.css": "p {}\n/*# sourceMappingURL=maps/elsewhere.map */",
      "dist/maps/elsewhere.map": "{}",
      "dist/rivers.map": "a map of rivers"
    })
    expect([...assets.keys()].sort()).toEqual(
      ["a.js", "b.css", "data.map", "hidden.js", "index.html", "own.js", "own.js.map", "rivers.map"].sort()
    )
  })

  it("is served byte for byte, the comment that named a map too: its page may hold a digest of it", async () => {
    const code = "console.log(1)\n//# sourceMappingURL=a.js.map\n"
    const integrity = `sha384-${createHash("sha384").update(code).digest("base64")}`
    const page = `<script src="/a.js" integrity="${integrity}"></script>`
    const { assets, bundle } = await built({}, { "dist/index.html": page, "dist/a.js": code, "dist/a.js.map": "{}" })
    const served = assets.get("a.js") ?? new Uint8Array()
    expect(`sha384-${createHash("sha384").update(served).digest("base64")}`).toBe(integrity)
    expect(bundle.assets.manifest["a.js"]?.sha256).toBe(createHash("sha256").update(code).digest("hex"))
  })

  it("is looked through for real login: pages as everywhere, and code without being parsed", async () => {
    expect(await problemsOf({}, { "dist/index.html": `<p>\n<input type="password">` })).toMatchObject([
      { code: "password_field", file: "dist/index.html", line: 2 }
    ])
    const minified = `var e=(a)=>a;${"x(1),".repeat(150_000)}h("input",{type:"password"})`
    expect(await problemsOf({}, { "dist/index.html": "<p>", "dist/a.js": minified })).toMatchObject([
      { code: "password_field", file: "dist/a.js", line: 1 }
    ])
    for (const [path, text] of [
      [
        "src/App.vue",
        `<template>\n<input type="password" />\n</template>\n<script setup lang="ts">\nconst a: number = 1\n</script>`
      ],
      ["src/App.svelte", `<p>\n<input type="password" />`],
      ["src/pages/index.astro", `---\nconst a = 1\n---\n<input autocomplete="new-password" />`]
    ])
      expect(await problemsOf({ [path!]: text! }, { "dist/index.html": "<p>" })).toMatchObject([
        { code: "password_field", file: path }
      ])
    const named = { "dist/package.json": json({ dependencies: { bcrypt: "5" } }), "dist/index.html": "<p>" }
    expect((await built({}, named)).bundle.mainModule).toBeNull()
    expect(await problemsOf({ "package.json": json({ dependencies: { bcrypt: "5" } }) }, named)).toMatchObject([
      { code: "auth_package", file: "package.json" }
    ])
  })
})

describe("a bundle with source maps", () => {
  const files = {
    "src/index.ts": entry(`import { a } from "./a.ts"\nconsole.log(a)`),
    "src/a.ts": `export const a: number = 1\n//# sourceMappingURL=data:application/json,{"version":3,"sources":["/etc/passwd","../../up.ts","https://host/x"],"sourcesContent":["secret"],"names":[],"mappings":"AAAA,CCAA,CCAA"}`
  }

  it("is the same from another builder, and its maps name files of the source alone", async () => {
    const one = await built(files, {})
    const other = await Effect.runPromise(Effect.provide(buildOnce(jobOf(files, {})), layer({ spare: false })))
    if (other._tag !== "Built") throw new Error(json(other))
    expect(canonicalJson(other.bundle)).toBe(canonicalJson(one.bundle))
    const map: unknown = JSON.parse(new TextDecoder().decode(one.objects.get("maps/index.js.map")))
    expect(Object.keys(one.bundle.maps ?? {})).toEqual(["index.js"])
    expect(map).toMatchObject({ version: 3, sources: expect.arrayContaining(["src/index.ts"]) })
    for (const text of ["secret", "passwd", "up.ts", "host", "sourcesContent"]) expect(json(map)).not.toContain(text)
    expect(one.bundle.modules["index.js"]?.content).not.toContain("sourceMappingURL")
  })

  it("keeps them where it is copied, and under another commit", async () => {
    const one = await built(files, {})
    const keys = await Effect.runPromise(
      Effect.gen(function* () {
        const stored = yield* BundleStore.store("apps/a/", one)
        yield* BundleStore.copy("apps/a/", "apps/b/", stored)
        yield* BundleStore.readdress("apps/a/", "apps/c/", stored, {
          commit: "c".repeat(40),
          builtAt: one.bundle.builtAt
        })
        const objects = yield* ObjectStore
        return (yield* objects.list("apps/")).map(({ key }) => key).filter((key) => key.endsWith(".map"))
      }).pipe(Effect.provide(MemoryObjectStore.layerMemory))
    )
    expect(keys).toEqual(["a", "b", "c"].map((each) => `apps/${each}/maps/index.js.map`))
  })
})
