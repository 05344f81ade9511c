/** One look at what a process or an object stands on, which answers or is away. */
import { isOutage } from "@pawl/core/work/Outages"
import { Effect } from "effect"
import { ServerLimits } from "../ServerLimits.ts"

/** Something to look for that nobody stored: the id of no Project. */
export const nobody = "proj_00000000-0000-4000-8000-000000000000"

/** Null when it answers, whatever it answers; its name when it is away, or silent for `ServerLimits.readyAskMs`. */
export const missing = <A, E, R>(name: string, look: Effect.Effect<A, E, R>): Effect.Effect<string | null, never, R> =>
  look.pipe(
    Effect.as(null),
    Effect.catch((problem) => Effect.succeed(isOutage(problem) ? name : null)),
    Effect.catchDefect(() => Effect.succeed(name)),
    Effect.timeoutOrElse({ duration: ServerLimits.readyAskMs, orElse: () => Effect.succeed(name) })
  )
