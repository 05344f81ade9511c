/** Packs as bytes. Their deltas point backwards within the pack or name their base, so packs can be laid side by side. */
import { createHash } from "node:crypto"

const headerBytes = 12
const trailerBytes = 20

const isPack = (bytes: Buffer): boolean =>
  bytes.length >= headerBytes + trailerBytes && bytes.toString("latin1", 0, 4) === "PACK" && bytes.readUInt32BE(4) === 2

/** The same bytes as a Buffer, without a copy. */
const buffered = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

/** How many objects a pack says it has; null when it is none. */
export const objectsOf = (bytes: Uint8Array): number | null => {
  const pack = buffered(bytes)
  return isPack(pack) ? pack.readUInt32BE(8) : null
}

/** The SHA-1 that a pack or an index ends with, in hex. */
export const trailerOf = (bytes: Uint8Array): string => buffered(bytes).toString("hex", bytes.length - trailerBytes)

/** Whether an index is whole, and of the pack that ends with this. */
export const isIndexOf = (index: Uint8Array, packTrailer: string): boolean => {
  const bytes = buffered(index)
  const end = bytes.length - trailerBytes
  return (
    end > trailerBytes &&
    bytes.toString("hex", end - trailerBytes, end) === packTrailer &&
    createHash("sha1").update(bytes.subarray(0, end)).digest("hex") === trailerOf(bytes)
  )
}

/** One pack that holds all of these, in their order. The packs are whole ones; at least one. */
export const sideBySide = (packs: ReadonlyArray<Uint8Array>): Buffer => {
  const [first, ...more] = packs.map(buffered)
  if (first !== undefined && more.length === 0) return first
  const header = Buffer.alloc(headerBytes)
  header.write("PACK", "latin1")
  header.writeUInt32BE(2, 4)
  header.writeUInt32BE(
    packs.reduce((sum, pack) => sum + (objectsOf(pack) ?? 0), 0),
    8
  )
  const pieces = [header, ...packs.map((pack) => buffered(pack).subarray(headerBytes, pack.length - trailerBytes))]
  const hash = createHash("sha1")
  for (const piece of pieces) hash.update(piece)
  return Buffer.concat([...pieces, hash.digest()])
}

/** SHA-256 in hex. */
export const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")
