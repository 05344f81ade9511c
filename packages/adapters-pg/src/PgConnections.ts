/**
 * Effect's `SqlClient` over the pool, statement by statement: for migrations, and for a host program's own statements.
 * The client of `@effect/sql-pg` has a driver and a pool of its own: beside this pool it would open as many connections
 * again, and read the same columns as other types.
 */
import { makeCompiler } from "@effect/sql-pg/PgClient"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { Effect, type Scope, Stream } from "effect"
import type Pg from "pg"
import { isAnswer } from "./PgFailures.ts"
import { failed } from "./PgPool.ts"

/** A client of the pool that is somebody's for a while. */
interface Lease {
  readonly client: Pg.PoolClient & { readonly processID?: number }
  /** Nobody knows what state it is in: it does not go back to the pool. */
  isBroken: boolean
}

/** One result for each statement of a text. */
type Answer = Pg.QueryResult | ReadonlyArray<Pg.QueryResult>

const hold = (client: Pg.PoolClient): Effect.Effect<Lease, never, Scope.Scope> => {
  const lease: Lease = { client, isBroken: false }
  // Without a listener a connection that breaks ends the process.
  const onError = () => {
    lease.isBroken = true
  }
  client.on("error", onError)
  return Effect.acquireRelease(Effect.succeed(lease), () =>
    Effect.sync(() => {
      client.off("error", onError)
      client.release(lease.isBroken)
    })
  )
}

/** A client of the pool until the scope ends. Waiting for it can be interrupted. */
const take = (pool: Pg.Pool): Effect.Effect<Lease, SqlError, Scope.Scope> =>
  Effect.uninterruptibleMask((restore) => {
    const asked = pool.connect()
    // What comes when nobody waits for it any more goes back.
    const giveBack = () => void asked.then((client) => client.release()).catch(() => undefined)
    return restore(Effect.tryPromise({ try: () => asked, catch: failed })).pipe(
      Effect.onInterrupt(() => Effect.sync(giveBack)),
      Effect.flatMap(hold)
    )
  })

/** Asks the server to stop what a client is at. That is then answered with a refusal. */
const cancel = (pool: Pg.Pool, { client }: Lease): Promise<unknown> =>
  pool.query("SELECT pg_cancel_backend($1)", [client.processID]).catch(() => undefined)

/** Who interrupts a statement waits until the server is done with it. */
const ask = (pool: Pg.Pool, lease: Lease, query: Pg.QueryConfig | Pg.QueryArrayConfig) =>
  Effect.callback<Answer, SqlError>((resume) => {
    const answered = lease.client.query(query).then(
      (answer) => resume(Effect.succeed(answer)),
      (cause: unknown) => {
        if (!isAnswer(cause)) lease.isBroken = true
        resume(Effect.fail(failed(cause)))
      }
    )
    return Effect.promise(() => Promise.all([cancel(pool, lease), answered]))
  })

const rowsOf = (answer: Answer): Pg.QueryResult["rows"] =>
  "rows" in answer ? answer.rows : answer.map(({ rows }) => rows)

const makeConnection = (pool: Pg.Pool, lease: Lease): Connection => {
  const executeRaw = (text: string, params: ReadonlyArray<unknown>) => ask(pool, lease, { text, values: [...params] })
  const execute: Connection["execute"] = (text, params, transform) => {
    const rows = Effect.map(executeRaw(text, params), rowsOf)
    return transform === undefined ? rows : Effect.map(rows, transform)
  }
  const executeValues: Connection["executeValues"] = (text, params) =>
    Effect.map(ask(pool, lease, { text, values: [...params], rowMode: "array" }), rowsOf)
  return {
    execute,
    executeRaw,
    executeValues,
    executeValuesUnprepared: executeValues,
    // BEGIN, COMMIT and their like: a connection where one of them fails may be left in the middle of a transaction.
    executeUnprepared: (text, params, transform) =>
      Effect.tapError(execute(text, params, transform), () =>
        Effect.sync(() => {
          lease.isBroken = true
        })
      ),
    // All rows are read before the first is given.
    executeStream: (text, params, transform) => Stream.fromIterableEffect(execute(text, params, transform))
  }
}

/** Postgres answers the COMMIT of a transaction in which a statement failed with ROLLBACK, and no error. */
const commit = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (answer) =>
    typeof answer === "object" && answer !== null && "command" in answer && answer.command === "ROLLBACK"
      ? Effect.fail(
          new SqlError({
            reason: new UnknownError({
              cause: new Error("the transaction was undone: a statement in it had failed"),
              message: "Failed to commit",
              operation: "commit"
            })
          })
        )
      : Effect.void
  )

/**
 * Each transaction holds a connection of the pool, each other statement takes one for its time. Fails with `SqlError`.
 */
export const makeClient = (pool: Pg.Pool) =>
  SqlClient.make({
    driver: "pawl-pg",
    acquirer: Effect.map(take(pool), (lease) => makeConnection(pool, lease)),
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    compiler: makeCompiler(),
    spanAttributes: [["db.system.name", "postgresql"]]
  })
