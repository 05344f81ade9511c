/** After each promotion: every other open Candidate of the Project with an older base is stale. */
import { Effect } from "effect"
import { markStale } from "../candidate/Staleness.ts"
import { Records } from "../ledger/Records.ts"

/** The body of `canonical.sweep`. Repeating it changes nothing. */
export const sweep = Effect.fnUntraced(function* (projectId: string) {
  const records = yield* Records
  const open = yield* records.list("candidate", {
    projectId,
    where: { status: ["composing", "verifying", "verified"] },
    limit: "all"
  })
  yield* Effect.forEach(open.items, ({ record }) => markStale(record.id), { discard: true })
}, Effect.withSpan("Sweep.sweep"))
