/** Reads a response's body up to a bound, so that no answer can fill the memory. */
import { Effect, Stream } from "effect"
import type { HttpClientResponse } from "effect/http"

/** At most the first `maxBytes` bytes. What comes after them is not read. */
export const readUpTo = (response: HttpClientResponse.HttpClientResponse, maxBytes: number) =>
  response.stream.pipe(
    Stream.mapAccum(0, (before, chunk: Uint8Array) => {
      const taken = chunk.subarray(0, Math.max(0, maxBytes - before))
      return [before + taken.length, { taken, full: before + taken.length >= maxBytes }] as const
    }),
    Stream.takeUntil(({ full }) => full),
    Stream.runFold<ReadonlyArray<Uint8Array>, { readonly taken: Uint8Array; readonly full: boolean }>(
      [],
      (chunks, { taken }) => [...chunks, taken]
    ),
    Effect.map((chunks) => {
      const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
      let at = 0
      for (const chunk of chunks) {
        bytes.set(chunk, at)
        at += chunk.length
      }
      return bytes
    })
  )
