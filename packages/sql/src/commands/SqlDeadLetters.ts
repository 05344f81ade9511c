/** Commands that failed too often, over SQL. */
import { Effect, Result } from "effect"
import type { DeadLetter } from "@pawl/core/model/Command"
import { type Commands, DeadLetterMissing, type LetterPage } from "@pawl/core/work/Commands"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { Limits } from "@pawl/core/primitives/Limits"
import { nowMillis, toMillis } from "@pawl/core/primitives/Time"
import { deadLetterOf } from "./CommandRows.ts"
import type { Database, Parameter, Query, Statement } from "../Database.ts"
import { unavailable } from "../Failures.ts"
import { each, place } from "../SqlWords.ts"

type Dialect = Database["Service"]["dialect"]
type DeadLetters = Pick<Commands["Service"], "deadLetters" | "oldLetters" | "deadLetter" | "retry" | "dismiss">

/** The place of the letter after which a page begins; when it is gone, that of the last one that died before it. */
const begins = `coalesce((SELECT place FROM pawl_dead_letter WHERE id = ?),
  (SELECT max(place) FROM pawl_dead_letter WHERE project_id = ? AND died_at < ?), 0)`

/** Whether the id or the payload holds one of some texts, as they are. No LIKE: a Durable Object takes 50 bytes of a pattern. */
const naming = (dialect: Dialect): string => {
  const holds = (column: string) => `${place[dialect]}(pawl_dead_letter.${column}, word.value) > 0`
  return `EXISTS (SELECT 1 FROM ${each[dialect]} WHERE ${holds("id")} OR ${holds("payload")})`
}

const pageQuery = (dialect: Dialect, scope: string, page: LetterPage): Query => {
  const { after, limit = Limits.pageSize, naming: texts } = page
  const conditions = ["project_id = ?"]
  const params: Array<Parameter> = [scope]
  if (after !== undefined) {
    conditions.push(`place > ${begins}`)
    params.push(after.id, scope, toMillis(after.diedAt))
  }
  if (texts !== undefined) {
    conditions.push(naming(dialect))
    params.push(JSON.stringify(texts))
  }
  const most = Math.max(0, Math.min(Math.floor(limit), Limits.pageSize))
  return {
    sql: `SELECT * FROM pawl_dead_letter WHERE ${conditions.join(" AND ")} ORDER BY place LIMIT ${most}`,
    params
  }
}

/** The part of `Commands` about dead letters. `wake` tells the workers that one goes back to work. */
export const make = (database: Database["Service"], wake: Effect.Effect<void>): DeadLetters => {
  const letter = (id: string): Effect.Effect<DeadLetter, DeadLetterMissing | LedgerUnavailable> =>
    Effect.gen(function* () {
      const [row] = yield* database.query({ sql: "SELECT * FROM pawl_dead_letter WHERE id = ?", params: [id] })
      return row === undefined ? yield* new DeadLetterMissing({ id }) : yield* Effect.fromResult(deadLetterOf(row))
    }).pipe(Effect.catchTag("SqlError", unavailable("read a dead letter")))

  const letters = (query: Query) =>
    database.query(query).pipe(
      Effect.catch(unavailable("read dead letters")),
      Effect.flatMap((rows) => Effect.fromResult(Result.all(rows.map(deadLetterOf))))
    )

  /** Takes the letter away, after a statement that needs it. */
  const unbury = (operation: string, id: string, first: (now: number) => Statement) =>
    Effect.gen(function* () {
      const away: Statement = { sql: "DELETE FROM pawl_dead_letter WHERE id = ?", params: [id], rows: 1 }
      const outcome = yield* database.batch([first(yield* nowMillis), away])
      if (outcome._tag === "Missed") yield* new DeadLetterMissing({ id })
    }).pipe(Effect.catchTag("SqlError", unavailable(operation)))

  return {
    deadLetters: (projectId, page = {}) => letters(pageQuery(database.dialect, projectId ?? "", page)),
    oldLetters: (before, limit) =>
      letters({
        sql: `SELECT * FROM pawl_dead_letter WHERE died_at < ? ORDER BY died_at, place LIMIT ${Math.max(0, Math.floor(limit))}`,
        params: [toMillis(before)]
      }),
    deadLetter: letter,
    retry: (id) =>
      Effect.andThen(
        unbury("retry", id, (now) => ({
          sql: `INSERT INTO pawl_command (id, project_id, kind, payload, attempts, max_attempts, due_at, created_at, ready_at, last_problem)
            SELECT id, project_id, kind, payload, 0, max_attempts, CAST(? AS BIGINT), created_at, CAST(? AS BIGINT), last_problem
            FROM pawl_dead_letter WHERE id = ? ON CONFLICT DO NOTHING`,
          params: [now, now, id]
        })),
        wake
      ),
    dismiss: (id) =>
      unbury("dismiss", id, () => ({
        sql: `DELETE FROM pawl_journal WHERE process = ? AND EXISTS (SELECT 1 FROM pawl_dead_letter WHERE id = ?)
          AND NOT EXISTS (SELECT 1 FROM pawl_command WHERE id = ?)`,
        params: [id, id, id]
      }))
  }
}
