/** The leaves of a chain's log, from which its Merkle tree (RFC 6962) is made at the sizes that checkpoints name. */
import { Base64 } from "effect/encoding"
import { treeRoot } from "../provenance/Merkle.ts"
import type { Hashing } from "./Engine.ts"

const hashBytes = 32
const firstLeaves = 1024

/** The leaves of a log, 32 bytes each. */
export interface Leaves {
  readonly count: () => number
  readonly add: (payload: Uint8Array) => void
  /** Adds one of which its hash alone is known, 32 bytes. */
  readonly addHash: (leaf: Uint8Array) => void
  /** The root over the first `size` leaves, in base64. */
  readonly rootOf: (size: number) => string
}

/** A log without leaves. */
export const emptyLeaves = (hash: Hashing): Leaves => {
  let bytes = new Uint8Array(firstLeaves * hashBytes)
  let count = 0
  // What is hashed is written into one place again and again.
  let leaf = new Uint8Array(firstLeaves)
  const both = new Uint8Array(1 + 2 * hashBytes).fill(1, 0, 1)
  const roots = new Map<number, string>()
  const leafAt = (index: number) => bytes.subarray(index * hashBytes, (index + 1) * hashBytes)
  const node = (left: Uint8Array, right: Uint8Array): Uint8Array => {
    both.set(left, 1)
    both.set(right, 1 + hashBytes)
    return hash(both)
  }
  const addHash = (known: Uint8Array): void => {
    if ((count + 1) * hashBytes > bytes.length) {
      const longer = new Uint8Array(bytes.length * 2)
      longer.set(bytes)
      bytes = longer
    }
    bytes.set(known, count * hashBytes)
    count++
  }
  return {
    count: () => count,
    addHash,
    add: (payload) => {
      const { length } = payload
      if (length >= leaf.length) leaf = new Uint8Array(2 * length)
      leaf.set(payload, 1)
      addHash(hash(leaf.subarray(0, length + 1)))
    },
    rootOf: (size) => {
      const known = roots.get(size)
      if (known !== undefined) return known
      const root = Base64.encode(size === 0 ? hash(new Uint8Array(0)) : treeRoot(leafAt, 0, size, node))
      roots.set(size, root)
      return root
    }
  }
}
