/**
 * The stores' batches on SQLite. A batch runs without a pause. Batches that are asked for in the same moment share
 * one transaction, so that they wait for the disk once; when one of them misses, each gets a savepoint of its own. An
 * answer is given only after the COMMIT that makes it durable; where all of them are passing, that does not wait for the
 * disk: the next COMMIT that does brings them along.
 */
import { classifySqliteError, SqlError } from "effect/sql/SqlError"
import type { Keeping } from "@pawl/core/ledger/Commit"
import type { Database, Outcome, Statement } from "@pawl/sql/Database"
import { Effect } from "effect"
import { type Opened, rollBack, rowsOf } from "./Connections.ts"
import type { Turns } from "./Turns.ts"

type Result = Effect.Effect<Outcome, SqlError>

interface Job {
  readonly statements: ReadonlyArray<Statement>
  readonly keeping: Keeping
  readonly resume: (result: Result) => void
}

/** How many batches share a transaction at most. */
const jobsAtOnce = 64
/** How long the database may keep the thread before timers and sockets get a turn, in ms. */
const turnMs = 10

/** What SQLite threw, as the `SqlError` of its kind. */
export const failed = (cause: unknown): SqlError =>
  new SqlError({
    reason: classifySqliteError(cause, { message: "Failed to execute statement", operation: "execute" })
  })

const perform = ({ prepare }: Opened, statements: ReadonlyArray<Statement>): Outcome => {
  const answers: Array<Extract<Outcome, { readonly _tag: "Applied" }>["answers"][number]> = []
  for (let index = 0; index < statements.length; index++) {
    const { otherwise, params, rows: wanted, sql } = statements[index]!
    const { count, rows } = rowsOf(prepare(sql), params)
    if (wanted !== undefined && wanted !== count)
      return {
        _tag: "Missed",
        index,
        rows: otherwise === undefined ? [] : rowsOf(prepare(otherwise.sql), otherwise.params).rows
      }
    answers.push(rows)
  }
  return { _tag: "Applied", answers }
}

/** One batch among others of a transaction: undone alone when it misses or fails. */
const performApart = (opened: Opened, statements: ReadonlyArray<Statement>): Result => {
  const { db, prepare } = opened
  prepare("SAVEPOINT pawl_batch").run()
  try {
    const outcome = perform(opened, statements)
    if (outcome._tag === "Missed") prepare("ROLLBACK TO pawl_batch").run()
    return Effect.succeed(outcome)
  } catch (cause) {
    // The whole transaction is gone, and with it the batches before this one.
    if (!db.inTransaction) throw cause
    prepare("ROLLBACK TO pawl_batch").run()
    return Effect.fail(failed(cause))
  } finally {
    if (db.inTransaction) prepare("RELEASE pawl_batch").run()
  }
}

const transactOne = (opened: Opened, job: Job): Result => {
  try {
    opened.prepare("BEGIN IMMEDIATE").run()
    const outcome = perform(opened, job.statements)
    opened.prepare(outcome._tag === "Applied" ? "COMMIT" : "ROLLBACK").run()
    return Effect.succeed(outcome)
  } catch (cause) {
    return Effect.fail(failed(cause))
  } finally {
    rollBack(opened)
  }
}

const isFull = (cause: unknown): boolean =>
  typeof cause === "object" && cause !== null && "code" in cause && cause.code === "SQLITE_FULL"

/**
 * All batches one after the other, which is what mostly comes of them: a savepoint would keep a copy of every page that
 * is written. Null when one of them missed or failed: then the transaction begins anew.
 */
const performTogether = (opened: Opened, jobs: ReadonlyArray<Job>): ReadonlyArray<Result> | null => {
  const results: Array<Result> = []
  try {
    for (const { statements } of jobs) {
      const outcome = perform(opened, statements)
      if (outcome._tag === "Missed") break
      results.push(Effect.succeed(outcome))
    }
  } catch {
    // What failed, and whether the others can be applied without it, is seen when each is performed apart.
  }
  if (results.length === jobs.length) return results
  rollBack(opened)
  opened.prepare("BEGIN IMMEDIATE").run()
  return null
}

/** Applies the batches, and answers one result for each. */
const transact = (opened: Opened, jobs: ReadonlyArray<Job>): ReadonlyArray<Result> => {
  if (jobs.some(({ keeping }) => keeping === "lasting")) return transactAll(opened, jobs)
  // Between transactions alone: within one SQLite would refuse it.
  opened.db.pragma("synchronous = NORMAL")
  try {
    return transactAll(opened, jobs)
  } finally {
    opened.db.pragma("synchronous = FULL")
  }
}

const transactAll = (opened: Opened, jobs: ReadonlyArray<Job>): ReadonlyArray<Result> => {
  if (jobs.length === 1) return jobs.map((job) => transactOne(opened, job))
  try {
    opened.prepare("BEGIN IMMEDIATE").run()
    const results = performTogether(opened, jobs) ?? jobs.map((job) => performApart(opened, job.statements))
    opened.prepare("COMMIT").run()
    return results
  } catch (cause) {
    rollBack(opened)
    // Nothing was applied. There may be room for some of them without the one that was too large.
    return isFull(cause) ? jobs.map((job) => transactOne(opened, job)) : jobs.map(() => Effect.fail(failed(cause)))
  } finally {
    rollBack(opened)
  }
}

/** The batches of one connection, each in a turn of `turns`. */
export const make = (opened: Opened, turns: Turns): Database["Service"]["batch"] => {
  const waiting = new Set<Job>()
  let scheduled = false
  let busySince: number | null = null

  const flush = () => {
    scheduled = false
    if (waiting.size === 0) return
    turns.ask(() => {
      const jobs = Array.from(waiting).slice(0, jobsAtOnce)
      for (const job of jobs) waiting.delete(job)
      const results = transact(opened, jobs)
      turns.end()
      for (const [index, job] of jobs.entries()) job.resume(results[index]!)
      if (waiting.size > 0) schedule()
    })
  }
  const rest = () => {
    busySince = null
    if (scheduled) flush()
  }
  /** Soon: after the fibers that can run now, so that those of them that commit share a transaction. */
  const schedule = () => {
    if (scheduled) return
    scheduled = true
    if (busySince === null) {
      busySince = performance.now()
      setImmediate(rest)
    }
    // When it was at work for long, `rest` goes on once the event loop has gone round.
    if (performance.now() - busySince < turnMs) queueMicrotask(() => scheduled && flush())
  }

  return (statements, keeping = "lasting") =>
    Effect.callback<Outcome, SqlError>((resume) => {
      const job = { statements, keeping, resume }
      waiting.add(job)
      schedule()
      return Effect.sync(() => void waiting.delete(job))
    })
}
