/** The three-way merge of trees, file by file. Pure. */
import { Result } from "effect"
import { compareCodePoints } from "@pawl/core/primitives/CodePoints"
import { directoriesOf } from "@pawl/core/project/Edits"
import { MergeConflict } from "@pawl/core/project/Repositories"
import { gitObject } from "./GitObject.ts"
import { doubtfulMoves } from "./Moves.ts"
import { mergeText } from "./TextMerge.ts"
import type { Files, Objects, TreeFile } from "./Tree.ts"

/** Where the bases of two sides themselves conflict: like no file, so that the sides must agree. */
export const contested: TreeFile = { id: "contested", size: 0, executable: false }

const same = (one: TreeFile | undefined, other: TreeFile | undefined): boolean =>
  one?.id === other?.id && one?.executable === other?.executable

const bodyOf = (objects: Objects, { id, object }: TreeFile): Uint8Array | undefined =>
  object?.body ?? objects.get(id)?.body

/** What two sides that both changed a file made of it; null for a conflict. */
const mergeFile = (objects: Objects, base: TreeFile, ours: TreeFile, theirs: TreeFile): TreeFile | null => {
  const executable = ours.executable === base.executable ? theirs.executable : ours.executable
  if (ours.id === theirs.id || theirs.id === base.id) return { ...ours, executable }
  if (ours.id === base.id) return { ...theirs, executable }
  const [b, o, t] = [bodyOf(objects, base), bodyOf(objects, ours), bodyOf(objects, theirs)]
  const body = b === undefined || o === undefined || t === undefined ? null : mergeText({ base: b, ours: o, theirs: t })
  if (body === null) return null
  const object = gitObject("blob", body)
  return { id: object.id, size: body.length, executable, object }
}

/** A merge as far as it goes: the files, and the paths that are in conflict. */
export const mergeFiles = (
  objects: Objects,
  base: Files,
  ours: Files,
  theirs: Files
): { readonly files: Map<string, TreeFile>; readonly conflicts: ReadonlySet<string> } => {
  const files = new Map<string, TreeFile>()
  const conflicts = new Set(doubtfulMoves(objects, base, ours, theirs))
  for (const path of new Set([...ours.keys(), ...theirs.keys(), ...base.keys()])) {
    const [b, o, t] = [base.get(path), ours.get(path), theirs.get(path)]
    const chosen =
      same(o, t) || same(t, b)
        ? o
        : same(o, b)
          ? t
          : b === undefined || o === undefined || t === undefined || b === contested
            ? null
            : mergeFile(objects, b, o, t)
    if (chosen === null) conflicts.add(path)
    else if (chosen !== undefined) files.set(path, chosen)
  }
  const directories = directoriesOf(files.keys())
  for (const path of files.keys()) if (directories.has(path)) conflicts.add(path)
  return { files, conflicts }
}

/** The merged files, whose new ones bring their objects; paths of `settled` are in no conflict, and are left out. */
export const mergeTrees = (
  objects: Objects,
  { base, ours, theirs }: { readonly base: Files; readonly ours: Files; readonly theirs: Files },
  settled: { readonly has: (path: string) => boolean }
): Result.Result<Map<string, TreeFile>, MergeConflict> => {
  const { conflicts, files } = mergeFiles(objects, base, ours, theirs)
  const paths = [...conflicts].filter((path) => !settled.has(path)).sort(compareCodePoints)
  return paths.length > 0 ? Result.fail(new MergeConflict({ paths })) : Result.succeed(files)
}
