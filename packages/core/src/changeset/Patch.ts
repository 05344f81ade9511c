/**
 * A patch: what git's unified diff says is to be done to the files of a base. It is read as strictly as `git apply`
 * reads it, and more so where a mistake could otherwise go unseen.
 */
import { Schema } from "effect"
import { short } from "../primitives/ShortText.ts"

const Place = {
  /** The path of the file that it is about; null where none is named yet. */
  file: Schema.NullOr(Schema.String),
  /** Which hunk of the file, from 1; null for the file as a whole. */
  hunk: Schema.NullOr(Schema.Finite),
  /** The line of the patch, from 1. */
  line: Schema.Finite,
  /** What is wrong there, and what to do. */
  reason: Schema.String
}

interface Told {
  readonly file: string | null
  readonly hunk: number | null
  readonly line: number
  readonly reason: string
}

const inWords = ({ file, hunk, line, reason }: Told): string => {
  const where = [
    ...(file === null ? [] : [short(file)]),
    ...(hunk === null ? [] : [`hunk ${hunk}`]),
    `line ${line} of the patch`
  ]
  return `${where.join(", ")}: ${reason}. Nothing was recorded.`
}

/** The text is no patch, or asks for what a ChangeSet cannot hold. It fits no source: mend it. */
export class PatchMalformed extends Schema.TaggedError<PatchMalformed>()("PatchMalformed", Place) {
  override get message() {
    return inWords(this)
  }
}

/** The patch does not fit the files of the base. Make it anew from the files as they are there. */
export class PatchMisfit extends Schema.TaggedError<PatchMisfit>()("PatchMisfit", Place) {
  override get message() {
    return inWords(this)
  }
}

/** A stretch of lines and what becomes of it. Lines have their end with them, but for a last one without. */
export interface Hunk {
  /** Of its header, in the patch. */
  readonly line: number
  /** Where it stands before and after, from 1, as its header says; 0 for an empty file. */
  readonly oldStart: number
  readonly newStart: number
  readonly before: ReadonlyArray<string>
  readonly after: ReadonlyArray<string>
  /** Whether it ends with lines that stay. */
  readonly hasTail: boolean
}

/** What is done to one file. */
export interface FilePatch {
  /** Of its header, in the patch. */
  readonly line: number
  readonly kind: "modify" | "create" | "delete" | "rename" | "copy"
  /** The file that is written, or deleted. */
  readonly path: string
  /** The file that its contents begin with: another one where it is renamed or copied, null where it is new. */
  readonly from: string | null
  /** The mode that the file has before, where the patch says it. */
  readonly mode: string | null
  readonly hunks: ReadonlyArray<Hunk>
}

/** All of a patch, in its order. No path is written or deleted twice. */
export type Patch = ReadonlyArray<FilePatch>
