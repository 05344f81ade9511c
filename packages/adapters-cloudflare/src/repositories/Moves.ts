/**
 * Files that one side of a merge moved elsewhere. git follows them; this merge does not, so that where a move could
 * matter it is a conflict: nothing is put where nobody meant it. Pure.
 */
import { CloudflareLimits } from "../CloudflareLimits.ts"
import { byteText } from "./Bytes.ts"
import type { Files, Objects, TreeFile } from "./Tree.ts"

/** The pieces that git compares files by: lines, and what is longer cut. */
const pieces = (bytes: Uint8Array): Map<string, number> => {
  const found = new Map<string, number>()
  for (const [piece] of byteText(bytes).matchAll(/[^\n]{0,63}\n|[^\n]{64}|[^\n]+$/g))
    found.set(piece, (found.get(piece) ?? 0) + piece.length)
  return found
}

type Known = Map<string, Map<string, number>>

/** About as much as git asks for before it takes one file for the other; rather less, so that none is overlooked. */
const isAlike = (objects: Objects, known: Known, one: TreeFile, other: TreeFile): boolean => {
  if (one.id === other.id) return one.size > 0
  const larger = Math.max(one.size, other.size)
  if (larger === 0 || Math.min(one.size, other.size) < larger * CloudflareLimits.movedShare) return false
  const piecesOf = ({ id, object }: TreeFile) => {
    const there = known.get(id) ?? pieces(object?.body ?? objects.get(id)?.body ?? new Uint8Array())
    known.set(id, there)
    return there
  }
  const second = piecesOf(other)
  let shared = 0
  for (const [piece, bytes] of piecesOf(one)) shared += Math.min(bytes, second.get(piece) ?? 0)
  return shared >= larger * CloudflareLimits.movedShare
}

/** Where each file that a side took away may have gone: files that the side added and that are like it. */
const movesOf = (
  objects: Objects,
  known: Known,
  base: Files,
  side: Files
): ReadonlyMap<string, ReadonlySet<string>> => {
  const gone = [...base].filter(([path]) => !side.has(path))
  const added = gone.length === 0 ? [] : [...side].filter(([path]) => !base.has(path))
  const moves = new Map<string, ReadonlySet<string>>()
  for (const [path, file] of gone) {
    const places = added.flatMap(([to, there]) => (isAlike(objects, known, file, there) ? [to] : []))
    if (places.length > 0) moves.set(path, new Set(places))
  }
  return moves
}

/** Whether a directory of the base is gone altogether. */
const isGone = (side: Files, directory: string): boolean =>
  ![...side.keys()].some((path) => path.startsWith(`${directory}/`))

/** Files that `other` added within directories that `side` moved elsewhere. */
const addedBeneath = (
  base: Files,
  side: Files,
  other: Files,
  moves: ReadonlyMap<string, unknown>
): ReadonlyArray<string> => {
  if (moves.size === 0) return []
  const gone = new Map<string, boolean>()
  const left = new Set<string>()
  for (const path of moves.keys())
    for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) left.add(path.slice(0, at))
  return [...other.keys()].filter((path) => {
    if (base.has(path)) return false
    for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) {
      const directory = path.slice(0, at)
      if (!left.has(directory)) continue
      if (!gone.has(directory)) gone.set(directory, isGone(side, directory))
      if (gone.get(directory) === true) return true
    }
    return false
  })
}

/** Paths of which a move says that the two sides may mean different things, although each of their files merges. */
export const doubtfulMoves = (objects: Objects, base: Files, ours: Files, theirs: Files): ReadonlyArray<string> => {
  const known: Known = new Map()
  const [one, other] = [movesOf(objects, known, base, ours), movesOf(objects, known, base, theirs)]
  const places = (moves: ReadonlyMap<string, ReadonlySet<string>>, path: string) =>
    [...(moves.get(path) ?? [])].sort().join("\0")
  const both = [...new Set([...one.keys(), ...other.keys()])].filter(
    (path) => !ours.has(path) && !theirs.has(path) && places(one, path) !== places(other, path)
  )
  return [...both, ...addedBeneath(base, ours, theirs, one), ...addedBeneath(base, theirs, ours, other)]
}
