/**
 * Messages over a stream of bytes: each as V8 writes it (maps and bytes too), behind its length in four bytes, the lowest
 * first. It is what Node's own channel to a child does, which only who forks the child has.
 */
import type { Readable, Writable } from "node:stream"
import { deserialize, serialize } from "node:v8"

/** The descriptor over which a program of ours talks with who started it. */
export const lineDescriptor = 3

const headBytes = 4

/** Sends one. */
export const sendFrame = (stream: Writable, message: unknown): void => {
  const body = serialize(message)
  const head = Buffer.allocUnsafe(headBytes)
  head.writeUInt32LE(body.length)
  stream.cork()
  stream.write(head)
  stream.write(body)
  stream.uncork()
}

/** Hears each that comes. `broken`: one is longer than `maxBytes`, or none of V8's; nothing is heard after that. */
export const hearFrames = (
  stream: Readable,
  maxBytes: number,
  heard: (message: unknown) => void,
  broken: () => void
): void => {
  let pieces: Array<Buffer> = []
  let length = 0
  let wanted = headBytes
  let isHead = true
  const take = (): Buffer => {
    const [first = Buffer.alloc(0)] = pieces
    const all = pieces.length === 1 ? first : Buffer.concat(pieces, length)
    const rest = all.subarray(wanted)
    pieces = rest.length === 0 ? [] : [rest]
    length = rest.length
    return all.subarray(0, wanted)
  }
  const step = (): void => {
    while (length >= wanted) {
      const bytes = take()
      if (isHead) wanted = bytes.readUInt32LE()
      else {
        wanted = headBytes
        heard(deserialize(bytes))
      }
      isHead = !isHead
      if (!isHead && wanted > maxBytes) throw new RangeError("a message is too long")
    }
  }
  const hear = (piece: Buffer): void => {
    pieces.push(piece)
    length += piece.length
    try {
      step()
    } catch {
      stream.off("data", hear).resume()
      broken()
    }
  }
  stream.on("data", hear)
}
