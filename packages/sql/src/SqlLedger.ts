/** The ledger over SQL: a commit is one batch in one transaction. */
import { Effect } from "effect"
import { announceGroups } from "@pawl/core/event/RoutingNotices"
import type { Commit } from "@pawl/core/ledger/Commit"
import { check } from "@pawl/core/ledger/CommitRules"
import type { Ledger } from "@pawl/core/ledger/Ledger"
import * as Signals from "@pawl/core/ledger/Signals"
import { makeUlid } from "@pawl/core/primitives/Ids"
import { atMostBytes, planOf, resultOf } from "./CommitPlan.ts"
import type { Database } from "./Database.ts"
import { unavailable } from "./Failures.ts"

const noIds: Effect.Effect<ReadonlyArray<string>> = Effect.succeed([])
const idsFor = ({ events = [] }: Commit): Effect.Effect<ReadonlyArray<string>> => {
  if (events.length === 0) return noIds
  return events.length === 1 ? Effect.map(makeUlid, (id) => [id]) : Effect.replicateEffect(makeUlid, events.length)
}

/** `Ledger` over a database whose tables are there. `signals` are notified of what a commit made. */
export const make = (database: Database["Service"], signals: Signals.Signals): Ledger["Service"] => {
  const announce = (commit: Commit) => {
    if (commit.projectId !== null && commit.events !== undefined && commit.events.length > 0)
      signals.notify(Signals.eventsOf(commit.projectId))
    announceGroups(signals, commit)
    if (commit.commands !== undefined && commit.commands.length > 0) signals.notify(Signals.work)
  }
  const perform = (commit: Commit, eventIds: ReadonlyArray<string>, now: number) => {
    const plan = planOf(commit, { dialect: database.dialect, eventIds, now })
    check(commit, atMostBytes(commit, plan))
    return Effect.flatMap(
      Effect.catch(database.batch(plan.statements, commit.keeping), unavailable("commit")),
      (outcome) => {
        const result = resultOf(plan, commit, outcome)
        if (result._tag === "Conflict" || result._tag === "LeaseLost") return Effect.fail(result)
        if (result._tag === "Committed") announce(commit)
        return Effect.succeed(result)
      }
    )
  }
  return {
    commit: (commit) =>
      Effect.flatMap(idsFor(commit), (ids) =>
        Effect.clockWith((clock) => perform(commit, ids, clock.currentTimeMillisUnsafe()))
      )
  }
}
