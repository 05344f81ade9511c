/** Randomness for ids, from the operating system: two servers never draw the same numbers. */
import { randomFillSync } from "node:crypto"
import { Layer, Random } from "effect"

/** Drawn at once: asking the system for each number would cost more than all else that an id takes. */
const drawn = Buffer.alloc(4096)
let at = drawn.length

/** 53 bits, all that a number holds exactly. */
const bits = (): number => {
  if (at === drawn.length) {
    randomFillSync(drawn)
    at = 0
  }
  const high = drawn.readUInt32BE(at) >>> 11
  const low = drawn.readUInt32BE(at + 4)
  at += 8
  return high * 2 ** 32 + low
}

/** Takes the place of Effect's own generator; a number has 53 random bits. */
export const layer: Layer.Layer<never> = Layer.succeed(Random.Random, {
  nextDoubleUnsafe: () => bits() / 2 ** 53,
  nextIntUnsafe: () => bits() - 2 ** 52
})
