/** Changes that race in a lane of a real server, what is known of them afterwards, and what must be so of any lane then. */
import type { Evidence } from "@pawl/core/model/Evidence"
import type { Generation } from "@pawl/core/model/Generation"
import type { DemoApi } from "../../../src/node/demo/DemoApi.ts"
import type { CandidateJson, ChangeJson } from "@pawl/server/api/RecordSchemas"
import * as Flow from "./Flow.ts"

/** An entry of the lane as the API shows it. */
export interface Entry {
  readonly id: string
  readonly changeId: string
  readonly candidateId?: string
  readonly state: string
  readonly predictions: number
  readonly outcome?: { readonly code: string; readonly generation?: number }
}

export interface Line {
  readonly entries: ReadonlyArray<Entry>
  readonly ended: ReadonlyArray<Entry>
}

/** All Changes out by themselves, in turn. */
export const lanePolicy = {
  autoPromoteRiskTiers: ["low", "medium", "high"],
  approvalRiskTiers: [],
  lane: { mode: "on" }
}

/** A Change of the race, and the file that no other Change has. */
export interface Racer {
  readonly change: ChangeJson
  readonly path: string
}

/** A live Project whose lane is on. Its check is the command, or that of `Flow.source`. */
export const laned = async (api: DemoApi, slug: string, command?: string): Promise<{ readonly id: string }> => {
  const checks = [{ id: "test", command: command ?? "" }]
  const pawlFile = { "pawl.json": JSON.stringify({ checks, probes: [{ path: "/", status: 200 }] }) }
  const project = await Flow.createProject(api, slug, Flow.source("one", command === undefined ? {} : pawlFile))
  await Flow.liveApp(api, project.id, 0)
  await api.put(`/v1/projects/${project.id}/policy`, lanePolicy)
  return project
}

/** So many Changes with a ChangeSet each; nobody has asked for their Candidates. Those of these numbers fail the check. */
export const racers = async (
  api: DemoApi,
  projectId: string,
  count: number,
  bad: ReadonlyArray<number> = []
): Promise<ReadonlyArray<Racer>> => {
  const all: Array<Racer> = []
  for (let n = 0; n < count; n++) {
    const change = await Flow.openChange(api, projectId, `race ${n}`)
    const path = `src/race-${n}.txt`
    await Flow.edit(api, change, { [path]: String(n), ...(bad.includes(n) ? { "verdict.txt": "bad" } : {}) })
    all.push({ change, path })
  }
  return all
}

export const lineOf = (api: DemoApi, projectId: string): Promise<Line> =>
  api.get<Line>(`/v1/projects/${projectId}/lane`)

const completed = async (api: DemoApi, changeId: string): Promise<boolean> =>
  (await api.get<{ change: ChangeJson }>(`/v1/changes/${changeId}`)).change.status === "completed"

/** Waits until each of the race has ended, what landed is out, and nobody stands in the line. */
export const settled = async (api: DemoApi, projectId: string, all: ReadonlyArray<Racer>): Promise<void> => {
  const line = await Flow.until(
    () => lineOf(api, projectId),
    ({ ended, entries }) =>
      entries.length === 0 && all.every(({ change }) => ended.some(({ changeId }) => changeId === change.id))
  )
  for (const { changeId, state } of line.ended)
    if (state === "landed") await Flow.until(() => completed(api, changeId), Boolean)
}

/** All that is known of a lane when it is over. */
export interface LaneFacts {
  readonly line: Line
  readonly racers: ReadonlyArray<Racer>
  /** From S0 on. */
  readonly generations: ReadonlyArray<Generation>
  readonly policyVersion: number
  readonly changes: ReadonlyArray<ChangeJson>
  readonly candidates: ReadonlyArray<CandidateJson>
  readonly evidence: ReadonlyArray<Evidence>
  /** Paths of canonical. */
  readonly files: ReadonlyArray<string>
  /** Builds of today, of this Project. */
  readonly builds: number
}

interface Items<A> {
  readonly items: ReadonlyArray<A>
}

export const factsOf = async (api: DemoApi, projectId: string, all: ReadonlyArray<Racer>): Promise<LaneFacts> => {
  const at = `/v1/projects/${projectId}`
  const { items } = await api.get<Items<Generation>>(`${at}/versions?limit=100`)
  const changes = await Promise.all(
    all.map(({ change }) => api.get<{ change: ChangeJson }>(`/v1/changes/${change.id}`))
  )
  const lists = await Promise.all(
    all.map(({ change }) => api.get<Items<CandidateJson>>(`/v1/changes/${change.id}/candidates?limit=100`))
  )
  const candidates = lists.flatMap((list) => list.items)
  const { policy } = await api.get<{ policy: { version: number } }>(`${at}/policy`)
  const { entries } = await api.get<{ entries: ReadonlyArray<{ path: string }> }>(`${at}/code`)
  const { buildsToday } = await api.get<{ buildsToday: number }>(`${at}/usage`)
  return {
    line: await lineOf(api, projectId),
    racers: all,
    generations: items.toSorted((a, b) => a.generation - b.generation),
    policyVersion: policy.version,
    changes: changes.map(({ change }) => change),
    candidates,
    evidence: (await Promise.all(candidates.map(({ id }) => Flow.evidence(api, id)))).flat(),
    files: entries.map(({ path }) => path),
    builds: buildsToday
  }
}

/** Of how many runs of a check there is evidence. */
export const runsOf = ({ evidence }: LaneFacts, checkId: string): number =>
  evidence.filter((row) => row.checkId === checkId).length

/** What became of each of the race, in its order: `landed landed`, `rejected checks_failed`. */
export const endsOf = ({ line, racers: all }: LaneFacts): ReadonlyArray<string> =>
  all.map(({ change }) =>
    line.ended
      .filter(({ changeId }) => changeId === change.id)
      .map(({ outcome, state }) => `${state} ${outcome?.code}`)
      .join(", ")
  )
