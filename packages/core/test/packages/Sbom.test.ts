import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { Ajv } from "ajv"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { LayeredPackage } from "@pawl/core/packages/PackageStore"
import { hashesOf, purlOf, readdressed, type SbomInput, sbomOf } from "@pawl/core/packages/Sbom"
import { licensesOf } from "@pawl/core/packages/SbomLicenses"

const schemas = join(
  dirname(createRequire(import.meta.url).resolve("@cyclonedx/cyclonedx-library/package.json")),
  "res/schema"
)
const schemaOf = (name: string) =>
  JSON.parse(readFileSync(join(schemas, `${name}.SNAPSHOT.schema.json`), "utf8")) as object

/** The schema that CycloneDX publishes, with those that it refers to. */
const official = () => {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  for (const name of ["spdx", "jsf-0.82"])
    ajv.addSchema(schemaOf(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`)
  return ajv.compile(schemaOf("bom-1.6"))
}

const integrity = `sha512-${Buffer.alloc(64, 7).toString("base64")}`

const layered = (path: string, also: Partial<LayeredPackage> = {}): LayeredPackage => ({
  path,
  name: path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length),
  version: "1.0.0",
  integrity,
  dev: false,
  license: "MIT",
  scripts: [],
  ...also
})

const input = (also: Partial<SbomInput> = {}): SbomInput => ({
  project: "prj_1",
  commit: "a".repeat(40),
  tree: "b".repeat(40),
  builtAt: "2026-01-02T03:04:05.000Z",
  builder: { name: "esbuild", version: "0.27.0" },
  layer: [],
  held: [],
  mayHoldOthers: false,
  manifest: () => null,
  ...also
})

interface List {
  readonly components: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly dependencies: ReadonlyArray<{ readonly ref: string; readonly dependsOn: ReadonlyArray<string> }>
  readonly metadata: { readonly component: { readonly properties: ReadonlyArray<unknown> } }
}

const at = (...paths: ReadonlyArray<string>) => paths.map((path) => ({ path }))
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const listOf = (also: Partial<SbomInput>) => Effect.map(sbomOf(input(also)), (bytes) => JSON.parse(text(bytes)) as List)
const run = Effect.runPromise

const layer = [
  layered("node_modules/used"),
  layered("node_modules/@scope/tool", {
    version: "2.0.0-beta.1+build",
    dev: true,
    scripts: ["install", "postinstall"]
  }),
  layered("node_modules/used/node_modules/inner", { license: "(MIT OR Apache-2.0)" }),
  layered("node_modules/asked", { license: "SEE LICENSE IN licence.txt" })
]

describe("the list of a bundle's packages", () => {
  const isValid = official()

  it("is what CycloneDX 1.6 says a list is, with everything that one can hold", async () => {
    const manifest = (folder: string) =>
      folder === "node_modules/own" ? Buffer.from(`{"name":"own","version":"3.1.0","license":"ISC"}`) : null
    for (const also of [
      {},
      { layer, mayHoldOthers: true },
      { layer, held: at("node_modules/used", "node_modules/own", "node_modules/nameless"), manifest }
    ])
      expect([isValid(await run(listOf(also))), isValid.errors]).toEqual([true, null])
  })

  it("holds what the bundle holds, and not what was asked for: nothing that is not imported, no package of the build alone", async () => {
    const { components } = await run(
      listOf({ layer, held: at("node_modules/used/node_modules/inner", "node_modules/used") })
    )
    expect(components.map((each) => [each.purl, each.scope])).toEqual([
      ["pkg:npm/used@1.0.0", "required"],
      ["pkg:npm/inner@1.0.0", "required"]
    ])
  })

  it("after a build command holds all that was installed, and what is there for building may be in it or not", async () => {
    const { components, metadata } = await run(listOf({ layer, mayHoldOthers: true }))
    expect(components.map((each) => [each["bom-ref"], each.scope])).toEqual([
      ["node_modules/@scope/tool", "optional"],
      ["node_modules/asked", "required"],
      ["node_modules/used", "required"],
      ["node_modules/used/node_modules/inner", "required"]
    ])
    expect(metadata.component.properties).toContainEqual({ name: "pawl:listed", value: "installed" })
  })

  it("calls a package for development required when the bundle holds it all the same", async () => {
    const { components } = await run(listOf({ layer, held: at("node_modules/@scope/tool") }))
    expect(components).toEqual([
      {
        type: "library",
        "bom-ref": "node_modules/@scope/tool",
        group: "@scope",
        name: "tool",
        version: "2.0.0-beta.1+build",
        scope: "required",
        hashes: [{ alg: "SHA-512", content: "07".repeat(64) }],
        licenses: [{ license: { id: "MIT" } }],
        purl: "pkg:npm/%40scope/tool@2.0.0-beta.1%2Bbuild",
        properties: [
          { name: "cdx:npm:package:path", value: "node_modules/@scope/tool" },
          { name: "cdx:npm:package:development", value: "true" },
          { name: "pawl:scripts-not-run", value: "install postinstall" }
        ]
      }
    ])
  })

  it("names vendored packages by their own package.json, and by their folder when it says nothing", async () => {
    const files: Record<string, string> = {
      "node_modules/one": `{"name":"@org/one","version":"1.2.3"}`,
      "node_modules/two": `{"name":7,"version":null}`,
      "node_modules/three": "no JSON"
    }
    const { components } = await run(
      listOf({
        held: at(...Object.keys(files), "node_modules/@org/four"),
        manifest: (folder) => (files[folder] === undefined ? null : Buffer.from(files[folder]))
      })
    )
    expect(components.map((each) => each.purl)).toEqual([
      "pkg:npm/%40org/four",
      "pkg:npm/%40org/one@1.2.3",
      "pkg:npm/three",
      "pkg:npm/two"
    ])
  })

  it("counts what is bundled in a package to it, and names what the builder brings along", async () => {
    const brought = { name: "hono", version: "4.13.19", license: "MIT" }
    const held = [...at("node_modules/used/node_modules/bundled"), { path: "node_modules/used", brought }]
    const list = await run(listOf({ layer, held }))
    expect(list.components.map((each) => [each["bom-ref"], each.purl])).toEqual([
      ["node_modules/used", "pkg:npm/used@1.0.0"],
      ["pkg:npm/hono@4.13.19", "pkg:npm/hono@4.13.19"]
    ])
    expect([isValid(list), isValid.errors]).toEqual([true, null])
  })

  it("says who needs whom, of what is listed: by way of what is not, and what nobody else needs is the source's own", async () => {
    const graph = new Map([
      ["", ["node_modules/@scope/tool", "node_modules/asked"]],
      ["node_modules/asked", ["node_modules/used", "node_modules/asked"]],
      ["node_modules/used", ["node_modules/used/node_modules/inner", "node_modules/asked"]],
      ["node_modules/used/node_modules/inner", []],
      ["node_modules/@scope/tool", ["node_modules/used"]]
    ])
    const brought = { name: "hono", version: "4.13.19", license: "MIT" }
    const held = [...at("node_modules/used/node_modules/inner", "node_modules/used", "node_modules/own")]
    const some = await run(listOf({ layer, graph, held: [...held, { path: "x", brought }] }))
    expect(some.dependencies).toEqual([
      { ref: "prj_1", dependsOn: ["node_modules/own", "node_modules/used", "pkg:npm/hono@4.13.19"] },
      { ref: "node_modules/used", dependsOn: ["node_modules/used/node_modules/inner"] },
      { ref: "node_modules/used/node_modules/inner", dependsOn: [] }
    ])
    const all = await run(listOf({ layer, graph, mayHoldOthers: true }))
    expect(all.dependencies).toEqual([
      { ref: "prj_1", dependsOn: ["node_modules/@scope/tool", "node_modules/asked"] },
      { ref: "node_modules/@scope/tool", dependsOn: ["node_modules/used"] },
      { ref: "node_modules/asked", dependsOn: ["node_modules/used"] },
      { ref: "node_modules/used", dependsOn: ["node_modules/asked", "node_modules/used/node_modules/inner"] },
      { ref: "node_modules/used/node_modules/inner", dependsOn: [] }
    ])
    for (const list of [some, all]) expect([isValid(list), isValid.errors]).toEqual([true, null])
  })

  it("is the same bytes for the same build, in whatever order packages are told, and others for another", async () => {
    const held = layer.map(({ path }) => ({ path }))
    const one = text(await run(sbomOf(input({ layer, held }))))
    expect(text(await run(sbomOf(input({ layer: layer.toReversed(), held: held.toReversed() }))))).toBe(one)
    const other = JSON.parse(text(await run(sbomOf(input({ layer, held: held.slice(1) })))))
    expect(other.serialNumber).not.toBe(JSON.parse(one).serialNumber)
  })

  it("given to another commit of the same tree is what a build of that commit lists", async () => {
    const [held, to] = [
      layer.map(({ path }) => ({ path })),
      { commit: "c".repeat(40), builtAt: "2026-02-02T00:00:00.000Z" }
    ]
    const given = await run(readdressed(await run(sbomOf(input({ layer, held }))), to))
    expect(text(given)).toBe(text(await run(sbomOf(input({ layer, held, ...to })))))
  })
})

describe("the parts of a component", () => {
  it("reads each algorithm of an integrity, and leaves out what it cannot read", () => {
    const sha1 = Buffer.alloc(20, 1).toString("base64")
    expect(hashesOf(`${integrity} sha1-${sha1}?x md5-AAAA sha256-%%`)).toEqual([
      { alg: "SHA-512", content: "07".repeat(64) },
      { alg: "SHA-1", content: "01".repeat(20) }
    ])
  })

  it("escapes what a package URL cannot hold, half a character too", () => {
    expect(purlOf("a b?#", "1 \uD800")).toBe("pkg:npm/a%20b%3F%23@1%20%EF%BF%BD")
  })

  it("calls a licence an id or an expression only when SPDX has it", () => {
    expect(licensesOf("MIT")).toEqual([{ license: { id: "MIT" } }])
    expect(licensesOf("MIT OR GPL-2.0-only")).toEqual([{ expression: "MIT OR GPL-2.0-only" }])
    expect(licensesOf("MIT OR mine")).toEqual([{ license: { name: "MIT OR mine" } }])
    expect([licensesOf(null), licensesOf(" ")]).toEqual([[], []])
  })
})
