/** Makes locks as npm does, by @npmcli/arborist in a process of its own. */
import type { LockRequest } from "@pawl/core/packages/PackageStore"
import { Effect } from "effect"
import { ownProgram } from "../../OwnProgram.ts"
import { made } from "./LockChild.ts"

const program = ownProgram(import.meta.url, "LockProcess")

/** A package-lock.json of a registry, given by its URL. */
export const lock = (registry: string, request: LockRequest) =>
  made(program, registry, request).pipe(
    Effect.withSpan("ArboristLocks.lock", { attributes: { offline: request.offline } })
  )
