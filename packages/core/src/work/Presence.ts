/** How a server process keeps its note in the store: it writes it anew while it runs, and takes it back when it ends. */
import { Effect } from "effect"
import { Limits } from "../primitives/Limits.ts"
import { Fleet, type ServerProcess } from "./Fleet.ts"

/**
 * Notes the process, and takes the note back when the scope ends; a store that is away is not waited for then. Fails with
 * `LedgerUnavailable` when it cannot be noted.
 */
export const enter = Effect.fnUntraced(function* (process: ServerProcess) {
  const fleet = yield* Fleet
  yield* Effect.acquireRelease(fleet.note(process), () =>
    fleet.leave(process.id).pipe(
      // A finalizer cannot be interrupted, and would wait for as long as the store is silent.
      Effect.interruptible,
      Effect.timeoutOption(Limits.processLeaveMs),
      Effect.ignore({ log: "Debug" })
    )
  )
})

/** Says again and again that the process is there, until it is interrupted. A store that is away is told again. */
export const stay = Effect.fnUntraced(function* (process: ServerProcess) {
  const fleet = yield* Fleet
  return yield* fleet
    .note(process)
    .pipe(Effect.ignore({ log: "Debug" }), Effect.delay(Limits.processNoteMs), Effect.forever)
})
