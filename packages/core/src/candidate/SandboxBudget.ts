/** The time that checks may run in sandboxes in a month, in all (specification, "Limits": monthly sandbox cap). */
import { Effect } from "effect"
import { DailyCounter } from "../app/DailyCounter.ts"
import { Settings } from "../primitives/Settings.ts"
import * as Time from "../primitives/Time.ts"

const name = "sandbox-ms"
/** A month is counted under its first day. */
const month = Effect.map(Time.now, (now) => `${now.slice(0, 7)}-01`)

/** How the reason of a Candidate begins that found no time left; it may be asked for again. */
export const noBudget = "no sandbox budget"

/** Why nothing can be composed now; null while there is time left. */
export const exhausted = Effect.gen(function* () {
  const { sandboxMsPerMonth } = yield* Settings
  const used = yield* (yield* DailyCounter).used(name, yield* month)
  if (used < sandboxMsPerMonth) return null
  const hours = Math.round(sandboxMsPerMonth / 360_000) / 10
  return `${noBudget}: checks have run for all ${hours} hours of this month`
})

/** Counts what one run of a check took, whatever it showed. */
export const spend = (ms: number) =>
  ms <= 0
    ? Effect.void
    : Effect.flatMap(month, (day) => Effect.flatMap(DailyCounter, (counter) => counter.add(name, day, Math.ceil(ms))))
