import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { promisify } from "node:util"
import { keyProblem } from "@pawl/core/objects/ObjectStore"
import { parsePawlFile } from "@pawl/core/project/PawlFile"
import { readTemplate } from "@pawl/server/node/TemplateFolder"
import { depth } from "@pawl/testing/Depth"
import { Result } from "effect"
import { beforeAll, describe, expect, it } from "vitest"

const execute = promisify(execFile)
const read = async (template: "react" | "shop"): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    Object.entries(await readTemplate(template)).flatMap(([path, text]) =>
      typeof text === "string" ? [[path, text] as const] : []
    )
  )

interface Lock {
  readonly lockfileVersion: number
  readonly packages: Readonly<
    Record<
      string,
      {
        version?: string
        resolved?: string
        integrity?: string
        /** It comes within the tarball of the package around it. */
        inBundle?: boolean
        hasInstallScript?: boolean
        optional?: boolean
      }
    >
  >
}

describe("template react", () => {
  let files: Readonly<Record<string, string>>
  beforeAll(async () => {
    files = await read("react")
  })
  const text = (path: string) => files[path] ?? ""

  it("is an ordinary Vite project with paths that any tree may hold", () => {
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining(["index.html", "package-lock.json", "package.json", "vite.config.ts", "wrangler.jsonc"])
    )
    for (const path of Object.keys(files)) expect(keyProblem(path)).toBe(undefined)
  })

  it("names checks and probes in a pawl.json that Pawl reads", () => {
    const pawl = Result.getOrThrow(parsePawlFile(text("pawl.json")))
    expect(pawl.checks.map(({ id, command, required }) => ({ id, command, required }))).toEqual([
      { id: "test", command: "vitest run", required: true },
      { id: "types", command: "tsc --noEmit", required: true }
    ])
    expect(pawl.probes).toEqual([
      { path: "/", status: 200 },
      { path: "/api/notes", status: 200, json: true }
    ])
  })

  it("has a lock of the public registry's packages alone, each with its SHA-512, that fits its package.json", () => {
    const lock: Lock = JSON.parse(text("package-lock.json"))
    const manifest: Record<"dependencies" | "devDependencies", Record<string, string>> = JSON.parse(
      text("package.json")
    )
    expect(lock.lockfileVersion).toBe(3)
    const { "": root, ...packages } = lock.packages
    expect(root).toMatchObject({ dependencies: manifest.dependencies, devDependencies: manifest.devDependencies })
    for (const entry of Object.values(packages)) {
      if (entry.inBundle === true) continue
      expect(entry.resolved).toMatch(/^https:\/\/registry\.npmjs\.org\//)
      expect(entry.integrity).toMatch(/^sha512-/)
      expect(entry.hasInstallScript === true && entry.optional !== true).toBe(false)
    }
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }))
      expect(packages[`node_modules/${name}`]?.version).toBe(version)
  })

  it("has the fake identity of the shop, with a cookie of its own", async () => {
    const shop = (await read("shop"))["src/identity/index.ts"] ?? ""
    expect(text("src/identity/index.ts")).toBe(shop.replace("shop_user", "notes_user"))
  })
})

// Its packages come from a registry, so this is for the deep run.
it.each(depth === "quick" ? [] : [depth])(
  "template react builds, and passes its own tests and types, when no script of a package has run",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "template-react-"))
    try {
      for (const [path, content] of Object.entries(await read("react"))) {
        await mkdir(dirname(join(folder, path)), { recursive: true })
        await writeFile(join(folder, path), content)
      }
      // vitest marks its processes as tests: nothing of that goes along. Node is the one that the packages fit.
      const marks = /^(?:VITEST|TEST|NODE_ENV|npm_)/
      const kept = Object.entries(process.env).filter(([name]) => !marks.test(name))
      const PATH = [join(folder, "node_modules/.bin"), dirname(process.execPath), process.env["PATH"] ?? ""]
      const env = { ...Object.fromEntries(kept), PATH: PATH.join(delimiter) }
      const run = (command: string, ...args: ReadonlyArray<string>) => execute(command, args, { cwd: folder, env })
      await run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
      expect((await run("vite", "build")).stdout).toContain("dist/client/index.html")
      expect((await run("vitest", "run")).stdout).toMatch(/Tests\s+.*10 passed/)
      expect((await run("tsc", "--noEmit")).stdout).toBe("")
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
  300_000
)
