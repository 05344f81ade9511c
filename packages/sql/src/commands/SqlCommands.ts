/** The queue of durable work over SQL: what a lease allows. Claims and dead letters have files of their own. */
import { Effect } from "effect"
import type { Keeping } from "@pawl/core/ledger/Commit"
import type { GivenBack, Lease } from "@pawl/core/model/Command"
import type { Commands } from "@pawl/core/work/Commands"
import { LeaseLost } from "@pawl/core/ledger/Ledger"
import { type Signals, work } from "@pawl/core/ledger/Signals"
import { nowMillis } from "@pawl/core/primitives/Time"
import { marks } from "./ClaimInTurn.ts"
import type { Database, Parameter, Query, Statement } from "../Database.ts"
import { removed, isRestarted, finished, restarted } from "./FinishedCommands.ts"
import { unavailable } from "../Failures.ts"
import { make as makeClaims } from "./SqlClaims.ts"
import { make as makeDeadLetters } from "./SqlDeadLetters.ts"

const held = "WHERE id = ? AND token = ? AND ready_at > ?"
const columns = "id, project_id, kind, payload, attempts, max_attempts, due_at, created_at, last_problem"

const holding = (lease: Lease, now: number): ReadonlyArray<Parameter> => [lease.commandId, lease.token, now]

/** Buries the command when its tries are used or it is given up, and queues it again when not. */
const failing = (
  lease: Lease,
  problem: string,
  now: number,
  delayMs: number | null
): readonly [Statement, ...ReadonlyArray<Statement>] => {
  const isOver = delayMs === null ? "1 = 1" : "c.attempts >= c.max_attempts"
  const over = `SELECT ${columns} FROM pawl_command c WHERE id = ? AND ${isOver}`
  return [
    // The fence: nothing else happens unless the lease is held.
    {
      sql: `UPDATE pawl_command SET last_problem = ?, waits = 0, waiting_since = NULL ${held} RETURNING attempts, max_attempts`,
      params: [problem, ...holding(lease, now)],
      rows: 1
    },
    {
      sql: `DELETE FROM pawl_dead_letter WHERE id IN (SELECT id FROM (${over}) o)`,
      params: [lease.commandId]
    },
    {
      sql: `INSERT INTO pawl_dead_letter (${columns}, died_at) SELECT ${columns}, CAST(? AS BIGINT) FROM (${over}) o`,
      params: [now, lease.commandId]
    },
    {
      sql: `DELETE FROM pawl_command WHERE id IN (SELECT id FROM (${over}) o)`,
      params: [lease.commandId]
    },
    {
      sql: "UPDATE pawl_command SET token = NULL, due_at = ?, ready_at = ? WHERE id = ?",
      params: [now + (delayMs ?? 0), now + (delayMs ?? 0), lease.commandId]
    }
  ]
}

/** What giving a command back leaves of its outage: who stops knows nothing of it, who waits for something else has come through. */
const outageAfter = (why: GivenBack, now: number, readyAt: number): Query => {
  switch (why) {
    case "stopped":
      return { sql: "", params: [] }
    case "waits":
      return { sql: ", waits = 0, waiting_since = NULL", params: [] }
    case "outage":
      return {
        sql: ", waits = waits + 1, waiting_since = coalesce(waiting_since, ?), waited_until = ?",
        params: [now, readyAt]
      }
  }
}

const uncounted = "attempts = CASE WHEN attempts > 0 THEN attempts - 1 ELSE 0 END"

const releasing = (lease: Lease, now: number, delayMs: number, why: GivenBack): Statement => {
  const outage = outageAfter(why, now, now + delayMs)
  return {
    sql: `UPDATE pawl_command SET token = NULL, ${uncounted}, due_at = ?, ready_at = ?${outage.sql} ${held}`,
    params: [now + delayMs, now + delayMs, ...outage.params, ...holding(lease, now)],
    rows: 1
  }
}

const latest = (projectId: string, kinds: ReadonlyArray<string>): Query => ({
  sql: `SELECT max(CASE WHEN waited_until > created_at THEN waited_until ELSE created_at END) AS at
    FROM pawl_command WHERE project_id = ? AND kind IN (${marks(kinds.length)})`,
  params: [projectId, ...kinds]
})

const renewing = (lease: Lease, now: number, leaseMs: number): Statement => ({
  sql: `UPDATE pawl_command SET ready_at = ? ${held}`,
  params: [now + leaseMs, ...holding(lease, now)],
  rows: 1
})

/** `Commands` over a database whose tables are there. `signals` wake those who wait for work. */
export const make = (database: Database["Service"], signals: Signals): Commands["Service"] => {
  const wake = Effect.sync(() => signals.notify(work))
  const query = (operation: string, ask: Query) => Effect.catch(database.query(ask), unavailable(operation))
  const batch = (operation: string, statements: ReadonlyArray<Statement>, keeping: Keeping) =>
    Effect.catch(database.batch(statements, keeping), unavailable(operation))

  /** A batch whose first statement is fenced by the lease. */
  const fenced = (
    operation: string,
    lease: Lease,
    statements: (now: number) => readonly [Statement, ...ReadonlyArray<Statement>],
    keeping: Keeping = "lasting"
  ) =>
    Effect.flatMap(nowMillis, (now) =>
      Effect.flatMap(batch(operation, statements(now), keeping), (outcome) =>
        outcome._tag === "Missed"
          ? Effect.fail(new LeaseLost({ commandId: lease.commandId }))
          : Effect.succeed(outcome.answers)
      )
    )

  const fail: Commands["Service"]["fail"] = (lease, problem, delayMs) =>
    Effect.gen(function* () {
      const answers = yield* fenced("fail", lease, (now) => failing(lease, problem, now, delayMs))
      yield* wake
      const row = answers[0]?.[0]
      return delayMs === null || Number(row?.["attempts"]) >= Number(row?.["max_attempts"]) ? "dead" : "retried"
    })

  /** The lease is lost, or the command was sent again: then it begins anew. */
  const finishAgain = (lease: Lease) =>
    Effect.flatMap(
      fenced("finish", lease, (now) => [restarted(lease, now), ...removed(lease)]),
      (answers) => (isRestarted(answers[0]) ? wake : Effect.void)
    )

  return {
    ...makeClaims(database, signals),
    ...makeDeadLetters(database, wake),
    renew: (lease, leaseMs) =>
      Effect.asVoid(fenced("renew", lease, (now) => [renewing(lease, now, leaseMs)], "passing")),
    finish: (lease) =>
      Effect.flatMap(nowMillis, (now) =>
        // One that a power cut takes back finds all its steps in the journal.
        Effect.flatMap(batch("finish", finished(lease, now), "passing"), ({ _tag }) =>
          _tag === "Applied" ? Effect.void : finishAgain(lease)
        )
      ),
    fail,
    release: (lease, delayMs, why = "waits") =>
      Effect.andThen(
        fenced("release", lease, (now) => [releasing(lease, now, delayMs, why)], "passing"),
        wake
      ),
    releaseAll: Effect.flatMap(nowMillis, (now) =>
      query("release all", {
        sql: `UPDATE pawl_command SET token = NULL, ${uncounted}, deaths = deaths + 1, ready_at = ? WHERE token IS NOT NULL RETURNING id`,
        params: [now]
      })
    ).pipe(
      Effect.map((rows) => rows.length),
      Effect.tap(wake)
    ),
    workableSince: (projectId, kinds) =>
      Effect.map(query("read since when work can go on", latest(projectId, kinds)), ([row]) =>
        row === undefined || row["at"] === null ? null : Number(row["at"])
      )
  }
}
