/**
 * The right edge of a Merkle tree (RFC 6962, section 2.1): the roots of its whole subtrees, largest first. It is all that
 * is needed to add a leaf or to know the root, at any size.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { Hex } from "effect/encoding"
import { hexBytes } from "../primitives/Digest.ts"

const prefixed = (prefix: 0 | 1, ...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const hash = sha256.create().update(Uint8Array.of(prefix))
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** The hash of a leaf: SHA-256 of 0x00 and its bytes. */
export const leafHash = (leaf: Uint8Array): Uint8Array => prefixed(0, leaf)

/** The hash of an inner node: SHA-256 of 0x01 and its two children. */
export const nodeHash = (left: Uint8Array, right: Uint8Array): Uint8Array => prefixed(1, left, right)

/** The edge of `size` leaves with one more. */
export const extended = (edge: ReadonlyArray<string>, size: number, leaf: Uint8Array): ReadonlyArray<string> => {
  const rest = edge.map(hexBytes)
  let last = leafHash(leaf)
  // Each one of the size's lowest bits is a whole subtree that this leaf makes one with.
  for (let bits = size; bits % 2 === 1; bits = (bits - 1) / 2) last = nodeHash(rest.pop() ?? last, last)
  return [...rest, last].map((hash) => Hex.encode(hash))
}

/** The root of the tree that has this edge; of no leaves the SHA-256 of nothing. */
export const rootOf = (edge: ReadonlyArray<string>): Uint8Array => {
  const [last, ...before] = edge.map(hexBytes).reverse()
  return last === undefined ? sha256(new Uint8Array(0)) : before.reduce((right, left) => nodeHash(left, right), last)
}
