/**
 * Candidates of the lane: each is made on what canonical will be when those ahead of it have landed. Which one that is,
 * the lane decides; here the Candidate is found or made, and written.
 */
import { Effect } from "effect"
import { system } from "../model/Actor.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { Change } from "../model/Change.ts"
import type { Head } from "../model/Generation.ts"
import type * as Commit from "../ledger/Commit.ts"
import { demand } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { Records } from "../ledger/Records.ts"
import type { CandidateId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import type { LineEnd } from "./Base.ts"
import { mayRetry, newCandidate, newestAttempt, ofSame, verification } from "./Candidates.ts"
import { type Refuted, refuteCandidate } from "./Refutation.ts"
import { hasOtherVerified, recompositionAfter } from "./Staleness.ts"

const actor = system("lane")

/** What the lane asks for. */
export interface Prediction {
  readonly changeId: Candidate["changeId"]
  /** In the order of the merges. */
  readonly changeSets: Candidate["changeSets"]
  /** Canonical, or what that will be when the one ahead has landed. */
  readonly base: LineEnd
  /** The one ahead; null for canonical. */
  readonly ahead: CandidateId | null
  /** The Candidate that was made for the entry before this one; null for the first. */
  readonly before: Candidate | null
}

/** The Candidate of a prediction. */
export interface Predicted {
  /** As it is stored; null for one that is to be made. */
  readonly there: Commit.Stored<Candidate> | null
  /** As it is to be. */
  readonly candidate: Candidate
  /** The one before, while it is open still: nobody is to check it. */
  readonly replaced: Refuted | null
}

/**
 * The Candidate of these ChangeSets on this very commit, or a new one of the line of the one before. One that failed for
 * gaps alone is made again; one that failed otherwise would fail again.
 */
export const predicted = Effect.fnUntraced(function* (asked: Prediction, head: Head) {
  const { ahead, base, before, changeId, changeSets } = asked
  const composition = {
    project: base.projectId,
    base: { generation: base.generation, tree: base.tree },
    changeSets
  }
  const found = yield* newestAttempt(composition, { baseCommit: base.commit, passes: mayRetry })
  const replaced = before === null || before.id === found.id ? null : yield* openOne(before, head)
  const prediction = before === null ? 0 : (before.prediction ?? 0) + 1
  if (found.candidate !== null) {
    const there = yield* demand("candidate", found.candidate.id)
    const kept = there.record.id === before?.id ? before.prediction : undefined
    const candidate = { ...there.record, ahead, prediction: kept ?? prediction }
    return { there, candidate, replaced } satisfies Predicted
  }
  const { attempt, id } = found
  const made = newCandidate({ id, attempt, head: base, ahead, changeSets, changeId, now: yield* Time.now })
  const from = before ?? (yield* earlier(asked))
  if (from === undefined) return { there: null, candidate: { ...made, prediction }, replaced } satisfies Predicted
  // In the lane it goes on, however often canonical moved on.
  const recomposition = Math.min(recompositionAfter(from, head), Limits.recompositions)
  const candidate = { ...made, prediction, lineage: from.lineage, recomposition }
  return { there: null, candidate, replaced } satisfies Predicted
})

/** What was composed of the same outside the lane: it is no other Candidate of the Change. */
const earlier = Effect.fnUntraced(function* ({ changeId, changeSets }: Prediction) {
  const { items } = yield* (yield* Records).list("candidate", { where: { changeId }, limit: "all" })
  return ofSame(
    items.map(({ record }) => record),
    changeSets
  )
})

const openOne = Effect.fnUntraced(function* (before: Candidate, head: Head) {
  const candidate = yield* demand("candidate", before.id)
  if (!Draft.leads("candidate", candidate.record.status, "predictionRefuted")) return null
  const change = yield* demand("change", before.changeId)
  const otherVerified = yield* hasOtherVerified(candidate.record, head)
  const reason = "it is made anew on what stands before it in the lane"
  return { candidate, change, head, otherVerified, reason } satisfies Refuted
})

/**
 * Writes the Candidate of a prediction, and what verifies it, at its place among those that wait for that (`order`, ms
 * since 1970). One that is there goes on as it was; the lane is told what becomes of it from now on.
 */
export const predict = (
  draft: Draft.Draft,
  change: Commit.Stored<Change>,
  { candidate, replaced, there }: Predicted,
  order: number
): void => {
  if (replaced !== null) refuteCandidate(draft, { ...replaced, change })
  // Guards the Change's rules about its Candidates.
  Draft.update(draft, "change", change, { updatedAt: draft.now })
  if (there === null) Draft.insert(draft, "candidate", candidate)
  else {
    const { ahead, prediction = 0 } = candidate
    Draft.update(draft, "candidate", there, { ahead, prediction })
  }
  if (candidate.status === "composing" || candidate.status === "verifying")
    Draft.send(draft, { ...verification(candidate, actor), order })
}
