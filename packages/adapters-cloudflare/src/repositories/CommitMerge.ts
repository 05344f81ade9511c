/** Merges one commit into another: finds what both were made of, and merges the trees over it. Pure. */
import { Result } from "effect"
import type { InvalidPath, MergeConflict, ObjectNotFound, TreeTooLarge } from "@pawl/core/project/Repositories"
import { ancestors, mergeBases } from "./Ancestry.ts"
import { commitOf, type Files, type Objects, treeOf, type TreeFile } from "./Tree.ts"
import { contested, mergeFiles, mergeTrees } from "./TreeMerge.ts"

type Broken = ObjectNotFound | InvalidPath | TreeTooLarge

const filesOf = (objects: Objects, commit: string): Result.Result<Files, Broken> =>
  Result.flatMap(commitOf(objects, commit), ({ tree }) => Result.map(treeOf(objects, tree), ({ files }) => files))

/**
 * The files that two sides have their changes to. Where they have several bases, those are merged; where these conflict
 * the sides must agree.
 */
const baseFiles = (objects: Objects, bases: ReadonlyArray<string>): Result.Result<Files, Broken> =>
  Result.gen(function* () {
    const [first, ...others] = bases
    if (first === undefined) return new Map<string, TreeFile>()
    let files = yield* filesOf(objects, first)
    for (const other of others) {
      const below = yield* baseFiles(objects, mergeBases(objects, first, other))
      const merged = mergeFiles(objects, below, files, yield* filesOf(objects, other))
      for (const path of merged.conflicts) merged.files.set(path, contested)
      files = merged.files
    }
    return files
  })

/** The files of `theirs` merged into `ours`; `"contained"` where they are there already. */
export const mergeCommits = (
  objects: Objects,
  ours: string,
  theirs: string,
  settled: { readonly has: (path: string) => boolean }
): Result.Result<Map<string, TreeFile> | "contained", MergeConflict | Broken> =>
  Result.gen(function* () {
    yield* commitOf(objects, theirs)
    if (ancestors(objects, ours).has(theirs)) return "contained" as const
    const base = yield* baseFiles(objects, mergeBases(objects, ours, theirs))
    const sides = { base, ours: yield* filesOf(objects, ours), theirs: yield* filesOf(objects, theirs) }
    return yield* mergeTrees(objects, sides, settled)
  })
