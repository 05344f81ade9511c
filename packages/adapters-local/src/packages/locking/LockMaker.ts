/** `PackageStore.lock`: a lock in the form that is asked for. Few are made at a time; others wait. */
import type { LockRequest, PackageStore } from "@pawl/core/packages/PackageStore"
import { Effect, Semaphore } from "effect"
import { LocalLimits } from "../../LocalLimits.ts"
import * as ArboristLocks from "./ArboristLocks.ts"
import * as PnpmLocks from "./PnpmLocks.ts"

/** `PackageStore.lock` of a registry, given by its URL. */
export const make = (registry: string): Effect.Effect<(typeof PackageStore.Service)["lock"]> =>
  Effect.map(
    Semaphore.make(LocalLimits.locksAtOnce),
    (slots) => (request: LockRequest) =>
      slots.withPermits(1)((request.format === "pnpm" ? PnpmLocks : ArboristLocks).lock(registry, request))
  )
