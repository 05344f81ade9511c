/** What becomes of a Change when one of its Candidates is gone: stale, rejected, or to be verified anew. */
import type { Actor } from "../model/Actor.ts"
import type { NewEvent } from "../model/Event.ts"
import * as Commit from "../ledger/Commit.ts"
import * as Lifecycle from "../model/Lifecycle.ts"
import type * as Time from "../primitives/Time.ts"
import type { Change } from "../model/Change.ts"
import { ChangeLifecycle } from "../model/ChangeLifecycle.ts"

/** Whether this Candidate is the one that its Change is promoting. */
export const isPromoting = (change: Change, candidateId: string): boolean =>
  change.status === "promoting" && (change.promotingCandidateId ?? candidateId) === candidateId

/**
 * After a refused swap the Change has the status from before promoting, and it is `verifying` when it awaited approval
 * for a Candidate that was its last verified one. The end of a Candidate that is not the one being promoted leaves a
 * promotion alone.
 */
export const changeWithout = (change: Change, candidateId: string, otherVerified: boolean): Partial<Change> => {
  if (change.status === "promoting") {
    if (!isPromoting(change, candidateId)) return {}
    const before = change.statusBeforePromoting ?? "verifying"
    const wanted = before === "awaiting_approval" && !otherVerified ? "verifying" : before
    const next = Lifecycle.next(ChangeLifecycle, change.status, "swapRefused", wanted)
    return next._tag === "Failure"
      ? {}
      : { status: next.success, statusBeforePromoting: null, promotingCandidateId: null }
  }
  if (otherVerified) return {}
  const next = Lifecycle.next(ChangeLifecycle, change.status, "noVerifiedCandidate")
  return next._tag === "Failure" ? {} : { status: next.success }
}

/** A Candidate that has ended without being promoted. */
export interface Gone {
  readonly candidateId: string
  readonly reason: string
  /** Whether the Change has another verified Candidate on the head. */
  readonly otherVerified: boolean
  readonly now: Time.Timestamp
  readonly actor: Actor
}

interface Left {
  readonly writes: ReadonlyArray<Commit.Write>
  readonly events: ReadonlyArray<NewEvent>
}

/**
 * What the end of a Candidate writes of its Change. A rollback is never composed anew and takes no other work, so its
 * Change is cancelled with its only Candidate.
 */
export const leftWithout = (change: Commit.Stored<Change>, gone: Gone): Left => {
  const moved = changeWithout(change.record, gone.candidateId, gone.otherVerified)
  const left: Change = { ...change.record, ...moved, updatedAt: gone.now }
  const writes = [Commit.update("change", change, left)]
  const next = Lifecycle.next(ChangeLifecycle, left.status, "cancel")
  if (left.kind !== "rollback" || next._tag === "Failure") return { writes, events: [] }
  const reason = `${gone.reason}: ask for the rollback anew`
  const { id } = left
  return {
    writes: [
      ...writes,
      Commit.update("change", { record: left, revision: change.revision + 1 }, { status: next.success, reason })
    ],
    events: [{ type: "change.cancelled", subject: id, data: { reason }, actor: gone.actor }]
  }
}

/** The end of a rollback's Change, whose Candidate was never verified; nothing for any other Change, which goes on. */
export const endOfRollback = (change: Commit.Stored<Change>, gone: Omit<Gone, "otherVerified">): Left =>
  change.record.kind === "rollback"
    ? leftWithout(change, { ...gone, otherVerified: false })
    : { writes: [], events: [] }
