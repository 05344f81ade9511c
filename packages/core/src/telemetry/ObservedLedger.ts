/** Around the one port that writes: the commands of a commit carry its trace on, and what commits mean is counted. */
import { Effect } from "effect"
import type { Commit } from "../ledger/Commit.ts"
import type { Ledger } from "../ledger/Ledger.ts"
import type { MeterSet } from "./Meters.ts"
import { format, traceparent } from "./TraceContext.ts"
import { spanIn } from "./SpanTracer.ts"

const stamped = (commit: Commit, trace: string): Commit =>
  commit.commands === undefined || commit.commands.length === 0
    ? commit
    : {
        ...commit,
        commands: commit.commands.map((command) => ({
          ...command,
          payload: { ...command.payload, [traceparent]: trace }
        }))
      }

/** A span for each commit. Commands that it sends are worked on under it, by whichever process, however much later. */
export const traced = (ledger: Ledger["Service"]): Ledger["Service"] => ({
  commit: (commit) =>
    Effect.flatMap(Effect.context<never>(), (context) => {
      const span = spanIn(context)
      return ledger.commit(span === null ? commit : stamped(commit, format(span)))
    }).pipe(Effect.withSpan("Ledger.commit", { attributes: { commit: commit.name } }, { captureStackTrace: false }))
})

const count = (meters: MeterSet, commit: Commit): void => {
  for (const write of commit.writes ?? []) {
    if (write._tag === "Insert" && write.kind === "generation")
      meters.promotions.add(write.record.trigger === "seed" ? "seeded" : "promoted", write.record.trigger)
    if (write._tag !== "Update" || write.kind !== "release" || write.record.status === write.from.status) continue
    if (write.record.status !== "queued" && write.record.status !== "building") meters.releases.add(write.record.status)
  }
}

/** Counts generations and ended releases as they are committed: a repeated commit counts once. */
export const counted = (ledger: Ledger["Service"], meters: MeterSet): Ledger["Service"] => ({
  commit: (commit) =>
    Effect.tap(ledger.commit(commit), (outcome) =>
      Effect.sync(() => {
        if (outcome._tag === "Committed") count(meters, commit)
      })
    )
})
