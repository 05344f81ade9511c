/** The queue of durable work over SQL: what a lease allows. Claims and dead letters have files of their own. */
import { Effect } from "effect"
import type { Lease } from "@pawl/core/event/Command"
import type { Commands } from "@pawl/core/event/Commands"
import { LeaseLost } from "@pawl/core/ledger/Ledger"
import { type Signals, work } from "@pawl/core/ledger/Signals"
import { nowMillis } from "@pawl/core/primitives/Time"
import type { Database, Parameter, Query, Statement } from "./Database.ts"
import { ending, isRestarted, restart } from "./Finishing.ts"
import { unavailable } from "./Failures.ts"
import { make as makeClaims } from "./SqlClaims.ts"
import { make as makeDeadLetters } from "./SqlDeadLetters.ts"

const held = "WHERE id = ? AND token = ? AND ready_at > ?"
const columns = "id, project_id, kind, payload, attempts, max_attempts, due_at, created_at, last_problem"

const holding = (lease: Lease, now: number): ReadonlyArray<Parameter> => [lease.commandId, lease.token, now]

/** Buries the command when its tries are used, and queues it again when not. */
const failing = (
  lease: Lease,
  problem: string,
  now: number,
  delayMs: number
): readonly [Statement, ...ReadonlyArray<Statement>] => [
  // The fence: nothing else happens unless the lease is held.
  {
    sql: `UPDATE pawl_command SET last_problem = ? ${held} RETURNING attempts, max_attempts`,
    params: [problem, ...holding(lease, now)],
    rows: 1
  },
  {
    sql: "DELETE FROM pawl_dead_letter WHERE id = ? AND EXISTS (SELECT 1 FROM pawl_command c WHERE c.id = ? AND c.attempts >= c.max_attempts)",
    params: [lease.commandId, lease.commandId]
  },
  {
    sql: `INSERT INTO pawl_dead_letter (${columns}, died_at) SELECT ${columns}, CAST(? AS BIGINT) FROM pawl_command WHERE id = ? AND attempts >= max_attempts`,
    params: [now, lease.commandId]
  },
  { sql: "DELETE FROM pawl_command WHERE id = ? AND attempts >= max_attempts", params: [lease.commandId] },
  {
    sql: "UPDATE pawl_command SET token = NULL, due_at = ?, ready_at = ? WHERE id = ?",
    params: [now + delayMs, now + delayMs, lease.commandId]
  }
]

export const make = (database: Database["Type"], signals: Signals): Commands["Type"] => {
  const wake = Effect.sync(() => signals.notify(work))
  const query = (operation: string, ask: Query) => Effect.catchAll(database.query(ask), unavailable(operation))
  const batch = (operation: string, statements: ReadonlyArray<Statement>) =>
    Effect.catchAll(database.batch(statements), unavailable(operation))

  /** A batch whose first statement is fenced by the lease. */
  const fenced = (
    operation: string,
    lease: Lease,
    statements: (now: number) => readonly [Statement, ...ReadonlyArray<Statement>]
  ) =>
    Effect.flatMap(nowMillis, (now) =>
      Effect.flatMap(batch(operation, statements(now)), (outcome) =>
        outcome._tag === "Missed"
          ? Effect.fail(new LeaseLost({ commandId: lease.commandId }))
          : Effect.succeed(outcome.answers)
      )
    )

  const fail: Commands["Type"]["fail"] = (lease, problem, delayMs) =>
    Effect.gen(function* () {
      const answers = yield* fenced("fail", lease, (now) => failing(lease, problem, now, delayMs))
      yield* wake
      const row = answers[0]?.[0]
      return Number(row?.["attempts"]) >= Number(row?.["max_attempts"]) ? "dead" : "retried"
    })

  return {
    ...makeClaims(database, signals),
    ...makeDeadLetters(database, wake),
    renew: (lease, leaseMs) =>
      Effect.asVoid(
        fenced("renew", lease, (now) => [
          {
            sql: `UPDATE pawl_command SET ready_at = ? ${held}`,
            params: [now + leaseMs, ...holding(lease, now)],
            rows: 1
          }
        ])
      ),
    finish: (lease) =>
      Effect.flatMap(
        fenced("finish", lease, (now) => [restart(lease, now), ...ending(lease)]),
        (answers) => (isRestarted(answers[0]) ? wake : Effect.void)
      ),
    fail,
    release: (lease, delayMs) =>
      Effect.zipRight(
        fenced("release", lease, (now) => [
          {
            sql: `UPDATE pawl_command SET token = NULL, attempts = CASE WHEN attempts > 0 THEN attempts - 1 ELSE 0 END, due_at = ?, ready_at = ? ${held}`,
            params: [now + delayMs, now + delayMs, ...holding(lease, now)],
            rows: 1
          }
        ]),
        wake
      ),
    releaseAll: Effect.flatMap(nowMillis, (now) =>
      query("release all", {
        sql: "UPDATE pawl_command SET token = NULL, ready_at = ? WHERE token IS NOT NULL RETURNING id",
        params: [now]
      })
    ).pipe(
      Effect.map((rows) => rows.length),
      Effect.zipLeft(wake)
    )
  }
}
