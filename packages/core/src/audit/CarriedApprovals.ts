/** Whether approvals that were carried over are of the same blobs: what Candidates do is read anew from their trees. */
import { Effect } from "effect"
import { groundOf } from "../approval/Grounds.ts"
import { differenceOf } from "../candidate/Difference.ts"
import type { Candidate } from "../model/Candidate.ts"
import { candidateFork } from "../primitives/Ids.ts"
import type { RepositoryRef } from "../project/Repositories.ts"
import type { GenerationRecords } from "./AuditedRecords.ts"
import type { Difference } from "./Derivation.ts"

/** Whether a Candidate does what its row says; nothing for trees that are gone. */
const toldOf = (ref: RepositoryRef, { baseTree, diff, id, tree }: Candidate) =>
  tree === null
    ? Effect.succeed([])
    : differenceOf(ref, baseTree, tree).pipe(
        Effect.map((found): ReadonlyArray<Difference> =>
          found === diff
            ? []
            : [{ code: "approval_not_carried", detail: `the difference of ${id} is ${found}, its row says ${diff}` }]
        ),
        Effect.catchTag(["ObjectNotFound", "TreeTooLarge"], () => Effect.succeed([]))
      )

/**
 * Every Candidate whose approvals count here does what its row says: the promoted one by canonical's trees, those from
 * which they were carried over by their own forks, while these are kept.
 */
export const differencesOf = Effect.fnUntraced(function* (ref: RepositoryRef, read: GenerationRecords) {
  const { approvals, candidate, kin } = read
  if (candidate === null || kin.candidates.length === 0) return []
  const from = approvals.flatMap((each) => groundOf(each, candidate, kin)?.granted ?? [])
  const own = yield* toldOf(ref, candidate)
  const others = yield* Effect.forEach(new Set(from), (each) =>
    toldOf({ project: each.projectId, fork: candidateFork(each.id) }, each)
  )
  return [...own, ...others.flat()]
})
