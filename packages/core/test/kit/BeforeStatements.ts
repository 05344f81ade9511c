/** Projects as versions made them that had no statements. */
import { Effect } from "effect"
import { Ledger } from "@pawl/core/ledger/Ledger"

/** As an earlier version did it: nothing begins a chain. */
export const beforeStatements = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Ledger, (ledger) =>
    Effect.provideService(work, Ledger, {
      ...ledger,
      commit: (commit) =>
        ledger.commit({
          ...commit,
          writes: (commit.writes ?? []).filter(({ kind }) => !stated.has(kind)),
          commands: (commit.commands ?? []).filter(({ kind }) => kind !== "statement.sign")
        })
    })
  )
const stated: ReadonlySet<string> = new Set(["statement", "chain", "particulars"])
