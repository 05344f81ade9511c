/**
 * A Candidate whose base will not become canonical is stale, whatever its checks said. It lost to a prediction and not
 * to canonical: no recomposition of its lineage, and never a reason to block it.
 */
import { Effect } from "effect"
import { system } from "../model/Actor.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { Change } from "../model/Change.ts"
import type { Head } from "../model/Generation.ts"
import { laneStepOf } from "../work/LaneWork.ts"
import { loseCandidateForGood } from "../change/LostCandidate.ts"
import type * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import * as Time from "../primitives/Time.ts"
import { hasOtherVerified } from "./Staleness.ts"

const actor = system("lane")

/** What a refutation is written by. */
export interface Refuted {
  readonly candidate: Commit.Stored<Candidate>
  readonly change: Commit.Stored<Change>
  readonly head: Head
  /** Whether the Change has another verified Candidate on the head. */
  readonly otherVerified: boolean
  /** Why its base will not be canonical, in words. */
  readonly reason: string
}

/** Makes a Candidate stale in a draft, and its Change lose it. Answers whether it was still open. */
export const refuteCandidate = (
  draft: Draft.Draft,
  { candidate, change, head, otherVerified, reason }: Refuted
): boolean => {
  if (!Draft.may(draft, "candidate", candidate, "predictionRefuted")) return false
  const { baseGeneration, id } = candidate.record
  const canonicalGeneration = head.generation
  const told = { changeId: change.record.id, baseGeneration, canonicalGeneration, reason }
  Draft.step(draft, "candidate", candidate, "predictionRefuted", { reason }, { "candidate.stale": told })
  loseCandidateForGood(draft, change, { candidateId: id, reason, otherVerified })
  return true
}

/** Makes a Candidate stale whose base cannot be had any more; leaves one that has ended as it is. */
export const refute = (candidateId: string, reason: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const candidate = yield* demand("candidate", candidateId)
      const change = yield* demand("change", candidate.record.changeId)
      const head = (yield* demand("head", candidate.record.projectId)).record
      const otherVerified = yield* hasOtherVerified(candidate.record, head)
      const draft = Draft.begin(candidate.record.projectId, actor, yield* Time.now)
      if (!refuteCandidate(draft, { candidate, change, head, otherVerified, reason })) return { answer: undefined }
      const { ahead } = candidate.record
      const before = ahead === null ? null : yield* find("candidate", ahead)
      if (before !== null) {
        const fell = { code: "gone", changeId: before.record.changeId, candidateId: before.record.id } as const
        Draft.update(draft, "candidate", candidate, { fell })
      }
      Draft.send(draft, ...laneStepOf(change.record))
      return { answer: undefined, commit: Draft.end(draft, { name: "Refutation.refute" }) }
    })
  ).pipe(Effect.withSpan("Refutation.refute", { attributes: { candidateId } }))
