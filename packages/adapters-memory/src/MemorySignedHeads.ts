/** `SignedHeads` that last as long as the layer. */
import { SignedHeads, type SignedHead } from "@pawl/core/provenance/SignedHeads"
import { Effect, Layer } from "effect"

/** Empty at first. */
export const layerMemory: Layer.Layer<SignedHeads> = Layer.sync(SignedHeads, () => {
  const heads = new Map<string, SignedHead>()
  return {
    get: (origin) => Effect.sync(() => heads.get(origin) ?? null),
    set: (origin, head) => Effect.sync(() => void heads.set(origin, head))
  }
})
