/** A Candidate whose base is behind canonical is stale: it is never retried blind. */
import { Effect } from "effect"
import { system } from "../model/Actor.ts"
import type { Change } from "../model/Change.ts"
import { isInLane, laneStepOf } from "../work/LaneWork.ts"
import { loseCandidateForGood } from "../change/LostCandidate.ts"
import { commandId, type NewCommand } from "../model/Command.ts"
import type * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { Records } from "../ledger/Records.ts"
import * as Time from "../primitives/Time.ts"
import type { Head } from "../model/Generation.ts"
import type { Candidate } from "../model/Candidate.ts"

const actor = system("staleness")

/** The command by which another takes the place of a Candidate. */
export const recompositionOf = ({ id }: Pick<Candidate, "id">): NewCommand => ({
  kind: "candidate.recompose",
  id: commandId("candidate.recompose", id),
  payload: { candidateId: id }
})

/**
 * Sent by every commit that makes a Candidate stale. A rollback is never recomposed: it is asked for anew. In the lane it
 * is the lane that says on what it is made next.
 */
const recomposition = (candidate: Candidate, change: Change): ReadonlyArray<NewCommand> =>
  change.kind === "rollback" || isInLane(change) ? laneStepOf(change) : [recompositionOf(candidate)]

type Base = Pick<Candidate, "baseCommit" | "baseGeneration" | "baseTree">

/**
 * Whether canonical is past what a Candidate was made on: a later generation, or the same one by another commit. Two
 * commits may have one tree, and only one of them is what the Candidate's own commit follows.
 */
export const isBehind = ({ baseCommit, baseGeneration, baseTree }: Base, { commit, generation, tree }: Head): boolean =>
  baseGeneration < generation || (baseGeneration === generation && (baseCommit !== commit || baseTree !== tree))

/** Whether a Candidate was made on a generation that is not there yet: it may come, so the Candidate is not behind. */
export const isAhead = ({ baseGeneration }: Pick<Candidate, "baseGeneration">, { generation }: Head): boolean =>
  baseGeneration > generation

/**
 * How many recompositions are charged to what takes the place of a stale Candidate: one more when it lost to canonical,
 * no more when what it was made on was a prediction, or its place in the lane was taken.
 */
export const recompositionAfter = (stale: Candidate, head: Head): number =>
  stale.ahead === null && isBehind(stale, head) ? stale.recomposition + 1 : stale.recomposition

/** What the end of a Candidate tells of the one that it was made on, while that is not canonical; else nothing. */
export const provisionally = ({ ahead, ...base }: Candidate, head: Head) => ({
  ...(ahead === null ? {} : { ahead }),
  ...(ahead !== null && isAhead(base, head) ? { provisional: true as const } : {})
})

/** The same for who has not read the head. Of a Candidate on canonical nothing is read. */
export const provisional = (candidate: Candidate) =>
  candidate.ahead === null
    ? Effect.succeed({})
    : Effect.map(demand("head", candidate.projectId), (head) => provisionally(candidate, head.record))

/** Why a Candidate is behind, in words. */
export const whyBehind = ({ baseCommit, baseGeneration, baseTree }: Base, { commit, generation, tree }: Head): string =>
  baseGeneration === generation
    ? `canonical S${generation} is the commit ${commit} (tree ${tree}), this Candidate was made on ${baseCommit} (tree ${baseTree})`
    : `canonical is at S${generation}, this Candidate was made on S${baseGeneration}`

/** The same as a sentence, by generations alone. */
export const behindInShort = (at: { readonly baseGeneration: number; readonly canonicalGeneration: number }): string =>
  at.baseGeneration === at.canonicalGeneration
    ? `Canonical S${at.canonicalGeneration} is another commit than the one that this Candidate was made on.`
    : `Canonical is at S${at.canonicalGeneration}, this Candidate was made on S${at.baseGeneration}.`

/** Pure: the commit that makes a Candidate stale, or `null` when it is not behind, or past being stale. */
export const staleCommit = (
  candidate: Commit.Stored<Candidate>,
  change: Commit.Stored<Change>,
  head: Commit.Stored<Head>,
  otherVerified: boolean,
  now: Time.Timestamp
): Commit.Commit | null => {
  if (!isBehind(candidate.record, head.record)) return null
  const draft = Draft.begin(candidate.record.projectId, actor, now)
  if (!Draft.may(draft, "candidate", candidate, "canonicalAdvanced")) return null
  const reason = whyBehind(candidate.record, head.record)
  const told = {
    changeId: change.record.id,
    baseGeneration: candidate.record.baseGeneration,
    canonicalGeneration: head.record.generation,
    reason
  }
  Draft.step(draft, "candidate", candidate, "canonicalAdvanced", { reason }, { "candidate.stale": told })
  loseCandidateForGood(draft, change, { candidateId: candidate.record.id, reason, otherVerified })
  Draft.send(draft, ...recomposition(candidate.record, change.record))
  return Draft.end(draft, { name: "Staleness.mark" })
}

/** Whether the Change has another verified Candidate on the head. */
export const hasOtherVerified = Effect.fnUntraced(function* (candidate: Candidate, head: Head) {
  const page = yield* (yield* Records).list("candidate", {
    where: { changeId: candidate.changeId, status: "verified" },
    limit: "all"
  })
  return page.items.some(
    ({ record }) => record.id !== candidate.id && !isBehind(record, head) && !isAhead(record, head)
  )
})

/** Marks a Candidate stale when canonical moved on, and answers whether it is stale now. */
export const markStale = (candidateId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const candidate = yield* demand("candidate", candidateId)
      const change = yield* demand("change", candidate.record.changeId)
      const head = yield* demand("head", candidate.record.projectId)
      const other = yield* hasOtherVerified(candidate.record, head.record)
      const commit = staleCommit(candidate, change, head, other, yield* Time.now)
      if (commit === null) return { answer: candidate.record.status === "stale" }
      return { answer: true, commit }
    })
  )
