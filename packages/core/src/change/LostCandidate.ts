/** What becomes of a Change when one of its Candidates is gone: stale, rejected, or to be verified anew. */
import type * as Commit from "../ledger/Commit.ts"
import * as Draft from "../ledger/Draft.ts"
import type { Change } from "../model/Change.ts"

/** Whether this Candidate is the one that its Change is promoting. */
export const isPromoting = (change: Change, candidateId: string): boolean =>
  change.status === "promoting" && (change.promotingCandidateId ?? candidateId) === candidateId

/** The fields of a Change that promotes nothing: a step that ends a promotion writes them. */
export const noPromotion = { statusBeforePromoting: null, promotingCandidateId: null }

/** A Candidate that has ended without being promoted, or is to be verified anew. */
export interface Gone {
  readonly candidateId: string
  /** Whether the Change has another verified Candidate on the head. */
  readonly otherVerified: boolean
}

/**
 * Writes what becomes of a Change whose Candidate is to be verified anew, or has ended while the Change goes on. After a
 * refused swap the Change has the status from before promoting, and it is `verifying` when it awaited approval for a
 * Candidate that was its last verified one. The end of a Candidate that is not the one being promoted leaves a promotion
 * alone. The Change is written in any case: its revision guards the rules about its Candidates.
 */
export const loseCandidate = (
  draft: Draft.Draft,
  change: Commit.Stored<Change>,
  { candidateId, otherVerified }: Gone
): void => {
  if (isPromoting(change.record, candidateId)) {
    const before = change.record.statusBeforePromoting ?? "verifying"
    const back = before === "awaiting_approval" && !otherVerified ? "verifying" : before
    Draft.step(draft, "change", change, ["swapRefused", back], noPromotion)
  } else if (!otherVerified && Draft.may(draft, "change", change, "noVerifiedCandidate"))
    Draft.step(draft, "change", change, "noVerifiedCandidate", {})
  else Draft.update(draft, "change", change, { updatedAt: draft.now })
}

/**
 * Writes what becomes of a Change whose Candidate has ended, for the reason given. A rollback is never
 * composed anew and takes no other work, so its Change is cancelled with its only Candidate.
 */
export const loseCandidateForGood = (
  draft: Draft.Draft,
  change: Commit.Stored<Change>,
  gone: Gone & { readonly reason: string }
): void => {
  loseCandidate(draft, change, gone)
  if (change.record.kind !== "rollback" || !Draft.may(draft, "change", change, "cancel")) return
  const reason = `${gone.reason}: ask for the rollback anew`
  Draft.step(draft, "change", change, "cancel", { reason }, { "change.cancelled": { reason } })
}

/** The end of a rollback's Change, whose Candidate was never verified; nothing for any other Change, which goes on. */
export const endRollback = (
  draft: Draft.Draft,
  change: Commit.Stored<Change>,
  gone: { readonly candidateId: string; readonly reason: string }
): void => {
  if (change.record.kind === "rollback") loseCandidateForGood(draft, change, { ...gone, otherVerified: false })
}
