/** Bytes that nobody can guess: what tokens are made of. Effect's own `Random` is for ids, not for secrets. */
import { Context, Effect, Layer, Random } from "effect"

export class Secrets extends Context.Service<
  Secrets,
  {
    /** `count` bytes from a cryptographic source. */
    readonly bytes: (count: number) => Effect.Effect<Uint8Array>
  }
>()("@pawl/core/access/Secrets") {}

/** Drawn from the program's `Random`, so that a test can repeat it. Never for real tokens. */
export const layerMemory: Layer.Layer<Secrets> = Layer.succeed(Secrets, {
  bytes: (count) =>
    Effect.map(Effect.replicateEffect(Random.nextIntBetween(0, 255), count), (drawn) => Uint8Array.from(drawn))
})
