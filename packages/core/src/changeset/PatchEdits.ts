/** What a patch makes of the files of a base: the files to write and to delete, or the first thing that does not fit. */
import { Effect, Result } from "effect"
import { Base64 } from "effect/encoding"
import { Limits } from "../primitives/Limits.ts"
import { exactText } from "../primitives/Utf8.ts"
import {
  type FileContent,
  type FileEdits,
  Repositories,
  type RepositoryRef,
  TreeTooLarge
} from "../project/Repositories.ts"
import { type Patience, patchedText } from "./HunkPlaces.ts"
import { type FilePatch, type Patch, PatchMisfit } from "./Patch.ts"

/** A file of the base. */
export interface BaseFile {
  readonly content: Uint8Array
  readonly executable: boolean
}

/** The base, as a patch needs it. */
export interface PatchBase {
  /** Every path of a file. */
  readonly paths: ReadonlySet<string>
  /** The files that the patch begins with, where they are there. */
  readonly files: ReadonlyMap<string, BaseFile>
}

const contentOf = (bytes: Uint8Array): FileContent => exactText(bytes) ?? { base64: Base64.encode(bytes) }

const sizeOf = (content: FileContent): number =>
  typeof content === "string" ? content.length : Math.floor((content.base64.length * 3) / 4)

const misfit = ({ line, path }: FilePatch, reason: string) =>
  Result.fail(new PatchMisfit({ file: path, hunk: null, line, reason }))

/** Why a part cannot begin with the file that it begins with; null when it can. */
const originProblem = ({ from, kind, mode }: FilePatch, file: BaseFile | undefined): string | null => {
  if (file === undefined)
    return `there is no file ${from ?? ""} on the base: read what is there, and make the patch anew`
  if (kind !== "delete" && mode !== null && (mode === "100755") !== file.executable)
    return `it is ${file.executable ? "" : "not "}executable on the base, and mode ${mode} says otherwise`
  if ((kind === "rename" || kind === "copy") && file.executable)
    return `${from ?? ""} is executable, and a file that is written is not: push it with git from a clone, or leave it where it is`
  return null
}

/** What stands in the file of a part afterwards; null when it is deleted. */
const outcomeOf = (
  part: FilePatch,
  { files, paths }: PatchBase,
  patience: Patience
): Result.Result<FileContent | null, PatchMisfit> =>
  Result.gen(function* () {
    const { from, hunks, kind, path } = part
    if (from !== path && paths.has(path)) return yield* misfit(part, "there is such a file on the base already")
    const file = from === null ? undefined : files.get(from)
    const problem = from === null ? null : originProblem(part, file)
    if (problem !== null) return yield* misfit(part, problem)
    const bytes = file?.content ?? new Uint8Array()
    if (hunks.length === 0 && kind !== "delete") return contentOf(bytes)
    const text = exactText(bytes)
    if (text === null) return yield* misfit(part, "the file is no text in UTF-8: send it in files, as base64")
    const after = yield* Result.mapError(
      patchedText(text, hunks, patience),
      ({ hunk, number, reason }) => new PatchMisfit({ file: path, hunk: number, line: hunk.line, reason })
    )
    if (kind !== "delete") return after
    return after === "" ? null : yield* misfit(part, "it deletes the file and does not hold all of its lines")
  })

/** The edits that a patch comes to on a base, pure. */
export const patchEdits = (patch: Patch, base: PatchBase): Result.Result<FileEdits, PatchMisfit | TreeTooLarge> =>
  Result.gen(function* () {
    const edits = new Map<string, FileContent | null>()
    const patience: Patience = { left: Limits.patchComparisons }
    let written = 0
    for (const part of patch) {
      const content = yield* outcomeOf(part, base, patience)
      if (part.kind === "rename" && part.from !== null) edits.set(part.from, null)
      edits.set(part.path, content)
      written += content === null ? 0 : sizeOf(content)
      // Copies of one large file cost a patch nothing.
      if (written > Limits.sourceTotalBytes)
        return yield* Result.fail(
          new TreeTooLarge({ limit: "sourceTotalBytes", max: Limits.sourceTotalBytes, actual: written })
        )
    }
    return Object.fromEntries(edits)
  })

/** The edits that a patch comes to on a tree. A tree that is not there is a defect: whoever names one has read it. */
export const editsOnTree = Effect.fnUntraced(
  function* (patch: Patch, at: RepositoryRef, tree: string) {
    const repositories = yield* Repositories
    const entries = yield* repositories.list(at, tree)
    const there = new Map(entries.flatMap((each) => (each.type === "file" ? [[each.path, each] as const] : [])))
    const begun = [...new Set(patch.flatMap(({ from }) => (from === null ? [] : [from])))]
    const files = yield* Effect.forEach(
      begun.flatMap((path) => there.get(path) ?? []),
      ({ executable, path }) =>
        Effect.map(repositories.read(at, tree, path), (content) => [path, { content, executable }] as const),
      { concurrency: Limits.fileReadsAtOnce }
    )
    return yield* Effect.fromResult(patchEdits(patch, { paths: new Set(there.keys()), files: new Map(files) }))
  },
  Effect.catchTag("ObjectNotFound", Effect.die)
)
