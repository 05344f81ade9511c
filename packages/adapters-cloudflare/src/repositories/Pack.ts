/** Packs: how many objects travel and are kept as one run of bytes. Written whole; read with the deltas that git makes. */
import { Data } from "effect"
import { Hex } from "effect/encoding"
import { sameBytes, utf8 } from "@pawl/core/primitives/Digest"
import { CloudflareLimits } from "../CloudflareLimits.ts"
import { joined } from "@pawl/core/primitives/JoinedBytes"
import { gitObject, type GitObject, type ObjectType, sha1Digest, sha1Of } from "./GitObject.ts"
import { madeBytes, withDelta } from "./PackDelta.ts"
import { deflated, inflatedAt } from "./Deflate.ts"

/** The bytes are no pack, or not a whole one. */
export class BadPack extends Data.TaggedError("BadPack")<{ readonly reason: string }> {}

const codes = { commit: 1, tree: 2, blob: 3 } as const
const types: Readonly<Record<number, ObjectType>> = { 1: "commit", 2: "tree", 3: "blob" }
const deltaByOffset = 6
const deltaById = 7
const headerBytes = 12
const idBytes = 20

const entryHeader = ({ body, type }: GitObject): Uint8Array => {
  let size = body.length
  const bytes = [(codes[type] << 4) | (size & 15)]
  size = Math.floor(size / 16)
  for (let at = 0; size > 0; at++) {
    bytes[at] = bytes[at]! | 128
    bytes.push(size & 127)
    size = Math.floor(size / 128)
  }
  return Uint8Array.from(bytes)
}

/** A pack of whole objects, piece by piece: each is made when it is asked for. */
export function* packPieces(objects: ReadonlyArray<GitObject>): Generator<Uint8Array, void> {
  const header = new Uint8Array(headerBytes)
  header.set(utf8("PACK"))
  const view = new DataView(header.buffer)
  view.setUint32(4, 2)
  view.setUint32(8, objects.length)
  const digest = sha1Digest().update(header)
  yield header
  for (const object of objects) {
    const piece = joined([entryHeader(object), deflated(object.body)])
    digest.update(piece)
    yield piece
  }
  yield digest.digest()
}

/** A pack of whole objects. */
export const packOf = (objects: ReadonlyArray<GitObject>): Uint8Array => joined([...packPieces(objects)])

/** Where an entry begins, and what it says before its bytes. */
interface Head {
  readonly code: number
  /** Of the bytes once they are inflated. */
  readonly size: number
  /** Where what follows the head begins. */
  readonly end: number
}

const headAt = (pack: Uint8Array, at: number): Head => {
  let byte = pack[at]!
  let size = byte & 15
  let end = at + 1
  for (let factor = 16; (byte & 128) !== 0; factor *= 128) {
    byte = pack[end++]!
    size += (byte & 127) * factor
  }
  return { code: (pack[at]! >> 4) & 7, size, end }
}

/** How far before a delta its base begins: git's own way to write a number. */
const offsetAt = (pack: Uint8Array, at: number): { readonly back: number; readonly end: number } => {
  let byte = pack[at]!
  let back = byte & 127
  let end = at + 1
  while ((byte & 128) !== 0) {
    byte = pack[end++]!
    back = (back + 1) * 128 + (byte & 127)
  }
  return { back, end }
}

/** What a pack may come to. */
export interface PackBounds {
  readonly objects: number
  /** Of one object, and of a delta. */
  readonly objectBytes: number
  /** Of all objects and deltas. */
  readonly unpackedBytes: number
}

/** What was written here, or by Artifacts for us. */
const ownBounds: PackBounds = {
  objects: Number.POSITIVE_INFINITY,
  objectBytes: CloudflareLimits.repositoryBytes,
  unpackedBytes: Number.POSITIVE_INFINITY
}

const tooMuch = (what: string, actual: number, max: number) =>
  new BadPack({ reason: `${what}: ${actual} where ${max} is the most` })

/** Adds up what a pack comes to. Throws `BadPack` as soon as it is too much. */
const measuring = ({ objectBytes, unpackedBytes }: PackBounds): ((size: number) => void) => {
  let all = 0
  return (size) => {
    if (size > objectBytes) throw tooMuch("an object has too many bytes", size, objectBytes)
    all += size
    if (all > unpackedBytes) throw tooMuch("it unpacks to too many bytes", all, unpackedBytes)
  }
}

/**
 * All objects of a pack, in its order. `base` finds what a delta rests on and is not in the pack. Throws `BadPack`: also
 * where it comes to more than the bounds, of which no more is unpacked than they allow.
 */
export const objectsIn = (
  pack: Uint8Array,
  base: (id: string) => GitObject | undefined,
  bounds: PackBounds = ownBounds
): ReadonlyArray<GitObject> => {
  const view = new DataView(pack.buffer, pack.byteOffset, pack.length)
  const end = pack.length - idBytes
  if (end < headerBytes || view.getUint32(0) !== 0x5041434b || view.getUint32(4) !== 2)
    throw new BadPack({ reason: "it does not begin as a pack" })
  if (!sameBytes(sha1Of(pack.subarray(0, end)), pack.subarray(end)))
    throw new BadPack({ reason: "its SHA-1 is another" })
  const count = view.getUint32(8)
  if (count > bounds.objects) throw tooMuch("too many objects", count, bounds.objects)
  const measure = measuring(bounds)
  const byPlace = new Map<number, GitObject>()
  const byId = new Map<string, GitObject>()
  let at = headerBytes
  for (let left = count; left > 0; left--) {
    const place = at
    const { code, end: afterHead, size } = headAt(pack, at)
    const offset = code === deltaByOffset ? offsetAt(pack, afterHead) : null
    const start = offset?.end ?? (code === deltaById ? afterHead + idBytes : afterHead)
    measure(size)
    // The pack's SHA-1 has proved its bytes. What says that it is small is never made larger.
    const read = inflatedAt(pack, start, size)
    if (read === null) throw new BadPack({ reason: "an entry does not unpack to the size that it says" })
    at = read.end
    const type = types[code]
    if (type !== undefined) byPlace.set(place, gitObject(type, read.bytes))
    else {
      const id = code === deltaById ? Hex.encode(pack.subarray(afterHead, start)) : ""
      const on = offset === null ? (byId.get(id) ?? base(id)) : byPlace.get(place - offset.back)
      measure(madeBytes(read.bytes))
      const body = on === undefined ? null : withDelta(on.body, read.bytes)
      if (on === undefined || body === null) throw new BadPack({ reason: "a delta does not fit its base" })
      byPlace.set(place, gitObject(on.type, body))
    }
    const object = byPlace.get(place)!
    byId.set(object.id, object)
  }
  if (at !== end) throw new BadPack({ reason: "it has more bytes than its objects" })
  return [...byPlace.values()]
}
