import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { extended, leafHash, rootOf } from "@pawl/core/provenance/Edge"
import {
  consistencyProof,
  inclusionProof,
  inclusionProofBeside,
  isConsistent,
  isIncluded,
  tlogProof
} from "@pawl/core/provenance/Merkle"

// The leaves and roots of the reference implementation of Certificate Transparency (RFC 6962).
const inputs = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"].map(
  (hex) => Uint8Array.from(Buffer.from(hex, "hex"))
)
const roots = [
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"
]

const rootAt = (leaves: ReadonlyArray<Uint8Array>, size: number): Uint8Array => {
  let edge: ReadonlyArray<string> = []
  for (const [at, leaf] of leaves.slice(0, size).entries()) edge = extended(edge, at, leaf)
  return rootOf(edge)
}
const many = Array.from({ length: 40 }, (_, at) => Uint8Array.of(at, at + 1))
const hashes = many.map(leafHash)
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")
const flipped = (bytes: Uint8Array) => bytes.map((byte, at) => (at === 0 ? byte ^ 1 : byte))

describe("The tree of a log", () => {
  it("has the roots of Certificate Transparency's reference, and its proofs", () => {
    expect(roots.map((_, at) => hex(rootAt(inputs, at + 1)))).toEqual(roots)
    const leaves = inputs.map(leafHash)
    expect(inclusionProof(leaves, 0).map(hex)).toEqual([
      "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
      "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
      "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"
    ])
    expect(consistencyProof(leaves, 6).map(hex)).toEqual([
      "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
      "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
      "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"
    ])
  })

  it("has the same proof of an entry from the edge before it and what came after it alone", () => {
    let edge: ReadonlyArray<string> = []
    for (const [index, leaf] of many.entries()) {
      for (let size = index + 1; size <= many.length; size++) {
        const before = edge.map((each) => Uint8Array.from(Buffer.from(each, "hex")))
        const beside = inclusionProofBeside(before, index, hashes.slice(index, size))
        expect(beside.map(hex)).toEqual(inclusionProof(hashes.slice(0, size), index).map(hex))
      }
      edge = extended(edge, index, leaf)
    }
  })

  it("shows of each entry, at each size, that it is in it, and of no other", () => {
    for (let size = 1; size <= many.length; size++) {
      const root = rootAt(many, size)
      for (let index = 0; index < size; index++) {
        const proof = inclusionProof(hashes.slice(0, size), index)
        const claim = { index, leaf: hashes[index]!, root, size }
        expect(isIncluded(claim, proof)).toBe(true)
        expect(isIncluded({ ...claim, leaf: flipped(claim.leaf) }, proof)).toBe(false)
        if (size > 1) expect(isIncluded({ ...claim, index: (index + 1) % size }, proof)).toBe(false)
        expect(isIncluded(claim, [...proof, root])).toBe(false)
        if (proof.length > 0) expect(isIncluded(claim, proof.slice(1))).toBe(false)
      }
    }
  })

  it("shows that each longer log goes on from each shorter one, and from no other", () => {
    for (let size = 1; size <= many.length; size++)
      for (let old = 1; old <= size; old++) {
        const proof = consistencyProof(hashes.slice(0, size), old)
        const [before, now] = [
          { size: old, root: rootAt(many, old) },
          { size, root: rootAt(many, size) }
        ]
        expect(isConsistent(before, now, proof)).toBe(true)
        expect(isConsistent({ ...before, root: flipped(before.root) }, now, proof)).toBe(false)
        expect(isConsistent(before, { ...now, root: flipped(now.root) }, proof)).toBe(false)
        if (proof.length > 0) expect(isConsistent(before, now, proof.slice(1))).toBe(false)
      }
  })

  it("takes no made-up proof", () => {
    const hash = fc.uint8Array({ minLength: 32, maxLength: 32 })
    fc.assert(
      fc.property(fc.array(hash, { maxLength: 8 }), fc.nat(39), fc.nat(39), (proof, one, other) => {
        const [old, size] = [Math.min(one, other) + 1, Math.max(one, other) + 1]
        const [before, now] = [
          { size: old, root: rootAt(many, old) },
          { size, root: rootAt(many, size) }
        ]
        if (old < size) expect(isConsistent(before, now, proof)).toBe(false)
        const claim = { index: old - 1, leaf: flipped(hashes[old - 1]!), root: now.root, size }
        expect(isIncluded(claim, proof)).toBe(false)
      }),
      { numRuns: 50 }
    )
  })

  it("tells an entry's proof in a text that stands alone", () => {
    const proof = inclusionProof(hashes.slice(0, 3), 2)
    const note = "localhost/log/x\n3\nroot\n\n— localhost/log/x sig\n"
    expect(tlogProof(2, proof, note)).toBe(
      `c2sp.org/tlog-proof@v1\nindex 2\n${Buffer.from(proof[0]!).toString("base64")}\n\n${note}`
    )
  })
})
