/** Claiming due commands, Projects in turn, and waiting for the next. `ready_at` is a due time, or the end of a lease. */
import { Effect, Result, Semaphore } from "effect"
import type { LeasedCommand } from "@pawl/core/model/Command"
import type { Claim as Asked, Commands } from "@pawl/core/work/Commands"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { type Armed, listening, type Signals, work } from "@pawl/core/ledger/Signals"
import { makeUlid } from "@pawl/core/primitives/Ids"
import { Limits } from "@pawl/core/primitives/Limits"
import { nowMillis } from "@pawl/core/primitives/Time"
import { claimInTurn, counted, eachProject, wanted } from "./ClaimInTurn.ts"
import { leasedOf } from "./CommandRows.ts"
import type { Database, Query, Row, Statement } from "../Database.ts"
import { unavailable } from "../Failures.ts"

/** The least time from a given one on at which a command may be claimed. */
const nextReadyQuery = `WITH RECURSIVE ${eachProject}
  SELECT min((SELECT min(c.ready_at) FROM pawl_command c WHERE c.project_id = project.id AND c.ready_at >= ?)) AS at FROM project WHERE project.id IS NOT NULL`

/** Projects with due commands that are asked for, the longest unserved first. */
const projectsInTurn = (asked: Asked, now: number): Query => {
  const { params, sql } = wanted("first", asked)
  return {
    sql: `WITH RECURSIVE ${eachProject}, due (id, ready_at, place) AS (
      SELECT project.id, c.ready_at, c.place FROM project JOIN pawl_command c ON c.id = (
        SELECT first.id FROM pawl_command first WHERE first.project_id = project.id AND first.ready_at <= ? AND ${sql}
        ORDER BY first.ready_at, first.place LIMIT 1)
    )
    SELECT due.id FROM due LEFT JOIN pawl_turn ON pawl_turn.project_id = due.id
    ORDER BY coalesce(pawl_turn.served, 0), due.ready_at, due.place LIMIT ${asked.limit}`,
    params: [now, ...params]
  }
}

const dueOf = (project: string, asked: Asked, now: number): Query => {
  const { params, sql } = wanted("pawl_command", asked)
  return {
    sql: `SELECT id FROM pawl_command WHERE project_id = ? AND ready_at <= ? AND ${sql} ORDER BY ready_at, place LIMIT ${asked.limit}`,
    params: [project, now, ...params]
  }
}

interface Candidate {
  readonly project: string
  readonly id: string
}

/** One of each Project, then a second of each, and so on. */
const roundRobin = (queues: ReadonlyArray<ReadonlyArray<Candidate>>, limit: number): ReadonlyArray<Candidate> => {
  const order: Array<Candidate> = []
  for (let round = 0; order.length < limit && queues.some((queue) => queue.length > round); round++)
    for (const queue of queues) if (order.length < limit && queue[round] !== undefined) order.push(queue[round]!)
  return order
}

const take = ({ id, project }: Candidate, token: string, now: number, leaseMs: number): ReadonlyArray<Statement> => [
  {
    sql: `UPDATE pawl_command SET token = ?, ready_at = ?, ${counted} WHERE id = ? AND ready_at <= ? RETURNING *`,
    params: [token, now + leaseMs, id, now]
  },
  {
    sql: `INSERT INTO pawl_turn (project_id, served) SELECT ?, coalesce(max(served), 0) + 1 FROM pawl_turn WHERE 1 = 1
      ON CONFLICT (project_id) DO UPDATE SET served = excluded.served`,
    params: [project]
  }
]

const allLeased = (
  rows: ReadonlyArray<Row>,
  token: string
): Result.Result<ReadonlyArray<LeasedCommand>, LedgerUnavailable> => Result.all(rows.map((row) => leasedOf(row, token)))

const claimFrom = (
  database: Database["Service"],
  asked: Asked
): Effect.Effect<ReadonlyArray<LeasedCommand>, LedgerUnavailable> =>
  Effect.gen(function* () {
    const { leaseMs, limit, worker } = asked
    const token = `${worker}:${yield* makeUlid}`
    const now = yield* nowMillis
    const projects = yield* database.query(projectsInTurn(asked, now))
    const queues = yield* Effect.forEach(projects, (row) =>
      Effect.map(database.query(dueOf(String(row["id"]), asked, now)), (rows) =>
        rows.map((each): Candidate => ({ project: String(row["id"]), id: String(each["id"]) }))
      )
    )
    const order = roundRobin(queues, limit)
    if (order.length === 0) return []
    const outcome = yield* database.batch(order.flatMap((each) => take(each, token, now, leaseMs)))
    const rows = outcome._tag === "Applied" ? outcome.answers.flat() : []
    // Another process was faster with all of them: there may be more.
    if (rows.length === 0) return yield* claimFrom(database, asked)
    return yield* Effect.fromResult(allLeased(rows, token))
  }).pipe(Effect.catchTag("SqlError", unavailable("claim")))

/** One after the other, each in turn, until there are enough or no more. */
const claimOneByOne = (
  database: Database["Service"],
  { leaseMs, limit, worker, ...which }: Asked
): Effect.Effect<ReadonlyArray<LeasedCommand>, LedgerUnavailable> =>
  Effect.gen(function* () {
    const token = `${worker}:${yield* makeUlid}`
    const rows: Array<Row> = []
    while (rows.length < limit) {
      const now = yield* nowMillis
      const [row] = yield* database.query(claimInTurn({ ...which, now, token, until: now + leaseMs }))
      if (row === undefined) break
      rows.push(row)
    }
    return yield* Effect.fromResult(allLeased(rows, token))
  }).pipe(Effect.catchTag("SqlError", unavailable("claim")))

export const make = (
  database: Database["Service"],
  signals: Signals
): Pick<Commands["Service"], "claim" | "awaitWork"> => {
  // Listens from the last claim on, so that what is sent between a claim and the wait after it is not missed.
  const ears = listening(signals, work)
  // One claim at a time in this process: two that look at once would only find the same commands.
  const claims = Semaphore.makeUnsafe(1)

  /** When something may be claimed that could not be claimed before `from`; commits of other processes count. */
  const nextReady = (from: number) =>
    Effect.map(
      Effect.catch(database.query({ sql: nextReadyQuery, params: [from] }), unavailable("await work")),
      ([row]) => (row === undefined || row["at"] === null ? Number.POSITIVE_INFINITY : Number(row["at"]))
    )
  const awaitUntil = Effect.fnUntraced(function* (
    armed: Armed,
    from: number,
    deadline: number
  ): Effect.fn.Return<void, LedgerUnavailable> {
    // What was due when the wait began was not for who waits: it would have been claimed.
    const next = yield* nextReady(from + 1)
    // Asked after the answer, which takes its time.
    const now = yield* nowMillis
    if (now >= deadline || next <= now) return
    const woken = yield* Effect.timeoutOption(armed.wait, Math.min(deadline, next, now + Limits.storePollMs) - now)
    if (woken._tag === "None") yield* awaitUntil(armed, from, deadline)
  })

  return {
    claim: (asked) =>
      claims.withPermits(1)(
        Effect.suspend(() => {
          ears.anew()
          if (asked.kinds.length === 0 || asked.limit < 1) return Effect.succeed([])
          return database.dialect === "pg" ? claimOneByOne(database, asked) : claimFrom(database, asked)
        })
      ),
    // A store that cannot be asked is no reason to spin: wait the time out.
    awaitWork: (timeoutMs) =>
      ears.during((armed) =>
        Effect.flatMap(nowMillis, (now) =>
          Effect.catch(awaitUntil(armed, now, now + timeoutMs), () => Effect.sleep(timeoutMs))
        )
      )
  }
}
