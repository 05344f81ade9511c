/** `Secrets` that a test can repeat. */
import { Effect, Layer, Random } from "effect"
import { Secrets } from "@pawl/core/access/Secrets"

/** Drawn from the program's `Random`, so that a test can repeat it. Never for real tokens. */
export const layerMemory: Layer.Layer<Secrets> = Layer.succeed(Secrets, {
  bytes: (count) =>
    Effect.map(Effect.replicateEffect(Random.nextIntBetween(0, 255), count), (drawn) => Uint8Array.from(drawn))
})
