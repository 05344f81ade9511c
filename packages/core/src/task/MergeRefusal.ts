/** Why ChangeSets do not come to one commit, in words: for who composes them, and for a Task that depends on them. */
import type { RejectionCode } from "../model/Candidate.ts"
import { Limits } from "../primitives/Limits.ts"
import { namePaths } from "../project/Paths.ts"
import type { InvalidPath, MergeConflict, TreeTooLarge } from "../project/Repositories.ts"
import type { PackagesUnfit } from "./LockedMerge.ts"

/** What a merge refuses. */
export type MergeFailure = InvalidPath | MergeConflict | PackagesUnfit | TreeTooLarge

/** Why there is no merge. */
export interface MergeRefusal {
  readonly code: RejectionCode
  /** For people. */
  readonly reason: string
  /** The paths that it is about, `Limits.pathsNamed` at most. */
  readonly paths: ReadonlyArray<string>
}

/** The refusal that a failure is. */
export const mergeRefusal = (failure: MergeFailure): MergeRefusal => {
  const inConflict = (paths: ReadonlyArray<string>, more = ""): MergeRefusal => ({
    code: "merge_conflict",
    reason: `merge conflict in ${namePaths(paths)}${more}`,
    paths: paths.slice(0, Limits.pathsNamed)
  })
  switch (failure._tag) {
    case "MergeConflict":
      return inConflict(failure.paths)
    case "PackagesUnfit":
      return failure.isConflict
        ? inConflict(failure.paths, `: ${failure.reason}`)
        : { code: "packages_refused", reason: failure.reason, paths: [] }
    case "InvalidPath":
      return { code: "invalid_path", reason: `${failure.path}: ${failure.reason}`, paths: [failure.path] }
    case "TreeTooLarge":
      return {
        code: "tree_too_large",
        reason: `the merged tree has ${failure.actual} ${failure.limit}, more than ${failure.max}`,
        paths: []
      }
  }
}
