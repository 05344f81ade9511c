/** The ledger over SQL: a commit is one batch in one transaction. */
import { Effect } from "effect"
import type { Commit } from "@pawl/core/ledger/Commit"
import { check, content } from "@pawl/core/ledger/CommitRules"
import type { Ledger } from "@pawl/core/ledger/Ledger"
import * as Signals from "@pawl/core/ledger/Signals"
import { sha256 } from "@pawl/core/primitives/Digest"
import { makeUlid } from "@pawl/core/primitives/Ids"
import { nowMillis } from "@pawl/core/primitives/Time"
import { leavesWork, planOf, resultOf } from "./CommitPlan.ts"
import type { Database } from "./Database.ts"
import { unavailable } from "./Failures.ts"

const noDigest: Effect.Effect<string | null> = Effect.succeed(null)
const digestOf = (commit: Commit): Effect.Effect<string | null> =>
  commit.key === undefined ? noDigest : Effect.suspend(() => sha256(content(commit)))

const noIds: Effect.Effect<ReadonlyArray<string>> = Effect.succeed([])
const idsFor = (commit: Commit): Effect.Effect<ReadonlyArray<string>> =>
  commit.events === undefined || commit.events.length === 0
    ? noIds
    : Effect.replicateEffect(makeUlid, commit.events.length)

export const make = (database: Database["Type"], signals: Signals.Signals): Ledger["Type"] => {
  const announce = (commit: Commit, isWork: boolean) => {
    if (commit.projectId !== null && commit.events !== undefined && commit.events.length > 0)
      signals.notify(Signals.eventsOf(commit.projectId))
    if (isWork || (commit.commands !== undefined && commit.commands.length > 0)) signals.notify(Signals.work)
  }
  return {
    commit: (commit) =>
      Effect.gen(function* () {
        check(commit)
        const circumstances = {
          dialect: database.dialect,
          digest: yield* digestOf(commit),
          eventIds: yield* idsFor(commit),
          now: yield* nowMillis
        }
        const plan = planOf(commit, circumstances)
        const outcome = yield* Effect.catchAll(database.batch(plan.statements), unavailable("commit"))
        const result = resultOf(plan, commit, outcome)
        if (result._tag === "Conflict" || result._tag === "LeaseLost") return yield* result
        if (result._tag === "Committed") announce(commit, leavesWork(plan, outcome))
        return result
      })
  }
}
