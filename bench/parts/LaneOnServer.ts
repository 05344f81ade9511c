/** A lane and evidence that counts again, on a real server with real git, builds and sandboxes. Times are of its own events. */
import type { Event } from "@pawl/core/model/Event"
import type { Evidence } from "@pawl/core/model/Evidence"
import type { Usage } from "@pawl/core/project/Usage"
import type { LaneView } from "@pawl/core/lane/LaneView"
import type { DemoApi } from "@pawl/server/node/demo/DemoApi"
import { chain } from "./LongLane.ts"
import * as Flow from "../../packages/server/test/e2e/kit/Flow.ts"

/** How long the first of a chain is checked, in seconds: meanwhile all others are composed on each other. */
const firstCheckSeconds = 25

const eventsOf = async (api: DemoApi, projectId: string): Promise<ReadonlyArray<Event>> => {
  const found: Array<Event> = []
  for (;;) {
    const path = `/v1/projects/${projectId}/events?after=${found.at(-1)?.sequence ?? 0}&limit=100`
    const { items } = await api.get<{ items: ReadonlyArray<Event> }>(path)
    if (items.length === 0) return found
    found.push(...items)
  }
}

const timeOf = (events: ReadonlyArray<Event>, type: Event["type"], subject: string): number => {
  const found = events.find((each) => each.type === type && each.subject === subject)
  if (found === undefined) throw new Error(`${type} was not told of ${subject}`)
  return Date.parse(found.time)
}

/** What one tree took to verify, for the first time and again. */
export interface KnownTree {
  readonly firstMs: number
  readonly againMs: number
  /** What the second time used of the sandboxes and of the day's builds. */
  readonly sandboxMs: number
  readonly builds: number
}

/** Answers how a tree is verified that was verified before: another Change of the same files each round. */
export const knownTrees = async (api: DemoApi) => {
  const project = await Flow.createProject(api, "known")
  await Flow.liveApp(api, project.id, 0)
  await api.put(`/v1/projects/${project.id}/policy`, { evidenceReuse: "tree", approvalRiskTiers: [] })
  const usage = () => api.get<Usage>(`/v1/projects/${project.id}/usage`)
  const verified = async (name: string, files: Readonly<Record<string, string>>) => {
    const change = await Flow.openChange(api, project.id, name)
    await Flow.edit(api, change, files)
    const { id, status, tree } = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
    if (status !== "verified") throw new Error(`the Candidate is ${status}`)
    const events = await eventsOf(api, project.id)
    const ms = timeOf(events, "candidate.verified", id) - timeOf(events, "candidate.composed", id)
    return { ms, tree, rows: await Flow.evidence(api, id) }
  }
  const mustRepeat = (again: ReadonlyArray<Evidence>, first: ReadonlyArray<Evidence>) => {
    const repeated = again.filter(({ reuses }) => first.some(({ id }) => id === reuses))
    if (repeated.length !== first.length) throw new Error("not all evidence counted again")
  }
  return async (round: number): Promise<KnownTree> => {
    const files = { "src/round.txt": `${round}\n` }
    const first = await verified(`first-${round}`, files)
    const before = await usage()
    const again = await verified(`again-${round}`, files)
    const after = await usage()
    if (again.tree !== first.tree) throw new Error("it is another tree")
    mustRepeat(again.rows, first.rows)
    return {
      firstMs: first.ms,
      againMs: again.ms,
      sandboxMs: after.sandboxMsThisMonth - before.sandboxMsThisMonth,
      builds: after.buildsToday - before.buildsToday
    }
  }
}

const policy = {
  autoPromoteRiskTiers: ["low", "medium", "high"],
  approvalRiskTiers: [],
  lane: { mode: "on", depth: chain }
}

/** The check of who stands first takes long: nobody behind it is without the second's file. */
const source = Flow.source("one", {
  "pawl.json": JSON.stringify({
    checks: [{ id: "test", command: `test -f src/race-1.txt || sleep ${firstCheckSeconds}` }],
    probes: [{ path: "/", status: 200 }]
  })
})

/** Milliseconds in which a chain of Candidates lands that are all ready, from the lane's going on to the last swap. */
export const landChain = async (api: DemoApi, round: number): Promise<number> => {
  const { id } = await Flow.createProject(api, `chain-${round}`, source)
  await Flow.liveApp(api, id, 0)
  await api.put(`/v1/projects/${id}/policy`, policy)
  const changes = []
  for (let n = 0; n < chain; n++) {
    const change = await Flow.openChange(api, id, `race-${n}`)
    await Flow.edit(api, change, { [`src/race-${n}.txt`]: `${n}\n` })
    changes.push(change)
  }
  for (const change of changes) await Flow.requestCandidate(api, change)
  const until = (done: (entries: LaneView["entries"]) => boolean) =>
    Flow.until(
      () => api.get<LaneView>(`/v1/projects/${id}/lane`),
      ({ entries }) => done(entries)
    )
  const [first, ...others] = (await until((entries) => entries.length === chain)).entries
  const isOther = (entry: LaneView["entries"][number]) => others.some((each) => each.id === entry.id)
  await until((entries) => {
    if (!entries.some((each) => each.id === first?.id)) throw new Error("the first has landed before all were composed")
    return entries.filter(isOther).every(({ state }) => state === "running" || state === "ready")
  })
  await api.post(`/v1/projects/${id}/lane/pause`, { reason: "all land at once" })
  await until((entries) => entries.length === chain && entries.every(({ state }) => state === "ready"))
  await api.post(`/v1/projects/${id}/lane/resume`)
  await until((entries) => entries.length === 0)
  const events = await eventsOf(api, id)
  const landed = events.filter(({ type }) => type === "canonical.advanced").map(({ time }) => Date.parse(time))
  return Math.max(...landed) - timeOf(events, "lane.resumed", id)
}
