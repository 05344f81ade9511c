/** How a server process keeps its note in the store: it writes it anew while it runs, and takes it back when it ends. */
import { Effect } from "effect"
import { Limits } from "../primitives/Limits.ts"
import { Fleet, type ServerProcess } from "./Fleet.ts"

/**
 * Notes the process, and takes the note back when the scope ends; a store that is away is not waited for then. Fails with
 * `LedgerUnavailable` when it cannot be noted, and with `Outgrown` when it is too old for the store.
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

/**
 * Says again and again that the process is there, until it is interrupted. A store that is away is told again. Fails with
 * `Outgrown` when the process must not go on.
 */
export const stay = Effect.fnUntraced(function* (process: ServerProcess) {
  const fleet = yield* Fleet
  return yield* fleet.note(process).pipe(
    Effect.catchTag("LedgerUnavailable", (problem) => Effect.logDebug(problem)),
    Effect.delay(Limits.processNoteMs),
    Effect.forever
  )
})

/**
 * Does what waits for the end of older versions, once none of them runs, and ends then. A store that is away is asked
 * again.
 */
export const outlive = Effect.gen(function* () {
  const fleet = yield* Fleet
  while (true) {
    const { done, older, waiting } = yield* fleet.contract.pipe(
      Effect.tap(({ done }) => (done.length === 0 ? Effect.void : Effect.logInfo(`contracted: ${done.join("; ")}`))),
      Effect.catchTag("LedgerUnavailable", (problem) =>
        Effect.as(Effect.logDebug(problem), { done: [], older: [], waiting: ["unknown"] })
      )
    )
    if (waiting.length === 0) return done
    yield* Effect.logDebug(`contraction waits for ${older.join(", ")}`)
    yield* Effect.sleep(Limits.processNoteMs)
  }
})
