/** `SignedHeads` in a bucket: apart from the objects whose SQLite may be put back to an earlier moment. */
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { utf8 } from "@pawl/core/primitives/Digest"
import { textOf } from "@pawl/core/primitives/Utf8"
import { type SignedHead, SignedHeads } from "@pawl/core/provenance/SignedHeads"
import { SignerUnavailable } from "@pawl/core/provenance/Signer"
import { Effect, Layer, Schema } from "effect"

const Head = Schema.fromJsonString(Schema.Struct({ size: Schema.Finite, root: Schema.String }))

/** An origin has a host's name in it, and slashes. */
const keyOf = (origin: string): string => `heads/${encodeURIComponent(origin).replaceAll("%2F", "/")}.json`

const away = (reason: string) => new SignerUnavailable({ reason: `what was signed cannot be remembered: ${reason}` })

/** Beside the bundles, below `heads/`. */
export const layer: Layer.Layer<SignedHeads, never, ObjectStore> = Layer.effect(
  SignedHeads,
  Effect.map(ObjectStore, (objects) => ({
    get: (origin: string): Effect.Effect<SignedHead | null, SignerUnavailable> =>
      objects.get(keyOf(origin)).pipe(
        Effect.flatMap((body) =>
          Effect.mapError(Schema.decodeUnknownEffect(Head)(textOf(body)), () => away("the object is none of Pawl's"))
        ),
        Effect.catchTags({
          ObjectMissing: () => Effect.succeed(null),
          InvalidKey: Effect.die,
          ObjectStoreUnavailable: ({ reason }) => Effect.fail(away(reason))
        })
      ),
    set: (origin: string, head: SignedHead) =>
      objects.put(keyOf(origin), utf8(JSON.stringify(head))).pipe(
        Effect.catchTags({
          InvalidKey: Effect.die,
          ObjectStoreUnavailable: ({ reason }) => Effect.fail(away(reason))
        })
      )
  }))
)
