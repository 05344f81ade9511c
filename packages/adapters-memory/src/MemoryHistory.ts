/** The history in memory. */
import { Effect } from "effect"
import { fromMillis } from "@pawl/core/primitives/Time"
import type { Commit } from "@pawl/core/ledger/Commit"
import {
  actorOf,
  type History,
  type HistoryRow,
  isBackward,
  leastOf,
  type HistoryListing,
  pageOf,
  passagesOf,
  startOf
} from "@pawl/core/ledger/History"
import { make as makeRecent } from "./MemoryRecency.ts"
import type { MemoryState } from "./MemoryState.ts"

/** What a state keeps of one commit for one Change. */
export interface MemoryPassage extends HistoryRow {
  readonly changeId: string | null
}

/** Writes down what an applied commit did to statuses. */
export const record = (state: MemoryState, commit: Commit, now: number): void => {
  const passages = passagesOf(commit)
  if (passages.length === 0) return
  const project = commit.projectId ?? ""
  let rows = state.history.get(project)
  if (rows === undefined) state.history.set(project, (rows = []))
  for (const { changeId, transitions } of passages)
    rows.push({
      position: rows.length + 1,
      changeId,
      at: fromMillis(now),
      actor: actorOf(commit),
      commit: commit.name,
      transitions
    })
}

/** The rows of a listing, in its order. */
const from = <R extends HistoryRow>(rows: ReadonlyArray<R>, listing: HistoryListing): ReadonlyArray<R> => {
  const start = startOf(listing)
  const backward = isBackward(listing)
  const found = rows.filter(
    ({ position }) =>
      position >= leastOf(listing) && (start === null || (backward ? position <= start : position >= start))
  )
  return backward ? found.toReversed() : found
}

/** `History` over a store in memory, in the order of the commits. */
export const make = (state: MemoryState): History["Service"] => ({
  recent: makeRecent(state),
  ofChange: (changeId, listing) =>
    Effect.sync(() => {
      const rows = Array.from(state.history.values()).flat()
      return pageOf(
        from(
          rows.filter((row) => row.changeId === changeId),
          listing
        ),
        listing
      )
    }),
  ofProject: (projectId, listing) =>
    Effect.sync(() => {
      const rows = state.history.get(projectId) ?? []
      return pageOf(from(rows, listing), listing)
    }),
  ends: (projectIds) =>
    Effect.sync(() =>
      projectIds.map((projectId) => {
        const last = state.history.get(projectId)?.at(-1)
        return { projectId, position: last?.position ?? 0, at: last?.at ?? null }
      })
    ),
  since: (marks, limit) =>
    Effect.sync(() =>
      marks
        .flatMap(({ position, projectId }) =>
          (state.history.get(projectId) ?? [])
            .filter((row) => row.position > position)
            .map(({ at, changeId, position: place, transitions }) => ({
              projectId,
              position: place,
              changeId,
              at,
              transitions
            }))
        )
        .slice(0, limit)
    )
})
