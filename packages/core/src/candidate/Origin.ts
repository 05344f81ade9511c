/** What a statement says of a Candidate's origin: who made its ChangeSets, and what its files are by SHA-256. */
import { Effect } from "effect"
import type { Candidate } from "../model/Candidate.ts"
import type { Change } from "../model/Change.ts"
import type { ChangeSet } from "../model/ChangeSet.ts"
import type { Made } from "../model/Made.ts"
import type { Policy } from "../model/Policy.ts"
import { demand, find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import { candidateFork } from "../primitives/Ids.ts"
import { readFiles } from "../project/Source.ts"
import { dirHash } from "../provenance/DirHash.ts"
import { differenceKept } from "./Difference.ts"

/** Who made a ChangeSet, by the ChangeSet and its Change alone. */
export const madeOf = (
  { author, commit, id }: Pick<ChangeSet, "author" | "commit" | "id">,
  { createdBy }: Pick<Change, "createdBy">
): Made => ({
  changeSet: id,
  digest: { gitCommit: commit },
  author: { type: author.type, id: author.id, ...(author.type === "agent" ? { for: createdBy.id } : {}) }
})

/** Who made the ChangeSets of a Candidate that an earlier version composed. One that is gone is left out. */
export const madeBefore = Effect.fnUntraced(function* (candidate: Candidate, change: Change) {
  const changeSets = yield* Effect.forEach(candidate.changeSets, (id) => find("changeSet", id))
  return changeSets.flatMap((each) => (each === null ? [] : [madeOf(each.record, change)]))
})

/** The model that a run asked last, and of which tier; nothing for a run that asked none of ours. */
const modelOf = Effect.fnUntraced(function* (runId: string) {
  const last = yield* (yield* Records).list("modelCall", { where: { runId }, order: "newest", limit: 1 })
  const call = last.items[0]?.record
  return call === undefined ? {} : { model: call.model, tier: call.tier }
})

/** What is kept with a composed Candidate, so that its promotion reads nothing more for its statement. */
export const originOf = Effect.fnUntraced(function* (candidate: Candidate, tree: string, policy: Policy) {
  const change = (yield* demand("change", candidate.changeId)).record
  const made = yield* Effect.forEach(
    candidate.changeSets,
    Effect.fnUntraced(function* (id) {
      const changeSet = (yield* demand("changeSet", id)).record
      const by = madeOf(changeSet, change)
      if (changeSet.author.type !== "agent") return by
      return { ...by, author: { ...by.author, ...(yield* modelOf(changeSet.runId)) } } satisfies Made
    })
  )
  const fork = { project: candidate.projectId, fork: candidateFork(candidate.id) }
  // What is too large to be read could not be composed.
  const files = yield* readFiles(fork, tree).pipe(Effect.catchTag("TreeTooLarge", Effect.die))
  const difference = yield* differenceKept(fork, candidate, tree, policy).pipe(
    Effect.catchTag("TreeTooLarge", Effect.die)
  )
  return { made, dirHash: yield* dirHash(files), ...difference }
}, Effect.withSpan("Composing.origin"))
