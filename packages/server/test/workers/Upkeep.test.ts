/** Upkeep over days in real workerd: each Project does its own, the directory what is no Project's. */
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { DeadLetter } from "@pawl/core/model/Command"
import { Limits } from "@pawl/core/primitives/Limits"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { install, type Installed } from "../../../../deploy/cloudflare/Here.ts"
import * as Flow from "../e2e/kit/Flow.ts"
import { gitClient, gitUrl } from "../e2e/kit/GitClient.ts"

const minuteMs = 60_000
const dayMs = 86_400_000

/** Text that does not get smaller: a pack of it lies in the bucket. */
const noise = (name: string): string =>
  Array.from({ length: 4000 }, (_, at) => createHash("sha256").update(`${name} ${at}`).digest("base64")).join("\n")

/** Nothing but a build looks at it. */
const source = (name: string) => ({
  ...Flow.source(name),
  "pawl.json": JSON.stringify({ probes: [{ path: "/", status: 200 }] }),
  "noise.txt": noise(name)
})

describe("Upkeep in workerd", () => {
  let here: Installed
  beforeAll(async () => {
    here = await install({ checks: null }, { aheadMs: 0 })
  })
  afterAll(() => here.close())

  const seen = () => here.simulated()
  const packsOf = (projectId: string) => seen().keys(`git/${projectId}/`)
  let aheadMs = 0
  /** What an object still had in memory is gone then. */
  const passed = (ms: number): Promise<void> => here.killAndRestart((aheadMs += ms))
  /** So much later the clock comes. */
  const tickAfter = async (ms: number): Promise<void> => {
    await passed(ms)
    await seen().tick()
  }
  const daysPassed = (days: number) => tickAfter(days * dayMs)
  const candidateOf = async (projectId: string, name: string) => {
    const change = await Flow.openChange(here.api, projectId, name)
    await Flow.edit(here.api, change, { [`${name}.txt`]: noise(name) })
    return Flow.gated(here.api, (await Flow.requestCandidate(here.api, change)).id)
  }
  const cloned = async (projectId: string): Promise<void> => {
    const folder = mkdtempSync(join(tmpdir(), "pawl-workers-upkeep-"))
    const origin = here.origin.replace("localhost", "127.0.0.1")
    const { code, output } = await gitClient(folder).clone(gitUrl(origin, projectId, here.owner), "clone")
    rmSync(folder, { recursive: true, force: true })
    expect([code, output]).toEqual([0, expect.anything()])
  }
  const lettersAt = async (path: string) =>
    (await here.api.get<{ items: ReadonlyArray<DeadLetter> }>(path)).items.map(({ id }) => id)

  it("takes what is litter of each Project and no pack of another, and ends each day", async () => {
    const projects = [await Flow.createProject(here.api, "one", source("one"))]
    projects.push(await Flow.createProject(here.api, "other", source("other")))
    for (const { id } of projects) await Flow.liveApp(here.api, id, 0)
    const verified = await candidateOf(projects[0]!.id, "shown")
    expect(verified.status).toBe("verified")
    expect(await seen().keys("app-previews/")).not.toEqual([])
    // A schedule that never fired may begin to count now.
    await seen().tick()
    const packs = new Map<string, ReadonlyArray<string>>()
    for (const { id } of projects) packs.set(id, await packsOf(id))
    expect([...packs.values()].every(({ length }) => length > 0)).toBe(true)
    for (const days of [Limits.previewDays + 1, 1]) {
      const litter = projects.map(({ id }) => `git/${id}/${"0".repeat(64)}-0000000${days}.pack`)
      litter.push(`tmp/left-${days}`)
      for (const key of litter) await seen().put(key)
      await daysPassed(days)
      await Flow.until(
        () => Promise.all(litter.map((key) => seen().keys(key))),
        (found) => found.every(({ length }) => length === 0)
      )
    }
    await Flow.until(
      () => seen().keys("app-previews/"),
      ({ length }) => length === 0
    )
    expect(await lettersAt("/v1/dead-letters")).toEqual([])
    await passed(0)
    for (const { id } of projects) {
      expect(await lettersAt(`/v1/projects/${id}/dead-letters`)).toEqual([])
      expect(await packsOf(id)).toEqual(packs.get(id))
      await cloned(id)
    }
  })

  it("deletes the forks of closed Candidates after 30 days, with their rows, and events after a year", async () => {
    const { id } = await Flow.createProject(here.api, "closed", source("closed"))
    const [promoted, stale] = [await candidateOf(id, "promoted"), await candidateOf(id, "stale")]
    expect((await Flow.promote(here.api, promoted.id)).outcome).toBe("promoted")
    await Flow.until(
      () => Flow.gated(here.api, stale.id),
      ({ status }) => status === "stale"
    )
    const closed = [promoted, stale].map((each) => `cand-${each.id}`)
    const forks = async () => {
      const found = await seen().rows(id, "SELECT fork FROM pawl_repo")
      return closed.filter((each) => found.some(({ fork }) => fork === each))
    }
    expect(await forks()).toEqual(closed)
    const oldest = async () => Number((await seen().rows(id, "SELECT oldest FROM pawl_sequence"))[0]?.["oldest"])
    expect(await oldest()).toBe(1)
    await daysPassed(Limits.forkDaysProduction + 1)
    await Flow.until(forks, ({ length }) => length === 0)
    await daysPassed(Limits.retentionDaysEvents + 1)
    await Flow.until(oldest, (first) => first > 1)
    expect(await lettersAt("/v1/dead-letters")).toEqual([])
    expect(await lettersAt(`/v1/projects/${id}/dead-letters`)).toEqual([])
  })

  it("makes one pack of too many, with no clock that says so, and deletes what it replaced after its grace", async () => {
    const names = Array.from({ length: 10 }, (_, at) => `noise-${at}.txt`)
    const files = Object.fromEntries(names.map((name) => [name, noise(name)]))
    const { id } = await Flow.createProject(here.api, "crowded", { ...source("crowded"), ...files })
    await Flow.liveApp(here.api, id, 0)
    const bases = async () =>
      (await seen().rows(id, "SELECT base FROM pawl_pack WHERE fork = ''")).map(({ base }) => Number(base))
    await Flow.until(bases, (found) => found.join() === "1")
    expect(await packsOf(id)).toHaveLength(2)
    await passed(Limits.packGraceMs + minuteMs)
    await Flow.openChange(here.api, id, "wakes it")
    await Flow.until(
      () => packsOf(id),
      ({ length }) => length === 1
    )
    await cloned(id)
  })

  it("ends the lease of a claim by the Project's own alarm, and wakes none that has nothing to do", async () => {
    const { id } = await Flow.createProject(here.api, "idle", source("idle"))
    await Flow.liveApp(here.api, id, 0)
    const now = Date.now() + aheadMs
    const at = new Date(now).toISOString()
    const changeId = "chg_00000000-0000-4000-8000-000000000000"
    const claim = {
      id: `clm_${"1".repeat(24)}`,
      projectId: id,
      changeId,
      taskId: `tsk_${changeId}_one`,
      kind: "path",
      value: "a.txt",
      mode: "write",
      state: "held",
      until: new Date(now + 2000).toISOString(),
      createdAt: at,
      updatedAt: at
    }
    await seen().rows(
      id,
      `INSERT INTO pawl_claim (project_id, id, revision, data, "changeId", "taskId", "status")
      VALUES ('${id}', '${claim.id}', 1, '${JSON.stringify(claim)}', '${changeId}', '${claim.taskId}', 'held')`
    )
    await Flow.openChange(here.api, id, "has it look")
    await Flow.until(
      () => seen().rows(id, `SELECT "status" AS status FROM pawl_claim`),
      ([found]) => found?.["status"] === "expired"
    )
    await seen().rows(id, "DELETE FROM watched_hint")
    for (let each = 0; each < 3; each++) await tickAfter(6 * minuteMs)
    // What comes behind them has come.
    await Flow.openChange(here.api, id, "comes last")
    const hints = async () => (await seen().rows(id, "SELECT body FROM watched_hint")).map(({ body }) => String(body))
    const came = await Flow.until(hints, (all) => all.some((each) => each.includes("Moved")))
    expect(came.filter((each) => each.includes("Upkeep"))).toEqual([])
  })
})
