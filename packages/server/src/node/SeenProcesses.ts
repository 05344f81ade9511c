/** The server processes of an installation, as `pawl doctor` tells of them. */
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { nowMillis, toMillis } from "@pawl/core/primitives/Time"
import { Fleet, isSilent, type SeenProcess } from "@pawl/core/work/Fleet"
import { Effect } from "effect"
import type { Finding } from "../http/index.ts"
import type { DatabaseUnavailable } from "./installations/Installation.ts"
import * as Installations from "./installations/Installations.ts"

/** A finding for each process that is noted, or one that says that there is none. `nowMs` is the store's time. */
export const findingsOf = (processes: ReadonlyArray<SeenProcess>, nowMs: number): ReadonlyArray<Finding> => {
  const part = "Server process"
  if (processes.length === 0) return [{ part, state: "ok", found: "none runs", remedy: null }]
  return processes.map((process): Finding => {
    const { id, roles, seenAt, startedAt, version } = process
    const found = `${id}: ${roles.join(", ")}, version ${version}, since ${startedAt}`
    if (!isSilent(process, nowMs)) return { part, state: "ok", found, remedy: null }
    const minutes = Math.floor((nowMs - toMillis(seenAt)) / 60_000)
    return {
      part,
      state: "weak",
      found: `${found}; not heard of for ${minutes} min`,
      remedy: "see whether it runs and reaches the database: one that was killed is forgotten after an hour"
    }
  })
}

/** What is noted in the store that the options name; nothing where that has not the shape of this version, or is away. */
export const seenProcesses = (options: Installations.DatabaseOptions): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function* () {
    return findingsOf(yield* (yield* Fleet).all, yield* nowMillis)
  }).pipe(
    Effect.provide(Installations.of(options).beside),
    // What the database lacks is told by its own finding.
    Effect.catch((_: DatabaseUnavailable | LedgerUnavailable) => Effect.succeed([]))
  )
