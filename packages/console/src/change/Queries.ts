/** What the screens of a Change ask for. */
import { useQuery, type UseQueryResult } from "@tanstack/react-query"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import type { Answer } from "../api/Wire.ts"
import type { Candidate, ChangeSet, Why } from "./Records.ts"

/** Of a list that one request answers: a Change has fewer Candidates and ChangeSets than that. */
const all = { limit: 100 } as const

/** The Change, and what others write too; nothing is asked for null. */
export const useChange = (id: string | null): UseQueryResult<Answer<"changes", "get">> =>
  useAnswer(keys.change(id ?? ""), (options) => api.changes.get({ params: { id: id ?? "" } }, options), {
    enabled: id !== null
  })

/** Its Candidates, oldest first. */
export const candidatesQuery = (id: string) => ({
  queryKey: keys.ofChange(id, "candidates"),
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<ReadonlyArray<Candidate>> =>
    (await api.candidates.list({ params: { id }, query: all }, { signal })).items
})

/** The same, asked for. */
export const useCandidates = (id: string): UseQueryResult<ReadonlyArray<Candidate>> => useQuery(candidatesQuery(id))

/** Its ChangeSets, oldest first. */
export const useChangeSets = (id: string): UseQueryResult<ReadonlyArray<ChangeSet>> =>
  useAnswer(
    keys.ofChange(id, "changesets"),
    async (options) => (await api.changesets.list({ params: { id }, query: all }, options)).items
  )

/** Why a Candidate stands where it stands; nothing is asked for null. */
export const useWhy = (id: string | null): UseQueryResult<Why> =>
  useAnswer(keys.ofCandidate(id ?? "", "why"), (options) => api.candidates.why({ params: { id: id ?? "" } }, options), {
    enabled: id !== null
  })

/** What a Candidate does to its base. Only while `enabled`: before it is composed there is none. */
export const useDiff = (id: string, enabled = true): UseQueryResult<Answer<"candidates", "diff">> =>
  useAnswer(keys.ofCandidate(id, "diff"), (options) => api.candidates.diff({ params: { id } }, options), { enabled })
