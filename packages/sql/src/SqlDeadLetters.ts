/** Commands that failed too often, over SQL. */
import { Effect, Either } from "effect"
import type { DeadLetter } from "@pawl/core/event/Command"
import { type Commands, DeadLetterMissing } from "@pawl/core/event/Commands"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { nowMillis } from "@pawl/core/primitives/Time"
import { deadLetterOf } from "./CommandRows.ts"
import type { Database, Statement } from "./Database.ts"
import { unavailable } from "./Failures.ts"

type DeadLetters = Pick<Commands["Type"], "deadLetters" | "deadLetter" | "retry" | "dismiss">

export const make = (database: Database["Type"], wake: Effect.Effect<void>): DeadLetters => {
  const letter = (id: string): Effect.Effect<DeadLetter, DeadLetterMissing | LedgerUnavailable> =>
    Effect.gen(function* () {
      const [row] = yield* database.query({ sql: "SELECT * FROM pawl_dead_letter WHERE id = ?", params: [id] })
      return row === undefined ? yield* new DeadLetterMissing({ id }) : yield* deadLetterOf(row)
    }).pipe(Effect.catchTag("SqlError", unavailable("read a dead letter")))

  /** Takes the letter away, after a statement that needs it. */
  const unbury = (operation: string, id: string, first: (now: number) => Statement) =>
    Effect.gen(function* () {
      const away: Statement = { sql: "DELETE FROM pawl_dead_letter WHERE id = ?", params: [id], rows: 1 }
      const outcome = yield* database.batch([first(yield* nowMillis), away])
      if (outcome._tag === "Missed") yield* new DeadLetterMissing({ id })
    }).pipe(Effect.catchTag("SqlError", unavailable(operation)))

  return {
    deadLetters: (projectId) =>
      database
        .query({ sql: "SELECT * FROM pawl_dead_letter WHERE project_id = ? ORDER BY place", params: [projectId] })
        .pipe(
          Effect.catchAll(unavailable("read dead letters")),
          Effect.flatMap((rows) => Either.all(rows.map(deadLetterOf)))
        ),
    deadLetter: letter,
    retry: (id) =>
      Effect.zipRight(
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
