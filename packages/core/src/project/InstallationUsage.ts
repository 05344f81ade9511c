/** What all Projects together have used today of what an installation may use in a day (UTC). It only reads. */
import { Effect } from "effect"
import { DailyCounter } from "../bundle/DailyCounter.ts"
import { buildBudget } from "../bundle/Builds.ts"
import { callsOfDay } from "./Usage.ts"

/** Counts. */
export interface InstallationUsage {
  readonly buildsToday: number
  /** As many as may be made in a day, by all Projects. */
  readonly buildsCap: number
  readonly modelCallsToday: number
  /** As many as may be made in a day, by all Projects. */
  readonly modelCallsCap: number
}

/** By the counters of this day. */
export const installationUsage = Effect.gen(function* () {
  const counter = yield* DailyCounter
  const builds = yield* buildBudget
  const calls = yield* callsOfDay
  return {
    buildsToday: yield* counter.used(builds.name, builds.day),
    buildsCap: builds.max,
    modelCallsToday: yield* counter.used(calls.name, calls.day),
    modelCallsCap: calls.max
  } satisfies InstallationUsage
}).pipe(Effect.withSpan("Usage.installation"))
