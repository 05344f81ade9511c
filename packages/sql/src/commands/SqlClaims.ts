/** Claiming due commands, Projects in turn, and waiting for the next. `ready_at` is a due time, or the end of a lease. */
import { Effect, Result, Semaphore } from "effect"
import type { LeasedCommand } from "@pawl/core/model/Command"
import type { Claim as Asked, Commands } from "@pawl/core/work/Commands"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { type Armed, listening, type Signals, work } from "@pawl/core/ledger/Signals"
import { makeUlid } from "@pawl/core/primitives/Ids"
import { Limits } from "@pawl/core/primitives/Limits"
import { nowMillis } from "@pawl/core/primitives/Time"
import { claimInTurn, counted, eachProject } from "./ClaimInTurn.ts"
import { leasedOf } from "./CommandRows.ts"
import type { Database, Query, Row, Statement } from "../Database.ts"
import { unavailable } from "../Failures.ts"

/** The least time from a given one on at which a command may be claimed. */
const nextReadyQuery = `WITH RECURSIVE ${eachProject}
  SELECT min((SELECT min(c.ready_at) FROM pawl_command c WHERE c.project_id = project.id AND c.ready_at >= ?)) AS at FROM project WHERE project.id IS NOT NULL`

/** Kinds stand as they are in a statement: they are ours, and a Durable Object takes 100 parameters. */
const oneOf = (kinds: Asked["kinds"]): string => `IN (${kinds.map((kind) => `'${kind}'`).join(", ")})`

/** Which commands are asked for, as a condition on a table `name`, and its parameters: one for each exception. */
const wanted = (name: string, { except = [], kinds }: Asked): Query => ({
  sql: [
    `${name}.kind ${oneOf(kinds)}`,
    ...except.map((each) => `NOT (${name}.project_id = ? AND ${name}.kind ${oneOf(each.kinds)})`)
  ].join(" AND "),
  params: except.map(({ projectId }) => projectId ?? "")
})

/**
 * Projects with due commands that are asked for, the longest unserved first, each with the first of them. Which command
 * is due is only looked for in as many Projects as are asked for, and in those that were never served, to order them.
 */
const projectsInTurn = (asked: Asked, now: number): Query => {
  const { params, sql } = wanted("c", asked)
  const due = (column: string, project: string) =>
    `SELECT c.${column} FROM pawl_command c WHERE c.project_id = ${project} AND c.ready_at <= ? AND ${sql} ORDER BY c.ready_at, c.place LIMIT 1`
  const unserved = (column: string) => `CASE WHEN t.served IS NULL THEN (${due(column, "project.id")}) END`
  // A LIMIT keeps SQLite from ordering only after it has looked at all.
  return {
    sql: `WITH RECURSIVE ${eachProject}
      SELECT id, command FROM (
        SELECT line.id AS id, (${due("id", "line.id")}) AS command FROM (
          SELECT project.id AS id FROM project LEFT JOIN pawl_turn t ON t.project_id = project.id WHERE project.id IS NOT NULL
          ORDER BY t.served, ${unserved("ready_at")}, ${unserved("place")} LIMIT -1
        ) line
      ) WHERE command IS NOT NULL LIMIT ${asked.limit}`,
    params: [now, ...params, now, ...params, now, ...params]
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
    sql: "UPDATE pawl_turn SET served = served + 1 WHERE project_id = '*'",
    params: []
  },
  {
    sql: `INSERT INTO pawl_turn (project_id, served) SELECT ?, served FROM pawl_turn WHERE project_id = '*'
      ON CONFLICT (project_id) DO UPDATE SET served = excluded.served`,
    params: [project]
  }
]

const allLeased = (
  rows: ReadonlyArray<Row>,
  token: string
): Result.Result<ReadonlyArray<LeasedCommand>, LedgerUnavailable> => Result.all(rows.map((row) => leasedOf(row, token)))

/** Fewer Projects than commands are asked for: more of each. */
const inTurn = (database: Database["Service"], first: ReadonlyArray<Candidate>, asked: Asked, now: number) =>
  Effect.map(
    Effect.forEach(first, ({ project }) =>
      Effect.map(database.query(dueOf(project, asked, now)), (rows) =>
        rows.map((each): Candidate => ({ project, id: String(each["id"]) }))
      )
    ),
    (queues) => roundRobin(queues, asked.limit)
  )

const claimFrom = (
  database: Database["Service"],
  asked: Asked
): Effect.Effect<ReadonlyArray<LeasedCommand>, LedgerUnavailable> =>
  Effect.gen(function* () {
    const { leaseMs, limit, worker } = asked
    const token = `${worker}:${yield* makeUlid}`
    const now = yield* nowMillis
    const first = Array.from(yield* database.query(projectsInTurn(asked, now)), (row): Candidate => ({
      project: String(row["id"]),
      id: String(row["command"])
    }))
    if (first.length === 0) return []
    const order = first.length === limit ? first : yield* inTurn(database, first, asked, now)
    // After a power cut nobody works on it; what was done under the lease is on the disk after this.
    const outcome = yield* database.batch(
      order.flatMap((each) => take(each, token, now, leaseMs)),
      "passing"
    )
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

/** The claiming part of `Commands`, over a database whose tables are there. */
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
    // Where the time went back, what was said to be due later may be due before `from`.
    if (now >= deadline || next <= now || now < from) return
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
