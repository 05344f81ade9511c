/** The history in memory. */
import { Effect } from "effect"
import { fromMillis } from "@pawl/core/primitives/Time"
import type { Commit } from "@pawl/core/ledger/Commit"
import { actorOf, type History, type HistoryRow, pageOf, passagesOf, startOf } from "@pawl/core/ledger/History"
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

/** `History` over a store in memory, in the order of the commits. */
export const make = (state: MemoryState): History["Service"] => ({
  ofChange: (changeId, listing) =>
    Effect.sync(() => {
      const { position } = startOf(listing.cursor)
      const rows = Array.from(state.history.values()).flat()
      return pageOf(
        rows.filter((row) => row.changeId === changeId && row.position >= position),
        listing
      )
    }),
  ofProject: (projectId, listing) =>
    Effect.sync(() => {
      const { position } = startOf(listing.cursor)
      const rows = state.history.get(projectId) ?? []
      return pageOf(
        rows.filter((row) => row.position >= position),
        listing
      )
    })
})
