/** Whose predictions fall when a Candidate is promoted past the lane. Pure. */
import type { Entry } from "../lane/EntryState.tsx"
import type { Candidate } from "../change/Records.ts"

/** Those with a Candidate that was composed, whatever became of it: one that waits has none. */
const predicted = new Set<Entry["state"]>(["running", "ready", "doubtful", "aside"])

/**
 * Entries of a line whose Candidates are not made on this one. Where it is in the line itself, and nobody passes it over,
 * those behind it are.
 */
export const fallingBy = (
  { changeId, id }: Pick<Candidate, "id" | "changeId">,
  entries: ReadonlyArray<Pick<Entry, "candidateId" | "changeId" | "position" | "state">>
): number => {
  const own = entries.find(
    (entry) => entry.candidateId === id && (entry.state === "running" || entry.state === "ready")
  )
  const isOnIt = (position: number | null) => own !== undefined && (position ?? 0) > (own.position ?? 0)
  return entries.filter(
    (entry) =>
      entry.changeId !== changeId &&
      entry.candidateId !== undefined &&
      predicted.has(entry.state) &&
      !isOnIt(entry.position)
  ).length
}
