/**
 * The status of a Change in the words of its own page. The API says `verifying` of every Change whose work is there: also
 * where nothing is checked and a person is next.
 */
import type { Candidate, Change, Why } from "./Records.ts"

/** A status as `Status` has it. */
export interface Shown {
  readonly of: string
  readonly words?: string
}

const ready: Shown = { of: "verified", words: "Ready to promote" }

/** `candidate` is the one that is looked at; null where there is none. `why` is of it; null while that is not known. */
export const shownStatus = (
  { laneEntryId, status }: Pick<Change, "status" | "laneEntryId">,
  candidate: Pick<Candidate, "status"> | null,
  why: { readonly approval: Pick<Why["approval"], "decision"> } | null
): Shown => {
  // It keeps that status until it is promoted.
  if (status === "awaiting_approval" && candidate?.status === "verified" && why?.approval.decision === "granted")
    return ready
  if (status !== "verifying") return { of: status }
  if (laneEntryId != null) return { of: "verifying", words: "In the lane" }
  if (candidate === null) return { of: "created", words: "Needs a Candidate" }
  return candidate.status === "verified" ? ready : { of: candidate.status }
}
