/** Projects by what happened to them last, in memory. */
import { Effect } from "effect"
import type { Generation } from "@pawl/core/model/Generation"
import type { History } from "@pawl/core/ledger/History"
import { behindOf, projectSpeaking, recencyLimit, recencyPage } from "@pawl/core/ledger/Recency"
import type { Project } from "@pawl/core/model/Project"
import { toMillis } from "@pawl/core/primitives/Time"
import { type MemoryState, type RecordRow, rowsOf } from "./MemoryState.ts"

/** When the newest generation of each Project became canonical. */
const promotions = (state: MemoryState): ReadonlyMap<string, Generation["promotedAt"]> => {
  const newest = new Map<string, RecordRow>()
  for (const row of rowsOf(state, "generation").values())
    if (row.project !== null && row.position > (newest.get(row.project)?.position ?? 0)) newest.set(row.project, row)
  return new Map(Array.from(newest, ([project, { record }]) => [project, (record as Generation).promotedAt]))
}

/** `History.recent` over a store in memory. */
export const make =
  (state: MemoryState): History["Service"]["recent"] =>
  (listing) =>
    Effect.sync(() => {
      const { of, order, q, statuses } = listing
      const speaks = q === undefined ? () => true : projectSpeaking(q)
      const promoted = order === "promoted" ? promotions(state) : null
      const behind = behindOf(listing)
      const found = Array.from(rowsOf(state, "project").values()).flatMap(({ position: place, record }) => {
        const project = record as Project
        const { createdAt, id: projectId, organizationId, status } = project
        if (!of.organizations.includes(organizationId) && !of.projects.includes(projectId)) return []
        if (statuses?.includes(status) === false || !speaks(project)) return []
        const time =
          promoted === null ? (state.history.get(projectId)?.at(-1)?.at ?? createdAt) : promoted.get(projectId)
        if (time === undefined) return []
        const at = toMillis(time)
        const isBehind = behind === null || at < behind.at || (at === behind.at && place < behind.place)
        return isBehind ? [{ projectId, at, place }] : []
      })
      const sorted = found.toSorted((a, b) => b.at - a.at || b.place - a.place)
      return recencyPage(sorted.slice(0, recencyLimit(listing) + 1), listing)
    })
