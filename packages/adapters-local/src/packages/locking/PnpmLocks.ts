/** Makes locks as pnpm does, by pnpm itself, below a process of its own that is its only registry. */
import type { LockRequest } from "@pawl/core/packages/PackageStore"
import { Effect } from "effect"
import { ownProgram } from "../../OwnProgram.ts"
import { made } from "./LockChild.ts"

const program = ownProgram(import.meta.url, "PnpmProcess")

/** A pnpm-lock.yaml of a registry, given by its URL. */
export const lock = (registry: string, request: LockRequest) =>
  made(program, registry, request).pipe(Effect.withSpan("PnpmLocks.lock", { attributes: { offline: request.offline } }))
