/**
 * A merge of two sides that have nothing to do with each other, by their listings alone. Where they may have, git looks:
 * where both changed one file, and where one took a file away, which the other side's may then have moved with.
 */
import { directoriesOf } from "@pawl/core/project/Edits"
import type { TreeFile } from "./GitTree.ts"

type Files = ReadonlyMap<string, TreeFile>

const same = (one: TreeFile | undefined, other: TreeFile | undefined): boolean =>
  one?.id === other?.id && one?.executable === other?.executable

const holdsAll = (side: Files, base: Files): boolean => [...base.keys()].every((path) => side.has(path))

/**
 * What to put over `ours` for the merge of both: the files that `theirs` alone changed or added. Null where git has to look.
 * No side has lost a file, so that nothing can have moved; a file that both have changed in the same way is as both say.
 */
export const disjointChanges = (base: Files, ours: Files, theirs: Files): Files | null => {
  if (!holdsAll(ours, base) || !holdsAll(theirs, base)) return null
  const changes = new Map<string, TreeFile>()
  for (const [path, file] of theirs) {
    const own = ours.get(path)
    if (same(file, base.get(path)) || same(file, own)) continue
    if (!same(own, base.get(path))) return null
    changes.set(path, file)
  }
  // A file on one side may be a folder on the other.
  const paths = new Set([...ours.keys(), ...changes.keys()])
  const directories = directoriesOf(paths)
  for (const path of paths) if (directories.has(path)) return null
  return changes
}
