/** What a Project has used: money, builds, sandbox time, bytes. It only reads. */
import { Effect, Schema } from "effect"
import * as Shares from "../bundle/Shares.ts"
import { DailyCounter } from "../bundle/DailyCounter.ts"
import { Records } from "../ledger/Records.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { withWireNames } from "../primitives/WireNames.ts"
import { bundleBytes } from "../bundle/BundleReports.ts"

/** Money in US dollars, sandbox time in milliseconds, bundles in bytes. */
export const Usage = Schema.Struct({
  /** Of all Changes. */
  spentUsd: Schema.Finite,
  /** What runs that go on may still spend. 0: agents outside count their own money. */
  reservedUsd: Schema.Finite,
  /** Calls of models by Pawl itself, today in UTC. 0: it asks none. */
  modelCallsToday: Schema.Finite,
  /** As many as may be made in a day: `Limits.modelCallsPerDay`. */
  modelCallsCap: Schema.Finite,
  /** Of this Project, today in UTC. */
  buildsToday: Schema.Finite,
  /** How long this Project's checks ran in sandboxes in this month, in UTC. */
  sandboxMsThisMonth: Schema.Finite,
  /** Of its stored bundles and their assets, those of previews too. */
  bundleBytes: Schema.Finite
}).pipe(withWireNames({ spentUsd: "spent_usd", reservedUsd: "reserved_usd" }))
export interface Usage extends Schema.Schema.Type<typeof Usage> {}

/** Page by page: a Project may have many Changes. */
const spent = Effect.fnUntraced(function* (projectId: string) {
  const records = yield* Records
  let total = 0
  let cursor: string | null = null
  do {
    const page: {
      readonly items: ReadonlyArray<{ readonly record: { readonly spentUsd: number } }>
      readonly nextCursor: string | null
    } = yield* records.list("change", { projectId, ...(cursor === null ? {} : { cursor }) })
    for (const { record } of page.items) total += record.spentUsd
    cursor = page.nextCursor
  } while (cursor !== null)
  return Math.round(total * 1e6) / 1e6
})

/** What one Project has used up to now, by the counters of this day and this month. */
export const usage = (projectId: string) =>
  Effect.gen(function* () {
    const counter = yield* DailyCounter
    const today = (yield* Time.now).slice(0, 10)
    return {
      spentUsd: yield* spent(projectId),
      // Nothing is reserved and no call is counted before a model is asked by Pawl itself.
      reservedUsd: 0,
      modelCallsToday: 0,
      modelCallsCap: Limits.modelCallsPerDay,
      buildsToday: yield* counter.used(Shares.projectCounter("app-builds", projectId), today),
      sandboxMsThisMonth: yield* counter.used(
        Shares.projectCounter("sandbox-ms", projectId),
        `${today.slice(0, 7)}-01`
      ),
      bundleBytes: yield* bundleBytes(projectId)
    } satisfies Usage
  }).pipe(Effect.withSpan("Usage.usage", { attributes: { projectId } }))
