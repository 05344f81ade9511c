/**
 * What waits for the end of older versions: contractions of the shape, columns that they did not fill, and steps of lives
 * that only they take. It is done when none of them was seen for `Limits.processSilentMs`, in one transaction; a program
 * that still needs what is gone is refused from then on.
 */
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Effect } from "effect"
import { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { Limits } from "@pawl/core/primitives/Limits"
import { nowMillis } from "@pawl/core/primitives/Time"
import type { Contracted } from "@pawl/core/work/Fleet"
import { reasonOf } from "./Database.ts"
import * as Lives from "./Lives.ts"
import * as LookUps from "./LookUps.ts"
import { contracted, expanded, ownShape, type Shape, takeTurn } from "./Shape.ts"

/** One thing that waits, in words, and how it is done. */
interface Owed {
  readonly what: string
  readonly perform: Effect.Effect<void, LedgerUnavailable | SqlError, SqlClient.SqlClient>
}

const owedOf = Effect.fnUntraced(function* ({ contractions, expansions }: Shape) {
  // What is unknown here may be what a newer version needs: that one looks after it.
  if ((yield* expanded) > expansions.length) return []
  const sql = yield* SqlClient.SqlClient
  const last = yield* contracted
  const steps = contractions.flatMap(({ statements, what }, index): ReadonlyArray<Owed> => {
    const perform = Effect.gen(function* () {
      for (const statement of statements(sql)) yield* sql.unsafe(statement)
      yield* sql`INSERT INTO pawl_contraction (number, at) VALUES (${index + 1}, ${yield* nowMillis})`
    })
    return index < last ? [] : [{ what, perform }]
  })
  const fills = (yield* LookUps.unfilled).map((each): Owed => ({
    what: `what older versions wrote into ${each.table.name} is found by ${each.columns.join(", ")}`,
    perform: LookUps.fillAgain(each)
  }))
  const lives = yield* Lives.surplus
  const surplus: Owed = { what: "steps of lives that this version does not take", perform: Lives.remove(lives) }
  return [...fills, ...(lives.length === 0 ? [] : [surplus]), ...steps]
})

/** The ids of processes that know less of the shape, and were seen a short time ago. */
const olderThan = ({ expansions }: Shape) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const since = (yield* nowMillis) - Limits.processSilentMs
    const rows = yield* sql<{ id: string }>`SELECT id FROM pawl_process
      WHERE shape < ${expansions.length} AND seen_at >= ${since} ORDER BY started_at, id`
    return rows.map(({ id }) => id)
  })

const nothing: Contracted = { done: [], waiting: [], older: [] }

const contracting = Effect.fnUntraced(function* (shape: Shape) {
  // Without the turn first: mostly nothing waits.
  if ((yield* owedOf(shape)).length === 0) return nothing
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* takeTurn
      const owed = yield* owedOf(shape)
      const told = owed.map(({ what }) => what)
      const older = yield* olderThan(shape)
      if (older.length > 0) return { done: [], waiting: told, older }
      for (const { perform } of owed) yield* perform
      return { done: told, waiting: [], older }
    })
  )
})

/** What waits, and for whom. Changes nothing; the database has the shape of this version. */
export const outlook: Effect.Effect<Contracted, LedgerUnavailable, SqlClient.SqlClient> = Effect.gen(function* () {
  const owed = yield* owedOf(ownShape)
  return { done: [], waiting: owed.map(({ what }) => what), older: owed.length === 0 ? [] : yield* olderThan(ownShape) }
}).pipe(
  Effect.catchTag("SqlError", (error: SqlError) =>
    Effect.fail(new LedgerUnavailable({ operation: "look", reason: reasonOf(error) }))
  )
)

/** Does what waits, unless an older version runs. By default for the shape of this version. */
export const contract = (shape: Shape = ownShape): Effect.Effect<Contracted, LedgerUnavailable, SqlClient.SqlClient> =>
  contracting(shape).pipe(
    Effect.catchTag("SqlError", (error: SqlError) =>
      Effect.fail(new LedgerUnavailable({ operation: "contract", reason: reasonOf(error) }))
    ),
    Effect.withSpan("OlderVersions.contract")
  )
