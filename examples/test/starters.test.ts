import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { depth } from "@pawl/testing/Depth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  createProject,
  edit,
  evidence,
  gated,
  liveApp,
  openChange,
  promote,
  released,
  requestCandidate,
  until
} from "../../packages/server/test/e2e/kit/Flow.ts"
import { type Registry, startRegistry } from "../../packages/server/test/e2e/kit/Registry.ts"
import { startServer, type ServerProcess, temporaryFolder } from "../../packages/server/test/e2e/kit/ServerProcess.ts"
import { type Visit, visit } from "../../packages/server/test/e2e/kit/Visit.ts"

const home = fileURLToPath(new URL("../05-starters/", import.meta.url))
const names = readdirSync(home, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))

interface NpmLock {
  readonly lockfileVersion: number
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly resolved?: string
        readonly integrity?: string
        /** It comes within the tarball of the package around it. */
        readonly inBundle?: boolean
      }
    >
  >
}

/** What of a package-lock.json is not the public registry's, or has no SHA-512. */
const npmProblems = (text: string): ReadonlyArray<string> => {
  const { lockfileVersion, packages }: NpmLock = JSON.parse(text)
  const { "": _root, ...rest } = packages
  return [
    ...(lockfileVersion === 3 ? [] : [`version ${lockfileVersion}`]),
    ...Object.entries(rest).flatMap(([path, { inBundle, integrity = "", resolved = "" }]) =>
      inBundle === true || (resolved.startsWith("https://registry.npmjs.org/") && integrity.startsWith("sha512-"))
        ? []
        : [path]
    )
  ]
}

describe("a starter", () => {
  it("is there for each kind of project that the documentation names", () => {
    expect(names.length).toBeGreaterThanOrEqual(12)
  })

  it.each(names)("%s has a lock of the public registry's packages alone, each with its SHA-512", (name) => {
    const npm = join(home, name, "package-lock.json")
    if (existsSync(npm)) {
      expect(npmProblems(readFileSync(npm, "utf8"))).toEqual([])
      return
    }
    const pnpm = readFileSync(join(home, name, "pnpm-lock.yaml"), "utf8")
    expect(pnpm).toMatch(/^lockfileVersion: '9\.0'$/m)
    const resolutions = [...pnpm.matchAll(/^ {4}resolution: (.+)$/gm)].map(([, resolution]) => resolution)
    expect(resolutions.length).toBeGreaterThan(10)
    for (const resolution of resolutions) expect(resolution).toMatch(/^\{integrity: sha512-[\w+/=]+\}$/)
  })
})

interface Diff {
  readonly files: ReadonlyArray<{ readonly path: string; readonly patch: string }>
  readonly packages: ReadonlyArray<object>
}

/** The files of a starter as they lie there. */
const filesOf = (name: string): Readonly<Record<string, string>> => {
  const folder = join(home, name)
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [relative(folder, path).split(sep).join("/"), readFileSync(path, "utf8")]
    })
  )
}

interface Starter {
  /** What its first page holds. */
  readonly page: RegExp
  /** What else it answers, by path. */
  readonly paths?: Readonly<Record<string, { readonly ask?: Visit; readonly status?: number; readonly text: RegExp }>>
  /** The checks of a Change beside the build: scripts of its package.json. */
  readonly checks?: ReadonlyArray<string>
}

/** A page whose script was built: its own routes are the page, its files are files. */
const client = (title: string): Starter => ({
  page: new RegExp(`<title>${title}</title>[^]*src="/assets/index-[\\w-]+\\.js"`),
  paths: {
    "/own/route": { ask: { headers: { accept: "text/html", "sec-fetch-mode": "navigate" } }, text: /<title>/ }
  }
})

const starters: Readonly<Record<string, Starter>> = {
  "astro-server": {
    page: /<h1[^>]*>Hello, visitor<\/h1>/,
    paths: {
      "/?name=Ida": { text: /Hello, Ida/ },
      "/api/echo": {
        ask: { method: "POST", body: "hi", headers: { "content-type": "text/plain", origin: "self" } },
        text: /^\{"said":"hi"\}$/
      },
      "/favicon.svg": { text: /<svg/ }
    }
  },
  "astro-static": {
    page: /<h1[^>]*>Astro, static<\/h1>/,
    paths: {
      "/about/": { text: /About/ },
      "/rivers.json": { text: /^\["Elbe"/ },
      "/nothing": { status: 404, text: /There is no such page/ }
    }
  },
  eleventy: {
    page: /<h1>FIELD NOTES<\/h1>/,
    paths: {
      "/notes/heron/": { text: /It stood in the reeds/ },
      "/style.css": { text: /Georgia/ },
      "/nothing": { status: 404, text: /There is no such note/ }
    }
  },
  "hono-jsx": { page: /<h1>Hello Hono!<\/h1>/, paths: { "/api/time": { text: /"zone":"UTC"/ } } },
  "hono-vite": {
    page: /href="\/assets\/style-[\w-]+\.css"[^]*<h1>Hello!<\/h1>/,
    paths: { "/api/hello": { text: /^\{"hello":"Hono"\}$/ }, "/robots.txt": { text: /^User-agent/ } }
  },
  "react-router": {
    page: /<h1>Hello, (?:<!-- -->)?visitor<\/h1>/,
    paths: {
      "/?name=Ida": { text: /Hello, (?:<!-- -->)?Ida/ },
      "/api/rivers": { text: /^\["Elbe"/ },
      "/nothing": { status: 404, text: /There is no such page/ }
    },
    checks: ["typecheck"]
  },
  "solid-start": {
    page: /<h1[^>]*>Hello, (?:<!--.*?-->)?visitor/,
    paths: {
      "/?name=Ida": { text: /Hello, (?:<!--.*?-->)?Ida/ },
      "/api/rivers": { text: /^\["Elbe"/ },
      "/robots.txt": { text: /^User-agent/ },
      "/nothing": { status: 404, text: /There is no such page/ }
    }
  },
  "tanstack-start": {
    page: /<h1>Hello, (?:<!-- -->)?visitor<\/h1>[^]*Served by (?:<!-- -->)?tanstack-start\.apps\.localhost/,
    paths: {
      "/?name=Ida": { text: /Hello, (?:<!-- -->)?Ida/ },
      "/api/rivers": { text: /^\["Elbe"/ },
      "/robots.txt": { text: /^User-agent/ },
      "/nothing": { status: 404, text: /There is no such page/ }
    }
  },
  "typescript-vitest": {
    page: /miles\?km=5/,
    paths: { "/miles?km=5": { text: /^\{"miles":3\.11\}$/ }, "/miles?km=far": { status: 400, text: /km is a number/ } },
    checks: ["test", "typecheck"]
  },
  "vite-pnpm": { page: /<title>Vite and Lit<\/title>[^]*src="\/assets\/index-[\w-]+\.js"/ },
  "vite-preact": client("Vite and Preact"),
  "vite-react": client("Vite and React"),
  "vite-solid": client("Vite and Solid"),
  "vite-svelte": client("Vite and Svelte"),
  "vite-vue": client("Vite and Vue")
}

const goesLive = async (server: ServerProcess, name: string) => {
  const { checks = [], page, paths = {} } = starters[name] ?? { page: /^$/ }
  const files = filesOf(name)
  const { id } = await createProject(server.api, name, files)
  const { app } = await until(
    () => server.api.get<{ app: { status: string; reason: string | null } | null }>(`/v1/projects/${id}/app`),
    (answer) => answer.app !== null && answer.app.status !== "building"
  )
  expect(app).toMatchObject({ status: "live", reason: null })
  expect((await visit(server, name, "/")).text).toMatch(page)
  for (const [path, { ask, status = 200, text }] of Object.entries(paths)) {
    const own = `http://${name}.apps.localhost:${server.port}`
    const headers = Object.entries(ask?.headers ?? {}).map(([key, value]) => [key, value === "self" ? own : value])
    const answer = await visit(server, name, path, { ...ask, headers: Object.fromEntries(headers) })
    expect({ path, status: answer.status, text: answer.text }).toEqual({
      path,
      status,
      text: expect.stringMatching(text)
    })
  }
  const change = await openChange(server.api, id, "a note")
  await edit(server.api, change, { "NOTES.md": "A note.\n" })
  const candidate = await gated(server.api, (await requestCandidate(server.api, change)).id)
  const found = await evidence(server.api, candidate.id)
  expect(
    Object.fromEntries(found.map(({ checkId, result, summary }) => [checkId, result === "pass" ? result : summary]))
  ).toEqual(Object.fromEntries(["build", ...checks].map((check) => [check, "pass"])))
  await promote(server.api, candidate.id)
  expect(await released(server.api, id, 1)).toMatchObject({ status: "deployed" })
  await liveApp(server.api, id, 1)
  expect((await visit(server, name, "/")).text).toMatch(page)
}

// Their packages come from a registry, so these are for the deep run.
describe.each(depth === "quick" ? [] : [depth])(
  "A project as its framework's starter makes it goes live unchanged, and so does a change of it",
  () => {
    const folder = temporaryFolder()
    let registry: Registry
    let server: ServerProcess
    beforeAll(async () => {
      registry = await startRegistry()
      server = await startServer({ data: folder.path, environment: { PAWL_NPM_REGISTRY: registry.url } })
    })
    afterAll(async () => {
      await server.stop()
      await registry.stop()
      folder.remove()
    })

    it("each of those that are there", () => {
      expect(Object.keys(starters)).toEqual(names.toSorted())
    })

    it.each(names)("%s", (name) => goesLive(server, name), 600_000)

    it("the one of pnpm with a package that a Change adds, whose lock pnpm makes", async () => {
      const name = "pnpm-adds"
      const files = filesOf("vite-pnpm")
      const { id } = await createProject(server.api, name, files)
      await liveApp(server.api, id, 0)
      const change = await openChange(server.api, id, "a package")
      const manifest = (files["package.json"] ?? "").replace(
        '"dependencies": {',
        '"dependencies": {\n    "clsx": "2.1.1",'
      )
      await edit(server.api, change, { "package.json": manifest })
      const candidate = await gated(server.api, (await requestCandidate(server.api, change)).id)
      expect(candidate).toMatchObject({ status: "verified", derived: [{ path: "pnpm-lock.yaml", why: "made" }] })
      const { files: changed, packages } = await server.api.get<Diff>(`/v1/candidates/${candidate.id}/diff`)
      expect(packages).toMatchObject([{ name: "clsx", from: null, to: "2.1.1" }])
      const lines = (changed.find(({ path }) => path === "pnpm-lock.yaml")?.patch ?? "").split("\n")
      expect(lines.filter((line) => /^-(?!--)/.test(line))).toEqual([])
      expect(lines.filter((line) => /^\+ {2}\S/.test(line))).toEqual(["+  clsx@2.1.1:", "+  clsx@2.1.1: {}"])
      await promote(server.api, candidate.id)
      await liveApp(server.api, id, 1)
    }, 600_000)
  }
)
