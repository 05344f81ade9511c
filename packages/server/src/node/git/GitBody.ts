/** The body of a git request: bounded as it is sent and as it unpacks. */
import type { IncomingMessage } from "node:http"
import type { Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import { Data, Effect } from "effect"

/** The body cannot be used. `status` is the answer's. */
export class BadBody extends Data.TaggedError("BadBody")<{
  readonly status: 400 | 413 | 415
  readonly reason: string
}> {}

/** What was read, unpacked where it came as gzip. */
export interface GitBody {
  readonly bytes: Buffer
  /** There was more than `maxBytes`: `bytes` is the beginning. */
  readonly cut: boolean
}

const tooLarge = (max: number) => new BadBody({ status: 413, reason: `The body is larger than ${max} bytes.` })

/**
 * Reads a body up to `maxBytes`. What is more is read on and dropped up to `discardBytes` besides, so that a client
 * that sends before it listens can be told why; beyond that it fails with 413.
 */
export const readBody = (
  request: IncomingMessage,
  { discardBytes, maxBytes }: { readonly maxBytes: number; readonly discardBytes: number }
): Effect.Effect<GitBody, BadBody> =>
  Effect.callback<GitBody, BadBody>((resume) => {
    const encoding = request.headers["content-encoding"] ?? "identity"
    const zipped = encoding === "gzip" || encoding === "x-gzip"
    if (!zipped && encoding !== "identity")
      return resume(new BadBody({ status: 415, reason: `The body is encoded as ${encoding}; gzip is understood.` }))
    if (Number(request.headers["content-length"] ?? 0) > maxBytes + discardBytes) return resume(tooLarge(maxBytes))
    const unzip = zipped ? createGunzip() : null
    const source: Readable = unzip === null ? request : request.pipe(unzip)
    const pieces: Array<Buffer> = []
    let [size, kept] = [0, 0]
    const stop = () => {
      source.removeAllListeners("data")
      if (unzip !== null) {
        request.unpipe(unzip)
        unzip.destroy()
      }
    }
    source.on("data", (piece: Buffer) => {
      size += piece.length
      if (size > maxBytes + discardBytes) {
        stop()
        return resume(tooLarge(maxBytes))
      }
      const room = maxBytes - kept
      if (room <= 0) return
      kept += Math.min(room, piece.length)
      pieces.push(piece.length <= room ? piece : piece.subarray(0, room))
    })
    source.once("end", () => resume(Effect.succeed({ bytes: Buffer.concat(pieces), cut: size > maxBytes })))
    source.once("error", () => {
      stop()
      resume(new BadBody({ status: 400, reason: "The body is not what its headers say." }))
    })
    return Effect.sync(stop)
  })
