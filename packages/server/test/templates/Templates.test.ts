import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { keyProblem } from "@pawl/core/objects/ObjectStore"
import { parsePawlFile } from "@pawl/core/project/PawlFile"
import type { FileEdits } from "@pawl/core/project/Repositories"
import { type TemplateName, Templates } from "@pawl/core/project/Templates"
import { layer as builderLayer } from "@pawl/adapters-local/builder/bundler/EsbuildAppBuilder"
import { layer } from "@pawl/server/node/TemplateFolder"
import { buildJob, buildOnce, type Tree } from "@pawl/testing/contracts/apps/AppBuilderContract"

const execute = promisify(execFile)
const filesOf = (template: TemplateName) =>
  Effect.runPromise(Effect.flatMap(Templates, (templates) => templates.files(template)).pipe(Effect.provide(layer)))
const textOf = (files: FileEdits, path: string): string => {
  const content = files[path]
  return typeof content === "string" ? content : ""
}
const bytes = (files: FileEdits): Tree =>
  Object.fromEntries(
    Object.entries(files).flatMap(([path, content]) =>
      content === null
        ? []
        : [
            [
              path,
              typeof content === "string" ? content : new Uint8Array(Buffer.from(content.base64, "base64"))
            ] as const
          ]
    )
  )

/** The template alone in a folder of its own, as a check sees it. */
const inFolder = async <A>(template: TemplateName, use: (folder: string) => Promise<A>): Promise<A> => {
  const folder = await mkdtemp(join(tmpdir(), `template-${template}-`))
  try {
    for (const [path, content] of Object.entries(bytes(await filesOf(template)))) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), content)
    }
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

describe.each(["shop", "blank"] as const)("template %s", (template) => {
  it("is an ordinary Worker project with paths that any tree may hold", async () => {
    const files = await filesOf(template)
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining(["package.json", "pawl.json", "wrangler.jsonc", "src/index.ts", "public/style.css"])
    )
    for (const path of Object.keys(files)) expect(keyProblem(path)).toBe(undefined)
    expect(JSON.parse(textOf(files, "package.json"))).toMatchObject({
      name: template,
      private: true,
      type: "module",
      scripts: { test: "node --test" }
    })
  })

  it("names checks and probes in a pawl.json that Pawl reads", async () => {
    const pawl = Result.getOrThrow(parsePawlFile(textOf(await filesOf(template), "pawl.json")))
    expect(pawl.checks.map(({ id, command, required }) => ({ id, command, required }))).toEqual([
      { id: "test", command: "node --test", required: true }
    ])
    const root = { path: "/", status: 200 }
    expect(pawl.probes).toEqual(
      template === "shop" ? [root, { path: "/api/products", status: 200, json: true }] : [root]
    )
  })

  it("passes its own tests on its own, with nothing installed", async () => {
    const stdout = await inFolder(template, async (folder) => {
      // vitest marks its processes as tests, and `node --test` would then report to it instead of running.
      const env = { PATH: process.env["PATH"] ?? "", HOME: folder }
      return (await execute(process.execPath, ["--test", "--test-reporter=tap"], { cwd: folder, env })).stdout
    })
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(template === "shop" ? 20 : 1)
    expect(stdout).toMatch(/^# fail 0$/m)
    expect(stdout).toMatch(/^# skipped 0$/m)
  })

  it("type-checks", async () => {
    const manifest = createRequire(import.meta.url).resolve("typescript/package.json")
    await inFolder(template, (folder) => execute(process.execPath, [join(dirname(manifest), "bin/tsc"), "-p", folder]))
  })

  it("builds without a problem or a warning", async () => {
    const result = await Effect.runPromise(
      Effect.provide(buildOnce(buildJob(bytes(await filesOf(template)))), builderLayer({ spare: false }))
    )
    expect(result).toMatchObject({
      _tag: "Built",
      warnings: [],
      bundle: { mainModule: "index.js", compatibilityDate: "2026-07-01", assets: { directory: "public" } }
    })
    if (result._tag === "Built") expect([...result.assets.keys()]).toContain("style.css")
  })
})

describe("the shop's module", () => {
  it("answers its probes once it is built", async () => {
    const result = await Effect.runPromise(
      Effect.provide(buildOnce(buildJob(bytes(await filesOf("shop")))), builderLayer({ spare: false }))
    )
    const code = result._tag === "Built" ? (result.bundle.modules["index.js"]?.content ?? "") : ""
    const shop: { default: { fetch: (request: Request, env: object) => Promise<Response> } } = await import(
      /* @vite-ignore */ `data:text/javascript;base64,${Buffer.from(code).toString("base64")}`
    )
    const env = { DATA: { get: async () => null, put: async () => {}, delete: async () => {} } }
    expect((await shop.default.fetch(new Request("http://shop.localhost/"), env)).status).toBe(200)
    const products = await shop.default.fetch(new Request("http://shop.localhost/api/products"), env)
    expect(products.status).toBe(200)
    expect(await products.json()).toMatchObject({ products: expect.any(Array) })
  })
})
