/**
 * Proofs of a log's tree (RFC 6962, RFC 9162 section 2.1): that an entry is in it, and that a longer log goes on from a
 * shorter one. Hashes are those of leaves, 32 bytes each; a proof is checked with the two roots alone.
 */
import { Base64 } from "effect/encoding"
import { sameBytes } from "../primitives/Digest.ts"
import { nodeHash } from "./Edge.ts"

type Hash = Uint8Array

/** The largest power of two below a size of 2 or more. */
const split = (size: number): number => {
  let half = 1
  while (half * 2 < size) half *= 2
  return half
}

/** The root over the leaves from one index to before another, which lies behind it. `node` may be a faster `nodeHash`. */
export const treeRoot = (leafAt: (index: number) => Hash, from: number, to: number, node = nodeHash): Hash => {
  if (to - from === 1) return leafAt(from)
  const middle = from + split(to - from)
  return node(treeRoot(leafAt, from, middle, node), treeRoot(leafAt, middle, to, node))
}

const rootBetween = (leaves: ReadonlyArray<Hash>, from: number, to: number): Hash =>
  treeRoot((index) => leaves[index] ?? new Uint8Array(0), from, to)

/** What shows that the leaf at `index` is in the tree of all these leaves: from the bottom up. */
export const inclusionProof = (leaves: ReadonlyArray<Hash>, index: number): ReadonlyArray<Hash> => {
  const between = (from: number, to: number): ReadonlyArray<Hash> => {
    if (to - from === 1) return []
    const middle = from + split(to - from)
    return index < middle
      ? [...between(from, middle), rootBetween(leaves, middle, to)]
      : [...between(middle, to), rootBetween(leaves, from, middle)]
  }
  return between(0, leaves.length)
}

/**
 * The same proof from less: `edge` are the roots of the whole subtrees over the entries before `index`, largest first, and
 * `leaves` begin at `index`. Each left sibling on the way down is the next of the edge.
 */
export const inclusionProofBeside = (
  edge: ReadonlyArray<Hash>,
  index: number,
  leaves: ReadonlyArray<Hash>
): ReadonlyArray<Hash> => {
  const between = (from: number, to: number, left: ReadonlyArray<Hash>): ReadonlyArray<Hash> => {
    if (to - from === 1) return []
    const middle = from + split(to - from)
    return index < middle
      ? [...between(from, middle, left), rootBetween(leaves, middle - index, to - index)]
      : [...between(middle, to, left.slice(1)), ...left.slice(0, 1)]
  }
  return between(0, index + leaves.length, edge)
}

/** What shows that the tree of all these leaves goes on from the one of the first `size`, which is 1 or more. */
export const consistencyProof = (leaves: ReadonlyArray<Hash>, size: number): ReadonlyArray<Hash> => {
  const between = (from: number, to: number, isOld: boolean): ReadonlyArray<Hash> => {
    if (to === size) return isOld ? [] : [rootBetween(leaves, from, to)]
    const middle = from + split(to - from)
    return size <= middle
      ? [...between(from, middle, isOld), rootBetween(leaves, middle, to)]
      : [...between(middle, to, false), rootBetween(leaves, from, middle)]
  }
  return between(0, leaves.length, true)
}

const odd = (number: number): boolean => number % 2 === 1
const half = (number: number): number => Math.floor(number / 2)

/** Whether a proof shows that this leaf is at `index` of the tree with this size and root (RFC 9162, 2.1.3.2). */
export const isIncluded = (
  {
    index,
    leaf,
    root,
    size
  }: { readonly index: number; readonly leaf: Hash; readonly root: Hash; readonly size: number },
  proof: ReadonlyArray<Hash>
): boolean => {
  if (index >= size) return false
  let [at, last, hash] = [index, size - 1, leaf]
  for (const next of proof) {
    if (last === 0) return false
    if (odd(at) || at === last) {
      hash = nodeHash(next, hash)
      while (!odd(at) && at !== 0) [at, last] = [half(at), half(last)]
    } else hash = nodeHash(hash, next)
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0 && sameBytes(hash, root)
}

/** One state of a log. */
export interface Head {
  readonly size: number
  readonly root: Hash
}

/** Whether a proof shows that the longer log goes on from the shorter, of 1 or more entries (RFC 9162, 2.1.4.2). */
export const isConsistent = (old: Head, now: Head, proof: ReadonlyArray<Hash>): boolean => {
  if (old.size < 1 || old.size > now.size) return false
  if (old.size === now.size) return proof.length === 0 && sameBytes(old.root, now.root)
  let [at, last] = [old.size - 1, now.size - 1]
  while (odd(at)) [at, last] = [half(at), half(last)]
  // Of a whole subtree the old root is where it begins, and need not be told.
  const [first, ...rest] = split(old.size * 2) === old.size ? [old.root, ...proof] : proof
  if (first === undefined) return false
  let [before, after] = [first, first]
  for (const next of rest) {
    if (last === 0) return false
    if (odd(at) || at === last) {
      ;[before, after] = [nodeHash(next, before), nodeHash(next, after)]
      while (!odd(at) && at !== 0) [at, last] = [half(at), half(last)]
    } else after = nodeHash(after, next)
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0 && sameBytes(before, old.root) && sameBytes(after, now.root)
}

/** The proof as a text that stands alone (c2sp.org/tlog-proof@v1): the entry's index, the hashes, the checkpoint. */
export const tlogProof = (index: number, proof: ReadonlyArray<Hash>, checkpoint: string): string =>
  ["c2sp.org/tlog-proof@v1", `index ${index}`, ...proof.map((hash) => Base64.encode(hash)), "", checkpoint].join("\n")
