/** What a Project has used: money, builds, sandbox time, bytes. It only reads. */
import { Effect, Schema } from "effect"
import type { Change } from "../model/Change.ts"
import * as Shares from "../bundle/Shares.ts"
import { DailyCounter } from "../bundle/DailyCounter.ts"
import { Records } from "../ledger/Records.ts"
import { Limits } from "../primitives/Limits.ts"
import { Settings } from "../primitives/Settings.ts"
import * as Time from "../primitives/Time.ts"
import { withWireNames } from "../primitives/WireNames.ts"
import { bundleBytes } from "../bundle/BundleReports.ts"

/** Money in US dollars, sandbox time in milliseconds, bundles in bytes. */
export const Usage = Schema.Struct({
  /** Of all Changes. */
  spentUsd: Schema.Finite,
  /** What calls of models that are on their way may cost. */
  reservedUsd: Schema.Finite,
  /** Calls of models for this Project, today in UTC. */
  modelCallsToday: Schema.Finite,
  /** As many as may be made in a day, by all Projects. */
  modelCallsCap: Schema.Finite,
  /** Of this Project, today in UTC. */
  buildsToday: Schema.Finite,
  /** How long this Project's checks ran in sandboxes in this month, in UTC. */
  sandboxMsThisMonth: Schema.Finite,
  /** Of its stored bundles and their assets, those of previews too. */
  bundleBytes: Schema.Finite
}).pipe(withWireNames({ spentUsd: "spent_usd", reservedUsd: "reserved_usd" }))
export interface Usage extends Schema.Schema.Type<typeof Usage> {}

/** The name under which calls of models are counted. */
const callCounter = "agent-model-calls"

/** Calls of models of today, of all Projects. */
export const callsOfDay = Effect.flatMap(Settings, ({ modelCallsPerDay = Limits.modelCallsPerDay }) =>
  Shares.budgetOfDay(callCounter, modelCallsPerDay)
)

/** Page by page: a Project may have many Changes. */
const moneyOf = Effect.fnUntraced(function* (projectId: string) {
  const records = yield* Records
  let spentUsd = 0
  let reservedUsd = 0
  let cursor: string | null = null
  do {
    const page: {
      readonly items: ReadonlyArray<{ readonly record: Pick<Change, "spentUsd" | "reservedUsd"> }>
      readonly nextCursor: string | null
    } = yield* records.list("change", { projectId, ...(cursor === null ? {} : { cursor }) })
    for (const { record } of page.items) {
      spentUsd += record.spentUsd
      reservedUsd += record.reservedUsd
    }
    cursor = page.nextCursor
  } while (cursor !== null)
  const exact = (usd: number): number => Math.round(usd * 1e6) / 1e6
  return { spentUsd: exact(spentUsd), reservedUsd: exact(reservedUsd) }
})

/** What one Project has used up to now, by the counters of this day and this month. */
export const usage = (projectId: string) =>
  Effect.gen(function* () {
    const counter = yield* DailyCounter
    const today = (yield* Time.now).slice(0, 10)
    const calls = yield* callsOfDay
    return {
      ...(yield* moneyOf(projectId)),
      modelCallsToday: yield* counter.used(Shares.projectCounter(calls.name, projectId), today),
      modelCallsCap: calls.max,
      buildsToday: yield* counter.used(Shares.projectCounter("app-builds", projectId), today),
      sandboxMsThisMonth: yield* counter.used(
        Shares.projectCounter("sandbox-ms", projectId),
        `${today.slice(0, 7)}-01`
      ),
      bundleBytes: yield* bundleBytes(projectId)
    } satisfies Usage
  }).pipe(Effect.withSpan("Usage.usage", { attributes: { projectId } }))
