/** Decide, then commit: read, decide purely, write once; when what was read moved on, read and decide anew. */
import { Effect, Option } from "effect"
import { Limits } from "../primitives/Limits.ts"
import type { Commit, Stored } from "./Commit.ts"
import type { Kind, RecordOf } from "../model/Entities.ts"
import { type Conflict, Ledger, LedgerUnavailable } from "./Ledger.ts"
import { Records } from "./Records.ts"
import { Unknown } from "./Refusals.ts"

/** What a decision came to: an answer, and the commit that makes it so (none when it is so already). */
export interface Decided<A> {
  readonly answer: A
  readonly commit?: Commit
}

const isConflict = (error: unknown): error is Conflict =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "Conflict"

/**
 * Runs a decision until its commit holds, and answers what it decided. After a Conflict it decides anew, at most
 * `Limits.commitAttempts` times; then it fails with `LedgerUnavailable`.
 */
export const decideAndCommit = <A, E, R>(decide: Effect.Effect<Decided<A>, E, R>) => {
  const attempt = Effect.gen(function* () {
    const decided = yield* decide
    if (decided.commit !== undefined) yield* (yield* Ledger).commit(decided.commit)
    return decided.answer
  })
  return attempt.pipe(
    Effect.retry({ while: isConflict, times: Limits.commitAttempts }),
    Effect.catchIf(isConflict, (conflict) =>
      Effect.fail(
        new LedgerUnavailable({
          operation: "commit",
          reason: `${conflict.kind} ${conflict.id} kept changing under this decision`
        })
      )
    )
  )
}

/** The record, or `null`. */
export const find = <K extends Kind>(kind: K, id: string) =>
  Effect.flatMap(Records, (records) => Effect.map(records.get(kind, id), Option.getOrNull))

/** The record, or `Unknown`. */
export const demand = <K extends Kind>(
  kind: K,
  id: string
): Effect.Effect<Stored<RecordOf<K>>, Unknown | LedgerUnavailable, Records> =>
  Effect.flatMap(find(kind, id), (stored) =>
    stored === null ? Effect.fail(new Unknown({ kind, id })) : Effect.succeed(stored)
  )
