import { ManagedRuntime } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { layerHere } from "./Here.ts"
import { vendoredPackages } from "@pawl/adapters-local/builder/vendored/VendoredPackages"
import { buildJob, buildOnce } from "@pawl/testing/contracts/apps/AppBuilderContract"
import { type LayerFiles, makeLayers } from "./Layers.ts"

const layers = makeLayers()
const shared = ManagedRuntime.make(layerHere({ packageLayers: layers.folder }))
afterAll(async () => {
  await shared.dispose()
  layers.remove()
})

const held = async (code: string, packages: LayerFiles | null) => {
  const files = { "src/index.ts": `${code}\nexport default { fetch: () => new Response("") }\n` }
  const given = packages === null ? {} : { packages: layers.make(packages) }
  const result = await shared.runPromise(buildOnce(buildJob(files, { id: crypto.randomUUID(), ...given })))
  if (result._tag !== "Built") throw new Error(JSON.stringify(result))
  return result.packages
}

const plain = (name: string) => ({
  [`${name}/package.json`]: JSON.stringify({ name, main: "index.js", sideEffects: false }),
  [`${name}/index.js`]: `export const value = "of ${name}"`
})

describe("What a bundle holds of packages", () => {
  it("are those that code is taken from: none that is only installed, none that is imported and thrown away again", async () => {
    const code = `import { value } from "used"\nimport { value as other } from "dropped"\nconsole.log(value)`
    expect(await held(code, { files: { ...plain("used"), ...plain("dropped"), ...plain("installed") } })).toEqual([
      { path: "node_modules/used" }
    ])
  })

  it("are named by their own places, nested and linked ones and those in a scope too", async () => {
    const code = `import { value } from "top"\nimport { value as linked } from "linked"\nconsole.log(value, linked)`
    const files = {
      "top/package.json": JSON.stringify({ name: "top", main: "index.js" }),
      "top/index.js": `export { value } from "@scope/inner"`,
      "top/node_modules/@scope/inner/package.json": JSON.stringify({ name: "@scope/inner", main: "i.js" }),
      "top/node_modules/@scope/inner/i.js": `export const value = 1`,
      ".pnpm/linked@1/node_modules/linked/package.json": JSON.stringify({ name: "linked", main: "l.js" }),
      ".pnpm/linked@1/node_modules/linked/l.js": `export const value = 2`
    }
    const found = await held(code, { files, links: { linked: ".pnpm/linked@1/node_modules/linked" } })
    expect(found?.map(({ path }) => path)).toEqual([
      "node_modules/.pnpm/linked@1/node_modules/linked",
      "node_modules/top/node_modules/@scope/inner"
    ])
  })

  it("are those too that a module beside the code is of", async () => {
    const files = { ...plain("words"), "words/long.txt": "a text" }
    expect(await held(`import text from "words/long.txt"\nconsole.log(text)`, { files })).toEqual([
      { path: "node_modules/words" }
    ])
  })

  it("are with their versions those that Pawl brings along", async () => {
    const hono = vendoredPackages.find(({ name }) => name === "hono")
    const code = `import { Hono } from "hono"\nconsole.log(new Hono())`
    expect(await held(code, null)).toEqual([{ path: "node_modules/hono", brought: { ...hono, license: "MIT" } }])
    expect(await held("", null)).toEqual([])
  })
})
