/** The checks of the entries that a screen shows, asked for in one place: their bars share an axis. */
import { useQueries, type UseQueryResult } from "@tanstack/react-query"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import type { Answer } from "../api/Wire.ts"
import { candidatesQuery } from "../change/Queries.ts"
import { useConnection } from "../live/Live.ts"
import { lookMs } from "../project/ProjectQueries.ts"
import { type Axis, axisOf, type Ran } from "./Axis.ts"
import { entryQuery } from "./EntryQuery.ts"
import type { Entry } from "./EntryState.tsx"
import { refutedOf } from "./Refuted.ts"

type Evidence = Answer<"candidates", "evidence">["items"][number]

/** What is known of the checks of a Candidate. */
interface Checked {
  readonly items: ReadonlyArray<Evidence>
  readonly candidate: Answer<"candidates", "get">["candidate"]
  /** When it was asked, in ms. */
  readonly at: number
}

/** The checks of one entry. */
export interface EntryChecked {
  readonly query: UseQueryResult<Checked>
  /** Those of its newest Candidate, in the order in which they ended; empty until they are known. */
  readonly ran: ReadonlyArray<Ran>
}

/** Of each entry by its id, and the axis of all. */
export interface LaneChecks {
  readonly of: ReadonlyMap<string, EntryChecked>
  /** The Candidates of each that came to nothing, the oldest first. */
  readonly refuted: ReadonlyMap<string, ReadonlyArray<Ran>>
  readonly axis: Axis
}

const asked = (candidateId: string, isRunning: boolean) => ({
  queryKey: keys.ofCandidate(candidateId, "checks"),
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<Checked> => {
    const params = { id: candidateId }
    const [{ items }, { candidate }] = await Promise.all([
      api.candidates.evidence({ params, query: {} }, { signal }),
      api.candidates.get({ params }, { signal })
    ])
    return { items, candidate, at: Date.now() }
  },
  refetchInterval: isRunning ? lookMs : (false as const)
})

/** While an entry runs, what its Candidate still owes counts as running since the last one ended. */
const ranOf = ({ candidate, items }: Checked, isRunning: boolean): ReadonlyArray<Ran> => {
  const done = new Set(items.map(({ checkId }) => checkId))
  const owed = isRunning ? (candidate.plan_json?.checks ?? []).filter(({ id }) => !done.has(id)) : []
  const since = items.at(-1)?.finishedAt ?? candidate.updatedAt
  return [
    ...items.map(({ checkId, finishedAt, result, startedAt }): Ran => {
      return { name: checkId, result, from: startedAt, to: finishedAt }
    }),
    ...owed.slice(0, 1).map(({ id }): Ran => ({ name: id, result: "running", from: since, to: null }))
  ]
}

/** By the id of each entry of which a prediction fell. */
const useRefuted = (projectId: string, entries: ReadonlyArray<Entry>): LaneChecks["refuted"] => {
  const refetchInterval = useConnection().is === "live" ? (false as const) : lookMs
  const fell = entries.filter(({ predictions }) => predictions > 0)
  const whys = useQueries({
    queries: fell.map(({ id, position }) => {
      return { ...entryQuery(projectId, id), refetchInterval, enabled: position !== null }
    })
  })
  const lists = useQueries({
    queries: fell.map(({ changeId }) => ({ ...candidatesQuery(changeId), refetchInterval }))
  })
  return new Map(
    fell.map((entry, index) => {
      const predictions = entry.position === null ? null : (whys[index]?.data?.why?.predictions ?? [])
      return [entry.id, refutedOf(entry, lists[index]?.data ?? [], predictions)]
    })
  )
}

/** Of these entries; those without a Candidate have no checks. Now is when the newest answer was asked for. */
export const useLaneChecks = (projectId: string, entries: ReadonlyArray<Entry>): LaneChecks => {
  const shown = entries.flatMap(({ candidateId, id, state }) =>
    candidateId === undefined ? [] : [{ id, candidateId, isRunning: state === "running" }]
  )
  const queries = useQueries({ queries: shown.map(({ candidateId, isRunning }) => asked(candidateId, isRunning)) })
  const refuted = useRefuted(projectId, entries)
  const of = new Map<string, EntryChecked>()
  for (const [index, { id, isRunning }] of shown.entries()) {
    const query = queries[index]
    if (query !== undefined) of.set(id, { query, ran: query.data === undefined ? [] : ranOf(query.data, isRunning) })
  }
  const now = Math.max(0, ...queries.map(({ data }) => data?.at ?? 0))
  const all = [...[...of.values()].map(({ ran }) => ran), ...refuted.values()]
  return { of, refuted, axis: axisOf(all.flat(), now) }
}
