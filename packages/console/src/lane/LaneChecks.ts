/** The checks of the entries that a screen shows, asked for in one place: their bars share an axis. */
import { useQueries, type UseQueryResult } from "@tanstack/react-query"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import type { Answer } from "../api/Wire.ts"
import { type Axis, axisOf, type Ran } from "./Axis.ts"
import type { Entry } from "./EntryState.tsx"

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
  /** In the order in which they ran; empty until they are known. */
  readonly ran: ReadonlyArray<Ran>
}

/** Of each entry by its id, and the axis of all. */
export interface LaneChecks {
  readonly of: ReadonlyMap<string, EntryChecked>
  readonly axis: Axis
}

/** Milliseconds between two looks while checks run. */
const lookMs = 2000

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

/** Of these entries; those without a Candidate have no checks. Now is when the newest answer was asked for. */
export const useLaneChecks = (entries: ReadonlyArray<Entry>): LaneChecks => {
  const shown = entries.flatMap(({ candidateId, id, state }) =>
    candidateId === undefined ? [] : [{ id, candidateId, isRunning: state === "running" }]
  )
  const queries = useQueries({ queries: shown.map(({ candidateId, isRunning }) => asked(candidateId, isRunning)) })
  const all = shown.flatMap(({ id, isRunning }, index): ReadonlyArray<readonly [string, EntryChecked]> => {
    const query = queries[index]
    if (query === undefined) return []
    return [[id, { query, ran: query.data === undefined ? [] : ranOf(query.data, isRunning) }]]
  })
  const now = Math.max(0, ...queries.map(({ data }) => data?.at ?? 0))
  return {
    of: new Map(all),
    axis: axisOf(
      all.flatMap(([, { ran }]) => ran),
      now
    )
  }
}
