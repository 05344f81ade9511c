/** Reads a stream of bytes up to a bound, so that no answer can fill the memory. */
import { Effect, Stream } from "effect"

/** At most the first `maxBytes` bytes. What comes after them is not read. */
export const readUpTo = <E, R>(
  stream: Stream.Stream<Uint8Array, E, R>,
  maxBytes: number
): Effect.Effect<Uint8Array, E, R> =>
  stream.pipe(
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
