/** Work as one does it whose routers look at what they serve. */
import { Effect } from "effect"
import { ProvenanceMode } from "@pawl/core/provenance/ProvenanceMode"
import { Signer } from "@pawl/core/provenance/Signer"
import { ReleaseTrust } from "@pawl/core/provenance/TrustedKeys"

/** As one whose routers believe the signer's own key. */
export const looking = <A, E, R>(mode: "off" | "warn" | "enforce", effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Signer, ({ keys }) =>
    Effect.flatMap(Effect.orDie(keys), ({ statement }) =>
      effect.pipe(
        Effect.provideService(ProvenanceMode, mode),
        Effect.provideService(ReleaseTrust, {
          mode,
          keyOf: (keyid) =>
            Effect.succeed(keyid === statement.keyid ? { ...statement, use: "statement", ended: null } : null)
        })
      )
    )
  )
