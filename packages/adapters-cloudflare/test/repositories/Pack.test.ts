import * as FastCheck from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { rounds, seed } from "@pawl/testing/Depth"
import { utf8 } from "@pawl/core/primitives/Digest"
import {
  commitObject,
  type GitObject,
  gitObject,
  sha1Of,
  treeObject
} from "@pawl/adapters-cloudflare/repositories/GitObject"
import { BadPack, objectsIn, packOf } from "@pawl/adapters-cloudflare/repositories/Pack"
import { nativeRepository } from "./NativeMerges.ts"

const native = nativeRepository()
afterAll(native.remove)

const none = () => undefined
const signature = { name: "Pawl", email: "pawl@localhost", atMs: 1_700_000_000_123 }

/** Versions of one long text, which git packs as deltas of each other. */
const versions = Array.from({ length: 20 }, (_, version) =>
  gitObject(
    "blob",
    utf8(
      Array.from(
        { length: 3000 },
        (_, n) => `line ${n * 7919} ${n % 97 === version ? `changed ${version}` : ""}\n`
      ).join("")
    )
  )
)
const items = versions.map(({ id }, n) => ({ name: `${n}.txt`, mode: n % 2 === 0 ? "100644" : "100755", id }) as const)
const folder = treeObject(items)
const tree = treeObject([
  { name: "a", mode: "40000", id: folder.id },
  { name: "a.b", mode: "100644", id: versions[0]!.id }
])
const first = commitObject({ tree: tree.id, parents: [], message: "first", signature })
const second = commitObject({ tree: folder.id, parents: [first.id], message: "second\n\nwith more", signature })
const empty = gitObject("blob", new Uint8Array())
const objects = [...versions, folder, tree, first, second, empty]
const byId = (found: ReadonlyArray<GitObject>) => [...found].sort((a, b) => (a.id < b.id ? -1 : 1))

describe("Packs without git", () => {
  it("are whole to git, which finds every object in them under the same id, and well-formed", () => {
    native.index(packOf(objects))
    expect(native.git(["cat-file", "-p", `${second.id}^`])).toContain(
      `tree ${tree.id}\nauthor Pawl <pawl@localhost> 1700000000 +0000`
    )
    expect(native.git(["ls-tree", tree.id])).toBe(`100644 blob ${versions[0]!.id}\ta.b\n040000 tree ${folder.id}\ta\n`)
    expect(native.git(["fsck", "--strict", "--no-dangling"])).not.toContain("error")
  })

  it("are read as they were written, and as git packs them: deltas by offset and by id, thin ones too", () => {
    expect(objectsIn(packOf(objects), none)).toEqual(objects)
    expect(objectsIn(packOf([]), none)).toEqual([])
    native.index(packOf(objects))
    const ids = objects.map(({ id }) => `${id}\n`).join("")
    for (const delta of [["--delta-base-offset"], []]) {
      const pack = native.bytes(["pack-objects", "--stdout", "-q", "--window=50", "--no-reuse-delta", ...delta], ids)
      expect(pack.length).toBeLessThan(packOf(objects).length / 4)
      expect(byId(objectsIn(pack, none))).toEqual(byId(objects))
    }
    const later = gitObject("blob", utf8(`${new TextDecoder().decode(versions[0]!.body)}one more line\n`))
    const last = commitObject({
      tree: treeObject([{ name: "0.txt", mode: "100644", id: later.id }]).id,
      parents: [second.id],
      message: "",
      signature
    })
    native.index(packOf([later, treeObject([{ name: "0.txt", mode: "100644", id: later.id }]), last]))
    const thin = native.bytes(["pack-objects", "--stdout", "-q", "--revs", "--thin"], `${last.id}\n^${second.id}\n`)
    expect(() => objectsIn(thin, none)).toThrow(BadPack)
    const read = objectsIn(thin, (id) => objects.find((object) => object.id === id))
    expect(read.find(({ id }) => id === later.id)).toEqual(later)
  })

  it("are refused when they come to more than is allowed, or than they say, and no further unpacked than that", () => {
    const bounds = { objects: 3, objectBytes: 1000, unpackedBytes: 1500 }
    const blobs = (...sizes: ReadonlyArray<number>) =>
      packOf(sizes.map((size) => gitObject("blob", new Uint8Array(size))))
    expect(objectsIn(blobs(1000, 500), none, bounds)).toHaveLength(2)
    for (const [pack, words] of [
      [blobs(1001), "an object has too many bytes: 1001 where 1000 is the most"],
      [blobs(1000, 501), "it unpacks to too many bytes: 1501 where 1500 is the most"],
      [blobs(1, 2, 3, 4), "too many objects: 4 where 3 is the most"]
    ] as const)
      expect(() => objectsIn(pack, none, bounds)).toThrow(expect.objectContaining({ reason: words }))
    // Its head says one byte; what is deflated behind it is a megabyte.
    const whole = packOf([gitObject("blob", new Uint8Array(2 ** 20))])
    const one = packOf([gitObject("blob", new Uint8Array(1))])
    const body = [...one.subarray(0, 13), ...whole.subarray(16, -20)]
    const lie = Uint8Array.from([...body, ...sha1Of(Uint8Array.from(body))])
    expect(() => objectsIn(lie, none, bounds)).toThrow(
      expect.objectContaining({ reason: "an entry does not unpack to the size that it says" })
    )
  })

  it("are refused when a byte of them is another, or missing, and never read as something else", () => {
    native.index(packOf(objects))
    const whole = native.bytes(
      ["pack-objects", "--stdout", "-q", "--no-reuse-delta", "--delta-base-offset"],
      objects.map(({ id }) => `${id}\n`).join("")
    )
    const property = FastCheck.property(
      FastCheck.nat(whole.length - 1),
      FastCheck.integer({ min: 1, max: 255 }),
      (at, by) => {
        const bytes = Uint8Array.from(whole)
        bytes[at] = bytes[at]! ^ by
        expect(() => objectsIn(bytes, none)).toThrow(BadPack)
        expect(() => objectsIn(whole.subarray(0, at), none)).toThrow(BadPack)
      }
    )
    FastCheck.assert(property, { numRuns: rounds({ quick: 50, deep: 1000 }), seed })
  })
})
