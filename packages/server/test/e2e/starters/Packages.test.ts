import { rmSync } from "node:fs"
import { readTemplate } from "@pawl/server/node/TemplateFolder"
import { depth } from "@pawl/testing/Depth"
import { integrityOf, packageEntries, tgzOf } from "@pawl/testing/registry/Archives"
import * as LittleRegistry from "@pawl/testing/registry/LittleRegistry"
import { describe, expect, it } from "vitest"
import { createProject, until } from "../kit/Flow.ts"
import { startRegistry } from "../kit/Registry.ts"
import { startServer, temporaryFolder } from "../kit/ServerProcess.ts"
import { visit } from "../kit/Visit.ts"
import { tell } from "./PackageStory.ts"

/** A framework in a few lines: its command makes a page, and its library is what an app imports. */
const build = `#!/usr/bin/env node
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { greeting } from "tiny-greeting"
const name = readFileSync("src/name.txt", "utf8").trim()
if (process.argv[2] === "check") process.exit(name === "" ? 1 : 0)
mkdirSync("dist", { recursive: true })
writeFileSync("dist/index.html", "<h1>" + greeting(name) + "</h1>")
`
const packages = [
  {
    name: "tiny-greeting",
    version: "1.2.0",
    dev: false,
    archive: tgzOf(
      packageEntries(
        "tiny-greeting",
        "1.2.0",
        { "a.js": "export const greeting = (name) => `Good day, ${name}`\n" },
        { type: "module", exports: "./a.js" }
      )
    )
  },
  {
    name: "tiny-build",
    version: "0.3.1",
    dev: true,
    archive: tgzOf(
      packageEntries(
        "tiny-build",
        "0.3.1",
        { "bin.js": build },
        { type: "module", bin: { "tiny-build": "bin.js" }, dependencies: { "tiny-greeting": "^1.0.0" } }
      )
    )
  }
]

const manifest = {
  name: "tiny",
  private: true,
  type: "module",
  scripts: { build: "tiny-build", test: "tiny-build check" },
  dependencies: { "tiny-greeting": "^1.0.0" },
  devDependencies: { "tiny-build": "^0.3.0" }
}
const lock = {
  name: "tiny",
  lockfileVersion: 3,
  requires: true,
  packages: {
    "": { name: "tiny", dependencies: manifest.dependencies, devDependencies: manifest.devDependencies },
    ...Object.fromEntries(
      packages.map(({ archive, dev, name, version }) => [
        `node_modules/${name}`,
        {
          version,
          resolved: `https://registry.npmjs.org/${name}/-/${name}-${version}.tgz`,
          integrity: integrityOf(archive),
          ...(dev ? { dev, bin: { "tiny-build": "bin.js" }, dependencies: { "tiny-greeting": "^1.0.0" } } : {})
        }
      ])
    )
  }
}
const files = {
  "package.json": JSON.stringify(manifest),
  "package-lock.json": JSON.stringify(lock),
  "wrangler.json": JSON.stringify({
    name: "tiny",
    main: "src/index.ts",
    compatibility_date: "2026-07-01",
    assets: { directory: "./dist" }
  }),
  "src/index.ts": `import { greeting } from "tiny-greeting"\nexport default { fetch: () => Response.json({ said: greeting("API") }) }\n`,
  "src/name.txt": "Ida\n"
}

describe("A Project with packages", () => {
  it("is installed, built, checked, promoted and served, and built again to the same bytes without its registry", async () => {
    const folder = temporaryFolder()
    const registry = await LittleRegistry.open(...packages)
    try {
      await tell({
        data: folder.path,
        slug: "tiny",
        files,
        registry: registry.url,
        stopRegistry: registry.close,
        edited: { "src/name.txt": "Otto\n" },
        checks: ["test"],
        before: /<h1>Good day, Ida<\/h1>/,
        after: /<h1>Good day, Otto<\/h1>/,
        api: { path: "/api", text: /^\{"said":"Good day, API"\}$/ }
      })
    } finally {
      folder.remove()
    }
  })
})

/** None in a quick run. */
const deeply = depth === "quick" ? [] : [depth]

const template = async (): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    Object.entries(await readTemplate("react")).flatMap(([path, text]) =>
      typeof text === "string" ? [[path, text] as const] : []
    )
  )

// How long it waits doubles with each try: this takes a while.
it.each(deeply)(
  "A Project with packages waits for a registry that is away, says so, and goes live when it is back",
  async () => {
    const folder = temporaryFolder()
    const registry = await LittleRegistry.open(...packages)
    registry.misbehave((_request, response) => {
      response.writeHead(503).end()
      return true
    })
    const server = await startServer({ data: folder.path, environment: { PAWL_NPM_REGISTRY: registry.url } })
    try {
      const { id } = await createProject(server.api, "patient", files)
      const app = () =>
        server.api.get<{ app: { status: string; reason: string | null } | null }>(`/v1/projects/${id}/app`)
      await until(
        async () => registry.asked().length,
        (asked) => asked > 0
      )
      await until(
        async () => server.log(),
        (log) => /packages cannot be had now/.test(log)
      )
      expect((await app()).app?.status).toBe("building")
      registry.misbehave(null)
      await until(app, (answer) => answer.app !== null && answer.app.status !== "building")
      expect((await app()).app).toMatchObject({ status: "live" })
      expect((await visit(server, "patient", "/")).text).toContain("Good day, Ida")
    } finally {
      await server.stop()
      await registry.close()
      folder.remove()
    }
  }
)

// Its packages come from a registry, so this is for the deep run.
it.each(deeply)(
  "Vite, React and hono, against a real registry: installed, built, checked, promoted, served, and built again without it",
  async () => {
    const folder = temporaryFolder()
    const registry = await startRegistry()
    const source = await template()
    const page = source["src/client/App.tsx"] ?? ""
    try {
      await tell({
        data: folder.path,
        slug: "notes",
        files: source,
        registry: registry.url,
        stopRegistry: registry.stop,
        edited: { "src/client/App.tsx": page.replace("That did not work.", "It did not work this time.") },
        checks: ["test", "types"],
        before: /That did not work\./,
        after: /It did not work this time\./,
        api: { path: "/api/notes", text: /"notes":\[\]/ }
      })
    } finally {
      rmSync(folder.path, { recursive: true, force: true })
    }
  },
  600_000
)
