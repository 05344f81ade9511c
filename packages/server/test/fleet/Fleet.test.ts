/**
 * An installation on three machines that have nothing in common but Postgres and a bucket, while machines, processes and
 * both of these fail. The form of most runs is short; `npm run test:long -- fleet` is the whole, and prints what it saw.
 */
import { setTimeout as pause } from "node:timers/promises"
import { depth, rounds, seed, slice } from "@pawl/testing/Depth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { gitClient } from "../e2e/kit/GitClient.ts"
import { temporaryFolder, token } from "../e2e/kit/ServerProcess.ts"
import { type Caller, caller } from "./kit/Caller.ts"
import * as ColdLook from "./kit/ColdLook.ts"
import * as Customer from "./kit/Customer.ts"
import * as Faults from "./kit/Faults.ts"
import * as Fleet from "./kit/Fleet.ts"
import { problemsOf } from "./kit/LineChecker.ts"
import { visit, visitor } from "./kit/Visitor.ts"

const missing = await Fleet.whyNot()
if (missing !== null) console.warn(`SKIPPED: ${missing}`)

const projects = rounds({ quick: 2, deep: 4, long: 20 })
const changesEach = rounds({ quick: 2, deep: 5, long: 10 })
/** How many Changes of a Project are under way at a time. */
const atOnce = 3

const short: ReadonlyArray<Faults.Lasting> = [
  { what: "cut three", ms: 5000 },
  { what: "freeze a worker", ms: 5000 },
  { what: "s3 silent", ms: 5000 },
  { what: "postgres killed", ms: 3000 },
  { what: "cut one", ms: 5000 },
  { what: "freeze an api", ms: 5000 },
  { what: "s3 gone", ms: 5000 }
]
const whole: ReadonlyArray<Faults.Lasting> = [
  { what: "cut three", ms: 40_000 },
  { what: "s3 silent", ms: 10_000 },
  { what: "freeze a worker", ms: 40_000 },
  { what: "postgres killed", ms: 10_000 },
  { what: "cut one", ms: 40_000 },
  { what: "s3 gone", ms: 10_000 },
  { what: "freeze an api", ms: 10_000 }
]
const lasting = depth === "long" ? whole : slice(short, { quick: 1 })

/** How often at most it is looked whether all is out: a bound for a broken fleet. */
const looks = 400

/** The Changes that have neither been rejected nor are out. */
const notOut = async (
  api: Caller,
  customer: Customer.Customer,
  among: ReadonlySet<string>
): Promise<ReadonlyArray<string>> => {
  await customer.look()
  const left: Array<string> = []
  for (const { changeId, isRejected } of customer.changes) {
    if (isRejected || !among.has(changeId)) continue
    const { change } = await api.get<{ change: { status: string } }>(`/v1/changes/${changeId}`)
    if (change.status !== "completed") left.push(changeId)
  }
  return left
}

/** Waits until all that landed is out. */
const allLive = async (api: Caller, customers: ReadonlyArray<Customer.Customer>): Promise<void> => {
  let left = new Set(customers.flatMap((each) => each.changes.map(({ changeId }) => changeId)))
  for (let look = 0; look < looks && left.size > 0; look++) {
    if (look > 0) await pause(500)
    left = new Set((await Promise.all(customers.map((each) => notOut(api, each, left)))).flat())
  }
  if (left.size === 0) return
  const lines = await Promise.all(customers.map(({ projectId }) => api.get(`/v1/projects/${projectId}/lane`)))
  throw new Error(`never out: ${[...left].join(", ")}\n${JSON.stringify(lines)}`)
}

describe.skipIf(missing !== null)("Three machines without a shared folder", { timeout: 1_200_000 }, () => {
  const folder = temporaryFolder()
  let fleet: Fleet.Fleet

  beforeAll(async () => {
    fleet = await Fleet.start()
  })
  afterAll(async () => {
    await fleet?.stop()
    folder.remove()
  })

  it("lose nothing that was acknowledged and serve no wrong byte, whatever fails, and all is live soon after", async () => {
    const begunMs = performance.now()
    const api = caller(fleet.doors("api"), token)
    const customers = await Promise.all(
      Array.from({ length: projects }, (_, number) =>
        Customer.open(api, { slug: `fleet-${number}`, count: changesEach, bad: number === 0 ? 2 : 0, atOnce })
      )
    )
    const openMs = performance.now()
    let isOver = false
    const visits = visitor(fleet.doors("router"), customers, () => isOver)
    let acknowledged = false
    const work = Promise.all(customers.map((each) => each.work())).finally(() => (acknowledged = true))
    const [{ overMs, said }] = await Promise.all([Faults.run(fleet, lasting, seed, () => acknowledged), work])
    await allLive(api, customers)
    const liveMs = performance.now()
    isOver = true
    const { counts, wrong } = await visits

    const cold = await fleet.cold()
    const atCold = caller([cold], token)
    const git = gitClient(`${folder.path}/git`)
    const problems: Array<unknown> = []
    for (const { changes, projectId, url } of customers) {
      problems.push(...problemsOf(await ColdLook.lineOf(atCold, cold, git, projectId), changes))
      problems.push(...(await ColdLook.findingsOf(atCold, projectId)))
      for (const router of fleet.doors("router"))
        for (const { isRejected, path, text } of changes) {
          const page = await visit(router, url, path.replace(/^public/, ""))
          const isRight = isRejected ? page.status === 404 : page.status === 200 && page.text === text
          if (!isRight) problems.push(`${url} ${path}: ${page.status} ${page.text.slice(0, 200)}`)
        }
    }
    const changes = customers.flatMap((each) => each.changes)
    const seconds = (from: number, to: number) => Math.round((to - from) / 100) / 10
    console.log(
      JSON.stringify({
        projects,
        changes: changes.length,
        rejected: changes.filter(({ isRejected }) => isRejected).length,
        openedS: seconds(begunMs, openMs),
        faultsS: seconds(openMs, overMs),
        liveAfterS: seconds(overMs, liveMs),
        visits: counts,
        said,
        ownEnds: fleet.processes.flatMap((each) => each.ownEnds())
      })
    )
    expect(wrong).toEqual([])
    // A lease, and the time that the work takes. Short forms run beside other tests, which take the cores.
    if (depth === "long") expect(seconds(overMs, liveMs)).toBeLessThan(35)
    expect(problems).toEqual([])
    expect(changes.filter(({ isRejected }) => isRejected)).toHaveLength(1)
    expect(changes.filter(({ landed }) => landed !== null)).toHaveLength(projects * changesEach - 1)
  })
})
