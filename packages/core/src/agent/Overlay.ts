/**
 * The files that an agent works on: a tree as it was found, and over it what the agent has made of it. Nothing is
 * written anywhere; the same edits on the same tree give the same overlay.
 */
import type { Effect } from "effect"
import type { FileEdits } from "../project/Repositories.ts"
import { canonicalJson, sha256 } from "../primitives/Digest.ts"
import { utf8Length } from "../primitives/CodePoints.ts"
import { exactText } from "../primitives/Utf8.ts"

/** A tree, and what was made of it. */
export interface Overlay {
  /** The bytes of every file of the tree. */
  readonly base: ReadonlyMap<string, Uint8Array>
  /** Files as they are now, where that is not as they were; null for one that was removed. */
  readonly edits: ReadonlyMap<string, string | null>
  /** Paths whose text, as it is now, the agent was shown or wrote itself. */
  readonly known: ReadonlySet<string>
}

/** What a path holds. */
export type Held =
  | { readonly _tag: "Text"; readonly text: string }
  /** Bytes that are no UTF-8 text. */
  | { readonly _tag: "Binary"; readonly bytes: number }
  | { readonly _tag: "Missing" }

/** One file of the listing. */
export interface Listed {
  readonly path: string
  /** In UTF-8. */
  readonly bytes: number
}

/** Nothing was changed yet. */
export const overlayOn = (base: ReadonlyMap<string, Uint8Array>): Overlay => ({
  base,
  edits: new Map(),
  known: new Set()
})

/** A byte order mark is part of the text, so that an edit keeps it. */
const decoded = (bytes: Uint8Array): string | null => {
  const text = exactText(bytes)
  return text === null || text.includes("\0") ? null : text
}

/** What a path holds now. */
export const heldAt = ({ base, edits }: Overlay, path: string): Held => {
  const edit = edits.get(path)
  if (edit === null) return { _tag: "Missing" }
  if (edit !== undefined) return { _tag: "Text", text: edit }
  const bytes = base.get(path)
  if (bytes === undefined) return { _tag: "Missing" }
  const text = decoded(bytes)
  return text === null ? { _tag: "Binary", bytes: bytes.length } : { _tag: "Text", text }
}

/** All files now, in the order of their paths. */
export const listing = ({ base, edits }: Overlay): ReadonlyArray<Listed> => {
  const sizes = new Map<string, number>()
  for (const [path, { length }] of base) sizes.set(path, length)
  for (const [path, text] of edits) {
    if (text === null) sizes.delete(path)
    else sizes.set(path, utf8Length(text))
  }
  return [...sizes].map(([path, bytes]) => ({ path, bytes })).sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** The agent was shown what a path holds. */
export const shown = (overlay: Overlay, path: string): Overlay => ({
  ...overlay,
  known: new Set(overlay.known).add(path)
})

/** A path holds this text from now on, and the agent knows it. */
export const written = (overlay: Overlay, path: string, text: string): Overlay => ({
  ...shown(overlay, path),
  edits: new Map(overlay.edits).set(path, text)
})

/** A path holds nothing from now on. */
export const removed = (overlay: Overlay, path: string): Overlay => {
  const edits = new Map(overlay.edits)
  if (overlay.base.has(path)) edits.set(path, null)
  else edits.delete(path)
  const known = new Set(overlay.known)
  known.delete(path)
  return { ...overlay, edits, known }
}

/** What differs from the tree. A file that is again as it was is none of it. */
export const editsOf = ({ base, edits }: Overlay): FileEdits =>
  Object.fromEntries(
    [...edits].filter(([path, text]) => {
      const bytes = base.get(path)
      if (bytes === undefined) return text !== null
      return text === null || decoded(bytes) !== text
    })
  )

/** A path and its text, in the order of the paths: what two overlays on the same tree are compared by. */
export const fingerprint = (overlay: Overlay): Effect.Effect<string> =>
  sha256(canonicalJson(Object.entries(editsOf(overlay)).sort(([a], [b]) => (a < b ? -1 : 1))))
