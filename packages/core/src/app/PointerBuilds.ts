/** What a build under way, or one that failed, makes of a pointer: both only where no good bundle is served. */
import { Effect } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { find } from "../ledger/Deciding.ts"
import { pointerKey } from "../model/Entities.ts"
import * as Lifecycle from "../model/Lifecycle.ts"
import { Process } from "../work/Processes.ts"
import * as Time from "../primitives/Time.ts"
import type { Pointer } from "../model/Pointer.ts"
import { PointerLifecycle } from "../model/PointerLifecycle.ts"

/** A row whose last build failed is building again, before it says what became of the next one. */
export const reopening = Effect.fnUntraced(function* (projectId: string, incarnation: number) {
  const none = { answer: undefined }
  const pointer = yield* find("pointer", pointerKey(projectId, "production"))
  if (pointer === null || pointer.record.incarnation !== incarnation) return none
  const next = Lifecycle.next(PointerLifecycle, pointer.record.status, "buildStarted")
  if (next._tag === "Failure") return none
  const writes = [
    Commit.update("pointer", pointer, { status: next.success, reason: null, updated_at: yield* Time.now })
  ]
  return { answer: undefined, commit: { name: "Apps.reopen", projectId, lease: (yield* Process).lease, writes } }
})

/** A row without a bundle says why there is none; null for one that goes on serving what it has. */
export const notBuilt = (
  pointer: Pointer,
  trigger: "buildFailed" | "capReached",
  reason: string
): Pick<Pointer, "status" | "reason"> | null => {
  const next = Lifecycle.next(PointerLifecycle, pointer.status, trigger)
  return next._tag === "Success" && next.success !== pointer.status ? { status: next.success, reason } : null
}
