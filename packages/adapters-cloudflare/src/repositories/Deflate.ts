/** Deflated bytes as git keeps them (RFC 1950), by the runtime's own zlib: a script that packs needs `nodejs_compat`. */
import { deflateSync, inflateSync } from "node:zlib"

/** What zlib answers with `info`, which the types of Node leave out. */
interface Inflated {
  readonly buffer: Buffer
  /** Of the bytes that it was given. */
  readonly engine: { readonly bytesWritten: number }
}

/** A chunk is one byte more than what is wanted: it is never full before the end, so there is no second one. */
const smallestChunk = 64

/** Bytes deflated, with their sum behind them. */
export const deflated = (bytes: Uint8Array): Uint8Array => deflateSync(bytes)

/**
 * What begins at a place and inflates to exactly so many bytes, and where it ends; null for what is damaged, cut off or of
 * another size. Never more is unpacked than one byte over the size.
 */
export const inflatedAt = (
  bytes: Uint8Array,
  at: number,
  size: number
): { readonly bytes: Uint8Array; readonly end: number } | null => {
  const options = { info: true, maxOutputLength: Math.max(1, size), chunkSize: Math.max(smallestChunk, size + 1) }
  try {
    const { buffer, engine } = inflateSync(bytes.subarray(at), options) as unknown as Inflated
    if (buffer.length !== size) return null
    return { bytes: new Uint8Array(buffer.buffer, buffer.byteOffset, size), end: at + engine.bytesWritten }
  } catch {
    return null
  }
}
