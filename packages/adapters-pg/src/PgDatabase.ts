/**
 * The stores' `Database` on Postgres, straight on the pool. A batch takes one round trip. Where a
 * miss is to be explained there are two more: `BEGIN` and every statement at once, then the question, and `ROLLBACK`.
 *
 * Isolation is READ COMMITTED. A commit takes its Project's advisory lock first, in a statement of its own, so that all
 * that it reads and guards afterwards is what the one before it committed; every other write carries its condition in
 * its WHERE and is judged by its number of rows, which READ COMMITTED checks against the newest version of the row.
 * SERIALIZABLE would give the same answers and pay for them with retries.
 */
import type { SqlError } from "effect/sql/SqlError"
import { type Database, numbered, type Outcome, type Row, type Statement } from "@pawl/sql/Database"
import { Effect } from "effect"
import type Pg from "pg"
import { isMissed, textOf } from "./Demands.ts"
import { isAnswer, isRaced, isStale } from "./PgFailures.ts"
import { failed } from "./PgPool.ts"
import { type Answer, type Ask, PipelineFailed, send } from "./Pipeline.ts"

/** How often a batch that lost a race is tried, and the longest first pause between two tries, in ms. */
const tries = 8
const pauseMs = 5

const texts = new Map<string, string>()
/** The statement with its parameters numbered. Texts are few: they are made from the tables and a few lengths. */
const askOf = ({ params, sql }: { readonly sql: string; readonly params: Ask["params"] }): Ask => {
  const text = texts.get(sql) ?? numbered(sql)
  if (texts.size < 4096) texts.set(sql, text)
  return { text, params }
}

const begin: Ask = { text: "BEGIN", params: [] }
const commit: Ask = { text: "COMMIT", params: [] }
const rollback: Ask = { text: "ROLLBACK", params: [] }

const missedAt = (statements: ReadonlyArray<Statement>, answers: ReadonlyArray<Answer>): number =>
  statements.findIndex(
    ({ rows }, index) => rows !== undefined && answers[index] !== undefined && answers[index].count !== rows
  )

type Send = (asks: ReadonlyArray<Ask>) => Promise<ReadonlyArray<Answer>>

/** Explains a miss, as it stands in the transaction now, and undoes the batch. */
const explain = async (ask: Send, index: number, { otherwise }: Statement): Promise<Outcome> => {
  const [answer] = await ask(otherwise === undefined ? [rollback] : [askOf(otherwise), rollback])
  return { _tag: "Missed", index, rows: otherwise === undefined ? [] : answer!.rows }
}

/** One statement after the other: nothing after a miss is run. */
const inSteps = async (ask: Send, statements: ReadonlyArray<Statement>): Promise<Outcome> => {
  const answers: Array<ReadonlyArray<Row>> = []
  await ask([begin])
  for (const [index, statement] of statements.entries()) {
    const [answer] = await ask([askOf(statement)])
    if (statement.rows !== undefined && statement.rows !== answer!.count) return explain(ask, index, statement)
    answers.push(answer!.rows)
  }
  await ask([commit])
  return { _tag: "Applied", answers }
}

/** The statement at `index` missed, and others after it ran all the same: again, without those. */
const upTo = async (ask: Send, statements: ReadonlyArray<Statement>, index: number): Promise<Outcome> => {
  const first = statements.slice(0, index + 1)
  const [, , ...answers] = await ask([rollback, begin, ...first.map(askOf)])
  if (missedAt(first, answers) === index) return explain(ask, index, statements[index]!)
  // Meanwhile it has become another matter.
  await ask([rollback])
  return inSteps(ask, statements)
}

/** In two round trips: whoever asks looks at the answers before they are committed. */
const looking = async (ask: Send, statements: ReadonlyArray<Statement>): Promise<Outcome> => {
  const asks = [begin, ...statements.map(askOf)]
  const noMiss = statements.every(({ rows }) => rows === undefined)
  const answers = await ask(noMiss ? [...asks, commit] : asks).catch((problem: unknown) => {
    // What failed may be a statement that should not have run, for one before it had missed.
    if (!(problem instanceof PipelineFailed) || !isAnswer(problem.cause)) throw problem
    if (missedAt(statements, problem.answers.slice(1)) === -1) throw problem
    return problem.answers
  })
  const ours = answers.slice(1, statements.length + 1)
  const index = missedAt(statements, ours)
  if (index === -1) {
    if (!noMiss) await ask([commit])
    return { _tag: "Applied", answers: ours.map(({ rows }) => rows) }
  }
  const failedLater = ours.length < statements.length
  const changedLater = ours.slice(index + 1).some(({ changed }) => changed)
  const matters = failedLater || (changedLater && statements[index]!.otherwise !== undefined)
  return matters ? upTo(ask, statements, index) : explain(ask, index, statements[index]!)
}

/**
 * In one round trip: what is sent up to a Sync is one transaction, which the server commits there, or undoes when a
 * statement fails. A miss fails; what is to be asked about it is asked by looking, in a transaction of its own.
 */
const atOnce = async (ask: Send, statements: ReadonlyArray<Statement>): Promise<Outcome> => {
  const asks: Array<Ask> = []
  for (const statement of statements) {
    const text = textOf(statement)
    if (text === null) return looking(ask, statements)
    asks.push({ text, params: statement.params })
  }
  try {
    const answers = await ask(asks)
    return { _tag: "Applied", answers: answers.map(({ rows }) => rows) }
  } catch (problem) {
    if (!(problem instanceof PipelineFailed) || !isMissed(problem.cause)) throw problem
    const index = problem.answers.length
    return statements[index]?.otherwise === undefined ? { _tag: "Missed", index, rows: [] } : looking(ask, statements)
  }
}

const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, Math.random() * pauseMs * 2 ** attempt))

/**
 * Takes a connection, works, and gives it back: rolled back when the server refused something, and thrown away when
 * nobody knows what state it is in. What lost a race is tried anew.
 */
const working = async <A>(pool: Pg.Pool, boundMs: number, work: (ask: Send) => Promise<A>): Promise<A> => {
  for (let attempt = 1; ; attempt++) {
    const client = await pool.connect()
    // Without a listener a connection that breaks ends the process; whoever waits for it is told anyway.
    const onError = () => undefined
    client.on("error", onError)
    const ask: Send = (asks) => send(client, asks, boundMs)
    let usable = false
    try {
      const answer = await work(ask)
      usable = true
      return answer
    } catch (problem) {
      const cause = problem instanceof PipelineFailed ? problem.cause : problem
      if (isAnswer(cause) && !isStale(cause))
        usable = await ask([rollback]).then(
          () => true,
          () => false
        )
      if (attempt >= tries || !(isRaced(cause) || isStale(cause))) throw cause
    } finally {
      client.off("error", onError)
      client.release(!usable)
    }
    await pause(attempt)
  }
}

/** An effect that, once begun, is not left half way: what is interrupted has still happened or not. */
const whole = <A>(work: () => Promise<A>): Effect.Effect<A, SqlError> =>
  Effect.uninterruptible(Effect.tryPromise({ try: work, catch: failed }))

/** `boundMs`: how long a connection may say nothing in the middle of an answer before it is broken off, in ms. */
export const make = (pool: Pg.Pool, boundMs: number): Omit<Database["Service"], "signals"> => ({
  dialect: "pg",
  query: (query) =>
    whole(() => working(pool, boundMs, (ask) => ask([askOf(query)]))).pipe(Effect.map(([answer]) => answer!.rows)),
  batch: (statements) => whole(() => working(pool, boundMs, (ask) => atOnce(ask, statements)))
})
