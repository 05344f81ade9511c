/**
 * Whose git request is worked on. It waits first for its caller's turn, then for its Project's: a slot that comes free
 * goes to the Project that holds the fewest. One that is alone may hold them all.
 */
import * as FairSlots from "@pawl/core/primitives/FairSlots"
import { Effect } from "effect"
import type { Problem } from "../api/Problem.ts"
import { problemOf } from "../http/answer/Problems.ts"
import { ServerLimits } from "../ServerLimits.ts"

const busy = problemOf(
  429,
  "busy",
  "Too many at once",
  "Too many git requests are worked on at this moment. Try again in a second.",
  { retryAfterSeconds: 1 }
)

/** The turns of all git requests of a process. */
export interface GitTurns {
  /** Does the work in its turn. Fails when the caller has too many that wait, and when the turn does not come in time. */
  readonly inTurn: <A, E, R>(
    caller: string,
    project: string,
    work: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | Problem, R>
  /** Whether somebody waits for a slot. */
  readonly isAwaited: () => boolean
}

/** Bounded by `ServerLimits.gitRequestsWaiting`, `gitRequestsWaitingPerCaller` and `gitWaitMs`. */
export const make = (requestsAtOnce: number): GitTurns => {
  const callers = FairSlots.make(ServerLimits.gitRequestsWaiting)
  const projects = FairSlots.make(requestsAtOnce)
  return {
    inTurn: (caller, project, work) =>
      Effect.suspend(() =>
        callers.waiting(caller) >= ServerLimits.gitRequestsWaitingPerCaller
          ? Effect.fail(busy)
          : Effect.scoped(
              Effect.andThen(callers.take(caller), projects.take(project)).pipe(
                Effect.timeoutOrElse({ duration: ServerLimits.gitWaitMs, orElse: () => Effect.fail(busy) }),
                Effect.andThen(work)
              )
            )
      ),
    isAwaited: () => callers.waiting() + projects.waiting() > 0
  }
}
