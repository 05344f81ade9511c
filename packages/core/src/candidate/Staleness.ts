/** A Candidate whose base is behind canonical is stale: it is never retried blind. */
import { Effect } from "effect"
import { system } from "../access/Actor.ts"
import type { Change } from "../change/Change.ts"
import { ChangeLifecycle } from "../change/ChangeLifecycle.ts"
import { commandId, type NewCommand } from "../event/Command.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand } from "../ledger/Deciding.ts"
import * as Lifecycle from "../ledger/Lifecycle.ts"
import { Records } from "../ledger/Records.ts"
import * as Time from "../primitives/Time.ts"
import type { Head } from "../promotion/Generation.ts"
import type { Candidate } from "./Candidate.ts"
import { CandidateLifecycle } from "./CandidateLifecycle.ts"

const actor = system("staleness")

/** Whether this Candidate is the one that its Change is promoting. */
export const isPromoting = (change: Change, candidateId: string): boolean =>
  change.status === "promoting" && (change.promotingCandidateId ?? candidateId) === candidateId

/**
 * What becomes of a Change when one of its Candidates is gone: after a refused swap it has the status from before
 * promoting, and it is `verifying` when it awaited approval for a Candidate that was its last verified one. The end of
 * a Candidate that is not the one being promoted leaves a promotion alone.
 */
export const changeWithout = (change: Change, candidateId: string, otherVerified: boolean): Partial<Change> => {
  if (change.status === "promoting") {
    if (!isPromoting(change, candidateId)) return {}
    const before = change.statusBeforePromoting ?? "verifying"
    const wanted = before === "awaiting_approval" && !otherVerified ? "verifying" : before
    const next = Lifecycle.next(ChangeLifecycle, change.status, "swapRefused", wanted)
    return next._tag === "Left" ? {} : { status: next.right, statusBeforePromoting: null, promotingCandidateId: null }
  }
  if (otherVerified) return {}
  const next = Lifecycle.next(ChangeLifecycle, change.status, "noVerifiedCandidate")
  return next._tag === "Left" ? {} : { status: next.right }
}

/** Sent by every commit that makes a Candidate stale. A rollback is never recomposed: it is asked for anew. */
const recomposition = (candidate: Candidate, change: Change): ReadonlyArray<NewCommand> =>
  change.kind === "rollback"
    ? []
    : [
        {
          kind: "candidate.recompose",
          id: commandId("candidate.recompose", candidate.id),
          payload: { candidateId: candidate.id }
        }
      ]

/** Pure: the commit that makes a Candidate stale, or `null` when it is not behind, or past being stale. */
export const staleCommit = (
  candidate: Commit.Stored<Candidate>,
  change: Commit.Stored<Change>,
  head: Commit.Stored<Head>,
  otherVerified: boolean,
  now: Time.Timestamp
): Commit.Commit | null => {
  if (candidate.record.base_generation >= head.record.generation) return null
  const next = Lifecycle.next(CandidateLifecycle, candidate.record.status, "canonicalAdvanced")
  if (next._tag === "Left") return null
  const reason = `canonical is at S${head.record.generation}, this Candidate was made on S${candidate.record.base_generation}`
  return {
    name: "Staleness.mark",
    projectId: candidate.record.projectId,
    writes: [
      Commit.update("candidate", candidate, { status: next.right, reason, updatedAt: now }),
      Commit.update("change", change, {
        ...changeWithout(change.record, candidate.record.id, otherVerified),
        updatedAt: now
      })
    ],
    events: [
      {
        type: "candidate.stale",
        subject: candidate.record.id,
        data: {
          changeId: change.record.id,
          baseGeneration: candidate.record.base_generation,
          canonicalGeneration: head.record.generation,
          reason
        },
        actor
      }
    ],
    commands: recomposition(candidate.record, change.record)
  }
}

/** Whether the Change has another verified Candidate on the head. */
export const hasOtherVerified = (candidate: Candidate, generation: number) =>
  Effect.gen(function* () {
    const page = yield* (yield* Records).list("candidate", {
      where: { changeId: candidate.changeId, status: "verified" },
      limit: "all"
    })
    return page.items.some((each) => each.record.id !== candidate.id && each.record.base_generation === generation)
  })

/** Marks a Candidate stale when canonical moved on, and answers whether it is stale now. */
export const markStale = (candidateId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const candidate = yield* demand("candidate", candidateId)
      const change = yield* demand("change", candidate.record.changeId)
      const head = yield* demand("head", candidate.record.projectId)
      const other = yield* hasOtherVerified(candidate.record, head.record.generation)
      const commit = staleCommit(candidate, change, head, other, yield* Time.now)
      if (commit === null) return { answer: candidate.record.status === "stale" }
      return { answer: true, commit }
    })
  )
