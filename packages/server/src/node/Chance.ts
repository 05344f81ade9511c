/** Randomness for ids, from the operating system: two servers never draw the same numbers. */
import { randomBytes } from "node:crypto"
import { Layer, Random } from "effect"

/** 53 bits, all that a number holds exactly. */
const bits = (): bigint => randomBytes(8).readBigUInt64BE() >> 11n

export const layer: Layer.Layer<never> = Layer.succeed(Random.Random, {
  nextDoubleUnsafe: () => Number(bits()) / 2 ** 53,
  nextIntUnsafe: () => Number(bits()) - 2 ** 52
})
