/** Secret bytes from Web Crypto, which every engine that Pawl runs on has. */
import { Secrets } from "@pawl/core/access/Secrets"
import { Effect, Layer } from "effect"

export const layer: Layer.Layer<Secrets> = Layer.succeed(Secrets, {
  bytes: (count) => Effect.sync(() => crypto.getRandomValues(new Uint8Array(count)))
})
