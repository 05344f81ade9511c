/** Secret bytes from Web Crypto, which every engine that Pawl runs on has. */
import { Secrets } from "@pawl/core/access/Secrets"
import { Effect, Layer } from "effect"

/** Never fails. More than 65,536 bytes at once are a defect: Web Crypto gives no more. */
export const layer: Layer.Layer<Secrets> = Layer.succeed(Secrets, {
  bytes: (count) => Effect.sync(() => crypto.getRandomValues(new Uint8Array(count)))
})
