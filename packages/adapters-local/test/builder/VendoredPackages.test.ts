import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, ManagedRuntime } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { canonicalJson } from "@pawl/core/primitives/Digest"
import { buildJob, buildOnce, type Tree } from "@pawl/testing/contracts/apps/AppBuilderContract"
import { layer } from "@pawl/adapters-local/builder/bundler/EsbuildAppBuilder"
import { layerHere } from "./Here.ts"
import { vendoredFiles, vendoredFolders } from "@pawl/adapters-local/builder/vendored/VendoredFiles"
import { AppBuilder } from "@pawl/core/bundle/AppBuilder"
import { asksForAnother, vendoredPackages } from "@pawl/adapters-local/builder/vendored/VendoredPackages"

const shared = ManagedRuntime.make(layerHere())
afterAll(() => shared.dispose())
const build = (files: Tree) => shared.runPromise(buildOnce(buildJob(files, { id: crypto.randomUUID() })))
const built = async (files: Tree) => {
  const result = await build(files)
  if (result._tag !== "Built") throw new Error(JSON.stringify(result))
  return { ...result, code: result.bundle.modules["index.js"]?.content ?? "" }
}
const problem = async (line: string, more: Tree = {}) => {
  const result = await build({ "src/index.ts": `${line}\nexport default { fetch: () => new Response("") }\n`, ...more })
  return result._tag === "Refused" ? result.problems[0] : undefined
}

const hono = `import { Hono } from "hono"
import { cors } from "hono/cors"
const app = new Hono()
app.use(cors()).get("/", (c) => c.text("hello"))
export default app
`
const itty = `import { AutoRouter } from "itty-router"
const router = AutoRouter()
router.get("/", () => "hello")
export default router
`

describe("a package that Pawl brings along", () => {
  it("is exactly the one that this adapter pins, and is installed", () => {
    const own: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))
    const folders = vendoredFolders()
    expect(vendoredPackages.map(({ name }) => name)).toEqual(["hono", "itty-router"])
    for (const { name, version } of vendoredPackages) {
      expect(own).toMatchObject({ dependencies: { [name]: version } })
      expect(JSON.parse(readFileSync(join(folders.get(name) ?? "", "package.json"), "utf8"))).toMatchObject({
        name,
        version
      })
    }
  })

  it("is told of by the builder", async () => {
    expect(await shared.runPromise(Effect.map(AppBuilder, ({ vendored }) => vendored))).toEqual(vendoredPackages)
  })

  it("is bundled where an app imports it, also below its name, from code and by require", async () => {
    expect((await built({ "src/index.ts": hono })).code).toMatch(/Access-Control-Allow-Origin/)
    expect((await built({ "src/index.ts": itty })).code).toContain("hello")
    const { code } = await built({
      "src/index.js": `const { Hono } = require("hono")\nconst { error } = require("itty-router/error")\nmodule.exports.default = new Hono().get("/", () => error(404))`
    })
    expect(code).toContain("module.exports.default")
    for (const name of ["hono/jsx", "hono/html", "hono/cloudflare-workers", "hono/logger", "itty-router/cors"])
      expect(await problem(`import * as all from "${name}"\nconsole.log(all)`)).toBe(undefined)
  })

  it("gives the same bytes from another builder, and tells nothing of where it lies", async () => {
    const first = await built({ "src/index.ts": hono })
    const other = await Effect.runPromise(
      Effect.provide(buildOnce(buildJob({ "src/index.ts": hono })), layer({ spare: false }))
    )
    expect(other._tag === "Built" ? canonicalJson(other.bundle) : other).toBe(canonicalJson(first.bundle))
    expect(first.code).not.toContain(process.cwd())
    expect(first.code).not.toContain(vendoredFolders().get("hono"))
  })

  it("gives way to a copy in the app's own node_modules", async () => {
    const own = {
      "node_modules/hono/package.json": `{ "main": "x.js" }`,
      "node_modules/hono/x.js": `export const Hono = "my own"`
    }
    const { code, warnings } = await built({
      "package.json": `{ "dependencies": { "hono": "^1.0.0" } }`,
      "src/index.ts": `import { Hono } from "hono"\nexport default { fetch: () => new Response(Hono) }`,
      ...own
    })
    expect(code).toContain("my own")
    expect(warnings).toEqual([])
    expect(await problem(`import { cors } from "hono/cors"\nconsole.log(cors)`, own)).toMatchObject({
      code: "import_missing"
    })
  })

  it("is told of when the app asks for another major version of it", async () => {
    const { warnings } = await built({
      "src/index.ts": hono,
      "package.json": `{ "dependencies": { "hono": "^3.1.0" } }`
    })
    expect(warnings).toMatchObject([
      {
        code: "package_version",
        file: "package.json",
        message: "This asks for hono ^3.1.0; apps are built with 4.13.19."
      }
    ])
    const [vendored] = vendoredPackages
    if (vendored === undefined) throw new Error("none")
    for (const range of ["^4.0.0", "~4.13", "4", "4.x", "=4.1.2", "*", "latest", ">=3 <5", "workspace:*", "github:a/b"])
      expect([range, asksForAnother(vendored, range)]).toEqual([range, false])
    for (const range of ["^3.0.0", "3", "~5.1"]) expect([range, asksForAnother(vendored, range)]).toEqual([range, true])
  })

  it.each([
    "hono/../../../package.json",
    "hono/dist/index.js",
    "hono/none",
    "hono/package.json/x",
    "itty-router/../hono"
  ])("leads no further than what it exports: %s", async (name) => {
    expect(await problem(`import x from "${name}"\nconsole.log(x)`)).toMatchObject({
      code: "import_missing",
      file: "src/index.ts",
      line: 1
    })
  })

  it("cannot be reached as a file, and reaches no file of the app", async () => {
    expect(await problem(`import "../node_modules/hono/dist/index.js"`)).toMatchObject({ code: "import_missing" })
    const tree = vendoredFiles()
    expect(tree.has("node_modules/hono/package.json")).toBe(true)
    for (const path of ["node_modules/hono/../effect/package.json", "node_modules/effect/package.json", "package.json"])
      expect([tree.has(path), tree.text(path), tree.bytes(path)]).toEqual([false, undefined, undefined])
  })

  it("is named, with the others, where a package cannot be had", async () => {
    expect(await problem(`import _ from "lodash"\nconsole.log(_)`)).toMatchObject({
      code: "package_missing",
      file: "src/index.ts",
      line: 1,
      message: expect.stringMatching(
        /^src\/index\.ts imports "lodash": .*can import hono 4\.13\.19 and itty-router 6\.0\.0/
      )
    })
  })

  it("need not be named in package.json, and what is named there need not be had", async () => {
    const packages = `{ "dependencies": { "lodash": "4" }, "devDependencies": { "wrangler": "4", "typescript": "5", "@cloudflare/workers-types": "4" } }`
    expect((await built({ "src/index.ts": hono, "package.json": packages })).warnings).toEqual([])
  })
})
