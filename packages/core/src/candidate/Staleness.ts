/** A Candidate whose base is behind canonical is stale: it is never retried blind. */
import { Effect } from "effect"
import { system } from "../model/Actor.ts"
import type { Change } from "../model/Change.ts"
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

/** Whether canonical is not what a Candidate was made on: another generation, or the same one with another tree. */
export const isBehind = (candidate: Candidate, head: Head): boolean =>
  candidate.baseGeneration !== head.generation || candidate.baseTree !== head.tree

/** Why a Candidate is behind, in words. */
const whyBehind = ({ baseGeneration, baseTree }: Candidate, { generation, tree }: Head): string =>
  baseGeneration === generation
    ? `canonical S${generation} has the tree ${tree}, this Candidate was made on the tree ${baseTree}`
    : `canonical is at S${generation}, this Candidate was made on S${baseGeneration}`

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
export const hasOtherVerified = Effect.fnUntraced(function* (candidate: Candidate, generation: number) {
  const page = yield* (yield* Records).list("candidate", {
    where: { changeId: candidate.changeId, status: "verified" },
    limit: "all"
  })
  return page.items.some((each) => each.record.id !== candidate.id && each.record.baseGeneration === generation)
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
