/**
 * The status of a Change in the words of its own page. The API says `verifying` of every Change whose work is there: also
 * where nothing is checked and a person is next.
 */
import type { Candidate, Change } from "./Records.ts"

/** A status as `Status` has it. */
export interface Shown {
  readonly of: string
  readonly words?: string
}

/** `candidate` is the one that is looked at; null where there is none. */
export const shownStatus = (
  { laneEntryId, status }: Pick<Change, "status" | "laneEntryId">,
  candidate: Pick<Candidate, "status"> | null
): Shown => {
  if (status !== "verifying") return { of: status }
  if (laneEntryId != null) return { of: "verifying", words: "In the lane" }
  if (candidate === null) return { of: "created", words: "Needs a Candidate" }
  return candidate.status === "verified" ? { of: "verified", words: "Ready to promote" } : { of: candidate.status }
}
