import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type OutsideProject, outsideProject, workspace } from "./OutsideProject.ts"

const server = existsSync(join(workspace, "packages/server/src/api/index.ts"))
const packages = server
  ? [
      "core",
      "testing",
      "adapters-memory",
      "sql",
      "console",
      "router",
      "adapters-local",
      "adapters-pg",
      "adapters-s3",
      "adapters-nats",
      "adapters-cloudflare",
      "adapters-models",
      "server"
    ]
  : ["core", "testing", "adapters-memory"]

const useCore = `
import { hostFor, parseHost } from "@pawl/core/model/HostLabel"
const host = hostFor("notes", "production", "apps.example")
console.log(host, JSON.stringify(parseHost(host, "apps.example")))
`

const typedUse = `
import { type AppHost, parseHost } from "@pawl/core/model/HostLabel"
import { AppBuilder } from "@pawl/core/bundle/AppBuilder"
import { layerMemory } from "@pawl/adapters-memory/MemoryAppBuilder"
import { appBuilderContract } from "@pawl/testing/contracts/apps/AppBuilderContract"
import { Effect } from "effect"

const host: AppHost | "apex" | null | undefined = parseHost("notes.apps.example", "apps.example")
export const build: Effect.Effect<AppBuilder["Service"]> = Effect.provide(AppBuilder, layerMemory)
export const suite = () => appBuilderContract("mine", { layer: layerMemory })
// @ts-expect-error a host is no number
export const wrong: number = host
`

const contractUse = `
import { layerMemory } from "@pawl/adapters-memory/MemoryAppBuilder"
import { appBuilderContract } from "@pawl/testing/contracts/apps/AppBuilderContract"
appBuilderContract("installed", { layer: layerMemory })
`

/** Somebody's own agent, with tools of their own, proven by our scenes. */
const scenesUse = `
import { builtInEdits } from "@pawl/testing/contracts/agents/BuiltInEdits"
import { editScenesContract } from "@pawl/testing/contracts/agents/EditScenesContract"
import { Effect } from "effect"
const carryOut = (input, calls) => Effect.runPromise(builtInEdits(input, calls))
editScenesContract("mine", { parser: false, carryOut })
`

const compilerOptions = {
  target: "ES2023",
  module: "NodeNext",
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
  types: []
}

describe("packs core, testing and server and uses them from an empty folder", () => {
  let project: OutsideProject
  beforeAll(() => {
    project = outsideProject(packages, ["effect", "vitest", "@effect/vitest", "@types/node"])
  }, 300_000)
  afterAll(() => project?.remove())

  /** Import paths of every module that a package offers. */
  const modulesOf = (name: string): ReadonlyArray<string> =>
    project.packed
      .filter((packed) => packed.name === name)
      .flatMap(({ files }) => files.flatMap((path) => /^dist\/(.+)\.js$/.exec(path)?.[1] ?? []))
      .map((module) => `@pawl/${name}/${module}`)

  /** Type checks all of these at once, for they reach the same declarations; then what is wrong is asked of each. */
  let checked: ReadonlyArray<string> | undefined
  const typed = (): Readonly<Record<string, string>> => ({
    "typed.ts": typedUse,
    "everything.ts": modulesOf("core")
      .map((module, index) => `export type * as M${index} from "${module}"\n`)
      .join(""),
    ...(server ? { "api.ts": `export type * as Api from "@pawl/server/api"\n` } : {})
  })
  const problemsOf = (file: string): ReadonlyArray<string> => {
    if (checked === undefined) {
      for (const [name, text] of Object.entries(typed())) project.write(name, text)
      project.write("tsconfig.json", JSON.stringify({ compilerOptions, files: Object.keys(typed()) }))
      const { output } = project.run(join(workspace, "node_modules/.bin/tsc"), "-p", ".", "--pretty", "false")
      checked = output.split("\n")
    }
    return checked.filter((line) => line.startsWith(file) || line.includes("node_modules/@pawl/"))
  }

  it("carries built modules with their types and maps, and no tests", () => {
    for (const { files, name } of project.packed) {
      expect(files.filter((path) => /^(dist|src)\/.*(\.test\.|tsbuildinfo)|^test\//.test(path))).toEqual([])
      const modules = files.filter((path) => /^dist\/.+\.js$/.test(path))
      expect(modules.length).toBeGreaterThan(0)
      // What browsers load is no module for others: the console brings what is in it, and their licences.
      if (name === "console") {
        expect(files).toEqual(expect.arrayContaining(["dist/index.html", "dist/LICENSES.md"]))
        continue
      }
      for (const path of modules) {
        const base = path.slice(0, -".js".length)
        expect(files).toEqual(expect.arrayContaining([`${base}.js.map`, `${base}.d.ts`, `${base}.d.ts.map`]))
      }
    }
  })

  it("imports every module of core, from what was packed", () => {
    const modules = modulesOf("core")
    expect(modules.length).toBeGreaterThan(40)
    project.write("all.js", modules.map((module) => `await import("${module}")\n`).join("") + `console.log("all")\n`)
    expect(project.run("node", "all.js")).toEqual({ status: 0, output: "all\n" })
    project.write("use.js", useCore)
    const used = project.run("node", "use.js")
    expect(used.output).toBe(`notes.apps.example {"label":"notes","channel":"production"}\n`)
    project.write("where.js", `console.log(import.meta.resolve("@pawl/core/model/HostLabel"))`)
    expect(project.run("node", "where.js").output).toContain(`${project.folder}/node_modules/@pawl/core/dist/model/`)
  })

  it("type-checks a strict consumer, and every declaration that it reaches", () => {
    expect(problemsOf("typed.ts")).toEqual([])
    expect(problemsOf("everything.ts")).toEqual([])
  })

  it("lets an adapter's author run a contract suite, and an agent's author the scenes of edits", () => {
    project.write("mine.test.js", contractUse)
    project.write("scenes.test.js", scenesUse)
    const { status, output } = project.run("node", "node_modules/vitest/vitest.mjs", "run", "--no-color")
    // The scenes of edits lie beside the sources, and were packed with them.
    const [, count = "0"] = /Tests +(\d+) passed/.exec(output) ?? []
    expect(Number(count)).toBeGreaterThan(40)
    expect(output).toMatch(/Test Files +2 passed/)
    expect(status).toBe(0)
  })

  it.skipIf(!server)(
    "offers the HTTP contract and the command of server (needs packages/server/src/api/index.ts)",
    () => {
      project.write("api.js", `console.log(Object.keys(await import("@pawl/server/api")).length > 0)`)
      expect(project.run("node", "api.js")).toEqual({ status: 0, output: "true\n" })
      expect(problemsOf("api.ts")).toEqual([])
      const command = join(project.folder, "node_modules/.bin/pawl")
      expect(statSync(command).mode & 0o111).toBe(0o111)
      const { status, output } = project.run(command, "--help")
      expect(output).toContain("pawl")
      expect(status).toBe(0)
    }
  )
})
