/**
 * The parts of a process that only routes: it serves apps, and there are no repositories, no keys and no work in it. What
 * it reaches of the database and of the objects is what `routerRights` and a policy of the bucket may leave it.
 */
import { SignerUnavailable, Signer } from "@pawl/core/provenance/Signer"
import { Backlog } from "@pawl/core/telemetry/Backlog"
import { Effect, Layer } from "effect"
import { hosting } from "./Hosting.ts"
import * as Objects from "./Objects.ts"
import { type ProcessParts, settings } from "./ProcessParts.ts"
import * as ReleaseKeys from "./ReleaseKeys.ts"
import * as ReleaseStatements from "./ReleaseStatements.ts"

const away = Effect.fail(new SignerUnavailable({ reason: "this process only routes" }))

/** Strangers' code runs beside it: it opens no private key, not even to know which one it is. */
const noSigner = Layer.succeed(Signer, { keys: away, sign: () => away })

/** The work that waits is told of by the processes that do it. */
const noBacklog = Layer.succeed(Backlog, { queue: Effect.succeed([]), lag: Effect.succeed([]) })

/** All that serves apps. */
export const layer = (parts: ProcessParts) => {
  const { addresses, alone, installation, options } = parts
  return hosting(parts).pipe(
    Layer.provideMerge(ReleaseStatements.layer(options)),
    Layer.provideMerge(ReleaseKeys.layer(options)),
    Layer.provideMerge(Layer.merge(noSigner, noBacklog)),
    Layer.provideMerge(Layer.merge(installation.routing, Objects.layerForRouter(options, alone))),
    Layer.provideMerge(settings(options, addresses))
  )
}
