/** Bodies of objects, read a piece at a time. */
import type { Readable } from "node:stream"
import { WrongAnswer } from "./S3Failures.ts"

/** Bytes of a range, the end exclusive. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Ends a body of which nothing comes for so long while it is waited for. */
export async function* watched(body: Readable, silenceMs: number): AsyncGenerator<Uint8Array> {
  const pieces: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]()
  try {
    for (;;) {
      const late = setTimeout(() => body.destroy(new WrongAnswer("TimeoutError")), silenceMs)
      const next = await pieces.next().finally(() => clearTimeout(late))
      if (next.done === true) return
      yield next.value
    }
  } finally {
    body.destroy()
  }
}
