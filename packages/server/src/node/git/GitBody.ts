/** Reads the body of a git request: bounded as it is sent and as it unpacks. */
import type { IncomingMessage } from "node:http"
import type { Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import { Effect } from "effect"
import {
  type BadBody,
  type BodyBounds,
  broken,
  type GitBody,
  isZipped,
  tooLarge,
  unknownEncoding
} from "../../git/GitBody.ts"

/**
 * Reads a body up to `maxBytes`. What is more is read on and dropped up to `discardBytes` besides, so that a client
 * that sends before it listens can be told why; beyond that it fails with 413.
 */
export const readBody = (request: IncomingMessage, bounds: BodyBounds): Effect.Effect<GitBody, BadBody> =>
  Effect.callback<GitBody, BadBody>((resume) => {
    const { discardBytes, maxBytes } = bounds
    const encoding = request.headers["content-encoding"] ?? "identity"
    const zipped = isZipped(encoding)
    if (zipped === null) return resume(unknownEncoding(encoding))
    if (Number(request.headers["content-length"] ?? 0) > maxBytes + discardBytes) return resume(tooLarge(bounds))
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
        return resume(tooLarge(bounds))
      }
      const room = maxBytes - kept
      if (room <= 0) return
      kept += Math.min(room, piece.length)
      pieces.push(piece.length <= room ? piece : piece.subarray(0, room))
    })
    source.once("end", () => resume(Effect.succeed({ bytes: Buffer.concat(pieces), maxBytes, cut: size > maxBytes })))
    source.once("error", () => {
      stop()
      resume(broken)
    })
    return Effect.sync(stop)
  })
