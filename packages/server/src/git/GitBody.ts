/** The body of a git request, as it was read: bounded as it is sent and as it unpacks. */
import { Data } from "effect"

/** The body cannot be used. `status` is the answer's. */
export class BadBody extends Data.TaggedError("BadBody")<{
  readonly status: 400 | 413 | 415
  readonly reason: string
}> {}

/** What was read, unpacked where it came as gzip. */
export interface GitBody {
  readonly bytes: Uint8Array
  readonly maxBytes: number
  /** There was more than `maxBytes`: `bytes` is the beginning. */
  readonly cut: boolean
}

/** What a body may come to, in bytes once it is unpacked. */
export interface BodyBounds {
  readonly maxBytes: number
  /** Read and dropped besides, so that a client that sends before it listens can be told why. */
  readonly discardBytes: number
}

/** More than is even read. */
export const tooLarge = ({ maxBytes }: BodyBounds): BadBody =>
  new BadBody({ status: 413, reason: `The body is larger than ${maxBytes} bytes.` })

/** It ends too soon, or is no gzip. */
export const broken: BadBody = new BadBody({ status: 400, reason: "The body is not what its headers say." })

/** Whether a body of this encoding is unpacked. Null: nobody here understands it. */
export const isZipped = (encoding: string): boolean | null =>
  encoding === "gzip" || encoding === "x-gzip" ? true : encoding === "identity" ? false : null

/** For an encoding that nobody here understands. */
export const unknownEncoding = (encoding: string): BadBody =>
  new BadBody({ status: 415, reason: `The body is encoded as ${encoding}; gzip is understood.` })
