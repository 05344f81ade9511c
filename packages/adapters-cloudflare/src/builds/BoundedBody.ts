/** Reads a response's body up to a bound, so that no answer can fill the memory. */
import { Effect, Stream } from "effect"
import type { HttpClientResponse } from "effect/http"

/** At most the first `maxBytes` bytes. What comes after them is not read. */
export const readUpTo = (response: HttpClientResponse.HttpClientResponse, maxBytes: number) =>
  response.stream.pipe(
    Stream.mapAccum(
      () => 0,
      (before, chunk) => {
        const taken = chunk.subarray(0, Math.max(0, maxBytes - before))
        return [before + taken.length, [{ taken, full: before + taken.length >= maxBytes }]] as const
      }
    ),
    Stream.takeUntil(({ full }) => full),
    Stream.runCollect,
    Effect.map((pieces) => {
      const bytes = new Uint8Array(pieces.reduce((sum, { taken }) => sum + taken.length, 0))
      let at = 0
      for (const { taken } of pieces) {
        bytes.set(taken, at)
        at += taken.length
      }
      return bytes
    })
  )
