import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { rounds, seed } from "@pawl/testing/Depth"
import * as PostgresServer from "../../../../adapters-pg/test/PostgresServer.ts"
import { type Beside, crashAtEach, record, removeFolders } from "../../crash/Crashing.ts"
import { laneStory, someOf } from "../../crash/LaneStory.ts"
import * as Flow from "../kit/Flow.ts"
import * as Lane from "../kit/LaneFacts.ts"
import { broken } from "../kit/LaneLaws.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../kit/ServerProcess.ts"

const reason = await PostgresServer.whyNot()
if (reason !== null) console.warn(`SKIPPED: ${reason}`)

const count = rounds({ quick: 3, deep: 20 })
/** In a quick run none: what is killed is taken over only when its lease has ended. */
const kills = rounds({ quick: 0, deep: 2 })
/** Of each worker. */
const slots = 4

/** Databases beside an empty one: the first is prepared, the others are copies of it. */
const databases = (url: string) => {
  const name = `pawl_lane_${process.pid}`
  let copies = 0
  const named = (database: string) => {
    const own = new URL(url)
    own.pathname = `/${database}`
    return { PAWL_DATABASE_URL: own.toString() }
  }
  const drop = (database: string) => PostgresServer.administer(url, `DROP DATABASE ${database} WITH (FORCE)`)
  return {
    prepare: () => PostgresServer.administer(url, `CREATE DATABASE ${name}`),
    environment: named(name),
    remove: () => drop(name),
    copy: async (): Promise<Beside> => {
      const copy = `${name}_${++copies}`
      await PostgresServer.administer(url, `CREATE DATABASE ${copy} TEMPLATE ${name}`)
      return { environment: named(copy), remove: () => drop(copy) }
    }
  }
}

describe.skipIf(reason !== null)("A lane that two workers over one Postgres take in turn", () => {
  const folder = temporaryFolder()
  const processes: Array<ServerProcess> = []
  const workers: Array<ServerProcess> = []
  let postgres: PostgresServer.PostgresServer
  let front: ServerProcess

  const started = async (roles: string): Promise<ServerProcess> => {
    const environment = {
      PAWL_DATABASE_URL: postgres.url,
      PAWL_ROLES: roles,
      PAWL_SANDBOXES_AT_ONCE: String(slots),
      PAWL_APP_BUILDS_PER_DAY: "1000"
    }
    const server = await startServer({ data: folder.path, environment })
    processes.push(server)
    return server
  }
  const worker = async (): Promise<void> => void workers.push(await started("worker"))

  beforeAll(async () => {
    postgres = await PostgresServer.start()
    ;[front] = await Promise.all([started("api,router"), worker(), worker()])
  })
  afterAll(async () => {
    await Promise.all(processes.map((each) => each.stop()))
    await postgres.stop()
    folder.remove()
    removeFolders()
  })

  /** Waits until so many have landed. */
  const landed = (projectId: string, least: number): Promise<unknown> =>
    Flow.until(
      () => Lane.lineOf(front.api, projectId),
      ({ ended }) => ended.filter(({ state }) => state === "landed").length >= least
    )

  it("lands all but a bad one, whichever of them is killed meanwhile", { timeout: 600_000 }, async () => {
    const { api } = front
    const { id } = await Lane.laned(api, "lane")
    const bad = seed % count
    const racers = await Lane.racers(api, id, count, [bad])
    await Promise.all(racers.map(({ change }) => Flow.requestCandidate(api, change)))
    for (let kill = 1; kill <= kills; kill++) {
      await landed(id, (kill * count) / (kills + 2))
      expect(await workers.shift()?.stop("SIGKILL")).toBe("SIGKILL")
      await worker()
    }
    // What the dead ones held is free when their leases have ended: at most one lease after the other.
    for (let kill = 1; kill <= kills; kill++) await Lane.settled(api, id, racers).catch(() => undefined)
    await Lane.settled(api, id, racers)
    const facts = await Lane.factsOf(api, id, racers)
    const ends = racers.map((_, n) => (n === bad ? "rejected checks_failed" : "landed landed"))
    expect(Lane.endsOf(facts)).toEqual(ends)
    expect(facts.generations).toHaveLength(count)
    expect(broken(facts, { slots: workers.length * slots, builds: 1000 })).toEqual([])
    expect(await api.get(`/v1/projects/${id}/dead-letters`)).toMatchObject({ items: [] })
    const { audit } = await api.post<{ audit: unknown }>(`/v1/projects/${id}/audit`)
    expect(audit).toMatchObject({ generations: count, findings: [] })
  })

  // In a quick run none, as above. While one waits for leases, others have the cores.
  it.each([6].slice(0, rounds({ quick: 0, deep: 1 })))(
    "goes on wherever its server is killed, %s at a time, and loses nothing that was acknowledged",
    { timeout: 3_600_000 },
    async (atOnce) => {
      const { copy, environment, prepare, remove } = databases(postgres.url)
      await prepare()
      const recording = await record({ ...(await laneStory(environment)), beside: copy, atOnce })
      expect(await crashAtEach(recording, someOf(recording, { quick: 1, deep: 18, long: 120 }))).toEqual([])
      await remove()
    }
  )
})
