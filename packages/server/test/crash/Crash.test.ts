/**
 * The process is killed with SIGKILL at every place of compose, verify, promote and release, and started again on the
 * same folder. The list of places is recorded from a run of the real server, so none is forgotten.
 */
import { cpSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Change } from "@pawl/core/change/Change"
import type { Event } from "@pawl/core/event/Event"
import * as Flow from "../e2e/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../e2e/ServerProcess.ts"

const program = fileURLToPath(new URL("./crash-server.ts", import.meta.url))
const folders: Array<{ readonly remove: () => void }> = []
const newFolder = () => {
  const folder = temporaryFolder()
  folders.push(folder)
  return folder.path
}

interface Prepared {
  readonly folder: string
  readonly projectId: string
  readonly change: Change
}

/** A live Project with a Change that has its ChangeSet: what comes next is compose, verify, promote and release. */
const prepare = async (): Promise<Prepared> => {
  const folder = join(newFolder(), "data")
  const server = await startServer({ data: folder })
  const project = await Flow.createProject(server.api, "crash")
  await Flow.liveApp(server.api, project.id, 0)
  const change = await Flow.openChange(server.api, project.id, "crash")
  await Flow.edit(server.api, change, { "src/index.js": Flow.source("two")["src/index.js"], "public/new.txt": "new" })
  expect(await server.stop()).toBe(0)
  return { folder, projectId: project.id, change }
}

const crashing = (data: string, environment: Readonly<Record<string, string>>) =>
  startServer({ data, program, environment })

/** What a client has learned so far. A request whose answer it never got, it sends again. */
interface Client {
  candidateId?: string
}

/** A client's way to the end. */
const drive = async (server: ServerProcess, prepared: Prepared, client: Client = {}) => {
  client.candidateId ??= (await Flow.requestCandidate(server.api, prepared.change)).id
  const verified = await Flow.gated(server.api, client.candidateId)
  expect(verified).toMatchObject({ status: expect.stringMatching(/verified|promoted/), reason: null })
  const promoted = await Flow.promote(server.api, client.candidateId)
  return { candidate: verified, promoted, release: await Flow.released(server.api, prepared.projectId, 1) }
}

const lines = (path: string): ReadonlyArray<string> =>
  existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : []

/** Every place that a run without a crash passes. */
const recordPlaces = async (prepared: Prepared): Promise<ReadonlyArray<string>> => {
  const base = newFolder()
  cpSync(prepared.folder, join(base, "data"), { recursive: true })
  const record = join(base, "places")
  const server = await crashing(join(base, "data"), { PAWL_CRASH_RECORD: record })
  await drive(server, prepared)
  await server.stop()
  return lines(record)
}

/** As if nothing had happened: one generation, one row of evidence for each check, a dense and truthful story. */
const judge = async (server: ServerProcess, prepared: Prepared, client: Client) => {
  const { candidate, promoted, release } = await drive(server, prepared, client)
  expect(promoted).toMatchObject({ generation: 1, tree: candidate.tree, sourceSynced: true })
  expect(release).toMatchObject({ status: "deployed", generation: 1 })
  const checks = (await Flow.evidence(server.api, candidate.id)).map((row) => `${row.checkId} ${row.result}`)
  expect(checks.toSorted()).toEqual(["build pass", "test pass"])
  const { items } = await server.api.get<{ items: ReadonlyArray<Event> }>(
    `/v1/projects/${prepared.projectId}/events?limit=100`
  )
  expect(items.map((event) => event.sequence)).toEqual(items.map((_, index) => index + 1))
  const once = [
    "candidate.composed",
    "candidate.verified",
    "canonical.promotion.requested",
    "canonical.advanced",
    "build.started",
    "build.completed",
    "deployment.completed",
    "change.completed"
  ]
  for (const type of once) expect(`${type} ${items.filter((event) => event.type === type).length}`).toBe(`${type} 1`)
  const app = await Flow.liveApp(server.api, prepared.projectId, 1)
  expect((await server.api.page(app.url)).text).toBe("two")
  expect((await server.api.page(`${app.url}new.txt`)).text).toBe("new")
}

/** The steps whose evidence was stored before the crash, and what would run them again. */
const ranAgain = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<string> => {
  const finished = (check: string) =>
    before.some(
      (place) =>
        place.startsWith("Ledger.commit(Verification.evidence") &&
        place.includes(`check:${check}@`) &&
        place.endsWith(":after")
    )
  return [
    ...(finished("build") && after.includes("AppBuilder.start:before") ? ["build"] : []),
    ...(finished("test") && after.includes("Sandbox.start:before") ? ["test"] : [])
  ]
}

const crashAt = async (prepared: Prepared, place: string) => {
  const base = newFolder()
  const data = join(base, "data")
  cpSync(prepared.folder, data, { recursive: true })
  const [before, after] = [join(base, "before"), join(base, "after")]
  const victim = await crashing(data, { PAWL_CRASH_AT: place, PAWL_CRASH_RECORD: before })
  // The client loses its connection, or sees nothing and waits: either way the process is gone.
  const client: Client = {}
  void drive(victim, prepared, client).catch(() => undefined)
  expect(await victim.ended).toBe("SIGKILL")
  expect(lines(before).at(-1)).toBe(place)
  const next = await crashing(data, { PAWL_CRASH_RECORD: after })
  await judge(next, prepared, client)
  expect(await next.stop()).toBe(0)
  expect(ranAgain(lines(before), lines(after))).toEqual([])
}

describe("Killed at any named place and started again", () => {
  let prepared: Prepared
  let places: ReadonlyArray<string>

  beforeAll(async () => {
    prepared = await prepare()
    places = await recordPlaces(prepared)
  }, 120_000)
  afterAll(() => {
    for (const folder of folders) folder.remove()
  })

  it("records places in each of compose, verify, promote and release", () => {
    console.log(`${places.length} crash points:\n${places.join("\n")}`)
    for (const name of [
      "Composing.composed",
      "Verification.evidence",
      "Verification.gate",
      "Promotions.request",
      "Promotions.swap",
      "SourceSync.synced",
      "Releases.start",
      "Releases.move",
      "Releases.probesPassed"
    ])
      expect(places.join("\n")).toContain(name)
  })

  it("ends the work as if nothing had happened, at every place", async () => {
    const only = process.env["PAWL_CRASH_ONLY"]
    const waiting = places.filter((place) => only === undefined || place.includes(only))
    const failures: Array<string> = []
    const runner = async () => {
      for (let place = waiting.shift(); place !== undefined; place = waiting.shift())
        await crashAt(prepared, place).catch((error: unknown) =>
          failures.push(`${place}: ${error instanceof Error ? error.message : String(error)}`)
        )
    }
    await Promise.all([runner(), runner()])
    expect(failures).toEqual([])
  }, 900_000)
})
