/** Randomness for ids, from the operating system: two servers never draw the same numbers. */
import { randomBytes, randomInt } from "node:crypto"
import { Array as Arr, Chunk, Effect, Layer, Random } from "effect"

const fraction = (): number => randomBytes(6).readUIntBE(0, 6) / 2 ** 48

const service: Random.Random = {
  [Random.RandomTypeId]: Random.RandomTypeId,
  next: Effect.sync(fraction),
  nextBoolean: Effect.sync(() => randomInt(2) === 1),
  nextInt: Effect.sync(() => randomInt(2 ** 47)),
  nextRange: (min, max) => Effect.sync(() => min + fraction() * (max - min)),
  nextIntBetween: (min, max) => Effect.sync(() => randomInt(min, max)),
  shuffle: (elements) =>
    Effect.sync(() => {
      const all = Arr.fromIterable(elements).slice()
      for (let i = all.length - 1; i > 0; i--) {
        const j = randomInt(i + 1)
        const kept = all[i]!
        all[i] = all[j]!
        all[j] = kept
      }
      return Chunk.fromIterable(all)
    })
}

export const layer: Layer.Layer<never> = Layer.setRandom(service)
