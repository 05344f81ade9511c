/** The files of a diff, as the tab shows them. */
import type { Answer } from "../api/Wire.ts"
import { type Patch, readPatch } from "./Patch.ts"

/** A diff as the API answers it. */
export type Diff = Answer<"candidates", "diff">

/** A file with its patch. */
export interface DiffFile {
  readonly path: string
  readonly status: "added" | "modified" | "deleted"
  readonly additions: number
  readonly deletions: number
  readonly patch: Patch
  /** What "viewed" is remembered by: other content is another file to view. */
  readonly mark: string
  /** More than is read at a glance: it is shown when somebody asks for it. */
  readonly isLong: boolean
  /** The file is named so on the page. */
  readonly anchor: string
}

/** Bytes of a patch from which on it is not shown by itself, about as characters. */
const longPatch = 64 * 1024

/** The files in the order of the answer. `tree` is that of the Candidate: it stands for the content where a patch names none. */
export const filesOf = ({ files }: Diff, tree: string): ReadonlyArray<DiffFile> =>
  files.map(({ additions, deletions, patch: text, path, status }, index) => {
    const patch = readPatch(text)
    const mark = `${path} ${patch.blobs ?? tree}`
    return {
      path,
      status,
      additions,
      deletions,
      patch,
      mark,
      isLong: text.length > longPatch,
      anchor: `file-${index + 1}`
    }
  })

/** Files of one folder. */
export interface Folder {
  /** Without a slash at its end; empty for the root. */
  readonly name: string
  readonly files: ReadonlyArray<DiffFile>
}

/** Files by their folders, in the order in which they come first. `search` is part of a path, in any case. */
export const foldersOf = (files: ReadonlyArray<DiffFile>, search: string): ReadonlyArray<Folder> => {
  const folders = new Map<string, Array<DiffFile>>()
  for (const file of files) {
    if (!file.path.toLowerCase().includes(search.toLowerCase())) continue
    const name = file.path.slice(0, Math.max(0, file.path.lastIndexOf("/")))
    const there = folders.get(name)
    if (there === undefined) folders.set(name, [file])
    else there.push(file)
  }
  return Array.from(folders, ([name, found]) => ({ name, files: found }))
}

/** Lines that a file shows at first. */
const linesOf = ({ isLong, patch }: DiffFile): number =>
  isLong ? 0 : patch.hunks.reduce((sum, { lines }) => sum + lines.length + 1, 0)

/** How many more files to show after the first `shown`, so that about `lines` more lines come, and at least one file. */
export const filesWithin = (files: ReadonlyArray<DiffFile>, shown: number, lines: number): number => {
  let end = shown
  let left = lines
  while (end < files.length && (end === shown || left > 0)) {
    const file = files[end]
    if (file !== undefined) left -= linesOf(file) + 2
    end += 1
  }
  return end
}
