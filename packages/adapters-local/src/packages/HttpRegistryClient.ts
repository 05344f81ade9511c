/** The client of a registry with connections of Node's own. */
import { Effect, type Scope } from "effect"
import { LocalLimits } from "../LocalLimits.ts"
import { over, type RegistryClient } from "./RegistryClient.ts"
import { type RegistryTimes, registryTimes } from "./RegistryQuestion.ts"
import { ask, connectionsTo } from "./RegistryRequest.ts"

/** What it is made of. */
export interface HttpRegistryClientOptions {
  /** By `registryAddress`. */
  readonly registry: URL
  /** Default: those of `LocalLimits`. */
  readonly times?: RegistryTimes
  /** The first wait between two tries, in milliseconds. Default: that of `LocalLimits`. */
  readonly backoffMs?: number
}

/** Begins to ask a registry. Its connections end with the scope. */
export const make = Effect.fnUntraced(function* ({
  backoffMs = LocalLimits.registryBackoffMs,
  registry,
  times = registryTimes
}: HttpRegistryClientOptions): Effect.fn.Return<RegistryClient, never, Scope.Scope> {
  const connections = yield* Effect.acquireRelease(
    Effect.sync(() => connectionsTo(registry)),
    (made) => Effect.sync(() => made.destroy())
  )
  return over({
    registry,
    line: (question) => ask(connections, question, times),
    backoffMs,
    connections: LocalLimits.registryConnections,
    archiveBytes: LocalLimits.registryArchiveBytes,
    packumentBytes: LocalLimits.registryPackumentBytes
  })
})
