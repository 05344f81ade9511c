/**
 * Bundles that are not whole, on SQLite and files for real: the process is killed between the assets and `bundle.json`,
 * and stored objects are cut, changed, swapped and taken away. A visitor sees the right bytes or a page, nothing else.
 */
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { slice } from "@pawl/testing/Depth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Flow from "../e2e/kit/Flow.ts"
import { type ServerProcess, startServer } from "../e2e/kit/ServerProcess.ts"
import { newFolder, removeFolders } from "./Crashing.ts"
import type { ChangeJson } from "@pawl/server/api/RecordSchemas"

const program = fileURLToPath(new URL("./key-crash-server.ts", import.meta.url))
const names = ["a.txt", "b.txt", "deep/c.txt"] as const
const filesOf = (version: string): Record<string, string> => ({
  ...Flow.source(version),
  ...Object.fromEntries(names.map((name) => [`public/${name}`, `${version} of ${name}`]))
})

/** Started here; one that a failed test left behind ends with the others. */
const started: Array<ServerProcess> = []
const start = async (options: Parameters<typeof startServer>[0]): Promise<ServerProcess> => {
  const server = await startServer(options)
  started.push(server)
  return server
}
afterAll(async () => {
  await Promise.all(started.map((server) => server.stop("SIGKILL")))
  removeFolders()
})

/** The files of objects whose key has all of these parts, with their whole paths. */
const objects = (folder: string, ...parts: ReadonlyArray<string>): ReadonlyArray<string> =>
  readdirSync(join(folder, "objects"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => parts.every((part) => path.includes(part)))

interface Seen {
  readonly name: string
  readonly status: number
  readonly text: string
}

/** Visits every file of a host again and again until it is told to stop, and leaves the server room to work. */
const watch = (server: ServerProcess, origin: string) => {
  const seen: Array<Seen> = []
  let going = true
  const done = (async () => {
    while (going)
      for (const name of ["", ...names]) {
        const { status, text } = await server.api.page(`${origin}${name}`)
        seen.push({ name, status, text })
        await pause(20)
      }
  })()
  return {
    seen,
    stop: () => {
      going = false
      return done
    }
  }
}

/** What is neither the bytes of a version that may be seen nor a page of 404 or 503. */
const wrong = (seen: ReadonlyArray<Seen>, versions: ReadonlyArray<string>): ReadonlyArray<Seen> =>
  seen.filter(({ name, status, text }) =>
    status === 200
      ? !versions.some((version) => text === (name === "" ? version : `${version} of ${name}`))
      : !(status === 404 || status === 503) || !text.startsWith("<!doctype html>")
  )

describe("A build whose process is killed", () => {
  let base: string
  let project: { readonly id: string; readonly label: string }
  let change: ChangeJson

  beforeAll(async () => {
    base = join(newFolder(), "data")
    const server = await start({ data: base })
    project = await Flow.createProject(server.api, "half", filesOf("one"))
    await Flow.liveApp(server.api, project.id, 0)
    change = await Flow.openChange(server.api, project.id, "half")
    const { "src/index.js": code, ...rest } = filesOf("two")
    await Flow.edit(server.api, change, {
      "src/index.js": code,
      ...Object.fromEntries(names.map((name) => [`public/${name}`, rest[`public/${name}`]]))
    })
    await server.stop()
  }, 60_000)

  const places = [
    ["after /assets/deep/c.txt", 1, 0],
    ["before /bundle.json", 3, 0],
    ["after /bundle.json", 3, 1]
  ] as const

  it.each(slice(places, { quick: 1 }))(
    "%s is never served by halves, neither before nor after the next start",
    async (place, assets, bundles) => {
      const data = join(newFolder(), "data")
      cpSync(base, data, { recursive: true })
      const victim = await start({ data, program, environment: { PAWL_CRASH_KEY: place } })
      const asked = Flow.requestCandidate(victim.api, change).catch(() => null)
      expect(await victim.ended).toBe("SIGKILL")
      await asked
      // The crash was where it was meant to be.
      expect(objects(data, "app-previews", "/assets/").length).toBeGreaterThanOrEqual(assets)
      expect(objects(data, "app-previews", "bundle.json")).toHaveLength(bundles)

      const server = await start({ data })
      const candidate = await Flow.requestCandidate(server.api, change)
      const origin = (host: string) => `http://${host}.apps.localhost:${server.port}/`
      const previewHost = `${candidate.id.slice("cand_".length, "cand_".length + 8)}--${project.label}`
      const production = watch(server, origin(project.label))
      const preview = watch(server, origin(previewHost))
      expect((await Flow.gated(server.api, candidate.id)).status).toBe("verified")
      await Flow.until(
        () => server.api.page(`${origin(previewHost)}a.txt`),
        ({ status }) => status === 200
      )
      await Flow.promote(server.api, candidate.id)
      await Flow.liveApp(server.api, project.id, 1)
      for (const name of names)
        expect((await server.api.page(`${origin(project.label)}${name}`)).text).toBe(`two of ${name}`)
      await production.stop()
      await preview.stop()
      expect(wrong(production.seen, ["one", "two"])).toEqual([])
      expect(production.seen.every(({ status }) => status === 200)).toBe(true)
      expect(wrong(preview.seen, ["two"])).toEqual([])
      expect(await server.stop()).toBe(0)
    }
  )
})

describe("A stored bundle", () => {
  const harms: Readonly<Record<string, (folder: string, id: string, other: string) => void>> = {
    "an asset that is cut short": (folder, id) =>
      objects(folder, id, "/assets/a.txt").forEach((path) => truncateSync(path, 3)),
    "an asset with other bytes of the same length": (folder, id) =>
      objects(folder, id, "/assets/a.txt").forEach((path) =>
        writeFileSync(path, readFileSync(path, "utf8").replace("one", "eno"))
      ),
    "an asset that is longer": (folder, id) =>
      objects(folder, id, "/assets/a.txt").forEach((path) => writeFileSync(path, "one of a.txt and more")),
    "an asset that is gone": (folder, id) => objects(folder, id, "/assets/a.txt").forEach((path) => rmSync(path)),
    "a bundle.json that is gone": (folder, id) => objects(folder, id, "bundle.json").forEach((path) => rmSync(path)),
    "a bundle.json that is cut short": (folder, id) =>
      objects(folder, id, "bundle.json").forEach((path) => truncateSync(path, 100)),
    "a bundle.json of another commit": (folder, id, other) =>
      objects(folder, id, "bundle.json").forEach((path) => cpSync(objects(folder, other, "bundle.json")[0]!, path))
  }
  const projects = new Map<string, string>()
  let server: ServerProcess

  beforeAll(async () => {
    const data = join(newFolder(), "data")
    const first = await start({ data })
    for (const [index, harm] of ["nothing", ...Object.keys(harms)].entries())
      projects.set(harm, (await Flow.createProject(first.api, `p-${index}`, filesOf("one"))).id)
    for (const id of projects.values()) await Flow.liveApp(first.api, id, 0)
    await first.stop()
    for (const [harm, hurt] of Object.entries(harms)) {
      hurt(data, projects.get(harm)!, projects.get("nothing")!)
    }
    server = await start({ data })
  })
  afterAll(() => server.stop())

  const visit = async (harm: string) => {
    const app = await Flow.liveApp(server.api, projects.get(harm)!, 0)
    const seen: Array<Seen> = []
    for (const name of ["", ...names, ""]) seen.push({ name, ...(await server.api.page(`${app.url}${name}`)) })
    return seen
  }

  it("that nobody touched is served", async () => {
    expect((await visit("nothing")).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  })

  it.each(Object.keys(harms))("with %s gives a 503 page for it, never a wrong byte", async (harm) => {
    const seen = await visit(harm)
    expect(wrong(seen, ["one"])).toEqual([])
    const expected = harm.startsWith("an asset") ? [200, 503, 200, 200, 200] : [503, 503, 503, 503, 503]
    expect(seen.map(({ status }) => status)).toEqual(expected)
  })
})
