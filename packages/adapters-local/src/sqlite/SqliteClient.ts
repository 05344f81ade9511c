/**
 * The embedded database: one SQLite file, one connection, for `@effect/sql` and for the stores' batches alike.
 * A commit is on the disk when it is answered (WAL, `synchronous=FULL`). Transactions begin with a write lock
 * (`BEGIN IMMEDIATE`), so that none fails for what it read before. A failed COMMIT is an `SqlError`, and the connection
 * is usable after it.
 */
import * as Reactivity from "effect/reactivity/Reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import { Database } from "@pawl/sql/Database"
import { Cause, Context, Effect, Layer, Scope } from "effect"
import { failed, make as makeBatch } from "./Batches.ts"
import { open, type Opened, type Options, rollBack, rowsOf } from "./Connections.ts"
import * as Turns from "./Turns.ts"

const makeDatabase = (opened: Opened, turns: Turns.Turns): Database["Service"] => ({
  dialect: "sqlite",
  query: ({ params, sql }) =>
    turns.run(Effect.try({ try: () => rowsOf(opened.prepare(sql), params).rows, catch: failed })),
  batch: makeBatch(opened, turns)
})

const makeConnection = (opened: Opened, run: Turns.Turns["run"]): Connection => {
  const attempt = <A>(work: () => A) => run(Effect.try({ try: work, catch: failed }))
  const execute = (sql: string, params: ReadonlyArray<unknown>) =>
    attempt(() => rowsOf(opened.prepare(sql), params).rows)
  return {
    execute: (sql, params, transform) =>
      Effect.map(execute(sql, params), (rows) => (transform === undefined ? rows : transform(rows))),
    executeRaw: (sql, params) =>
      attempt(() => {
        const statement = opened.prepare(sql)
        return statement.reader ? statement.all(...params) : statement.run(...params)
      }),
    executeValues: (sql, params) =>
      attempt(() => {
        const statement = opened.db.prepare(sql)
        if (statement.reader) return statement.raw(true).all(...params)
        statement.run(...params)
        return []
      }),
    executeUnprepared: (sql, params, transform) =>
      Effect.map(execute(sql, params ?? []), (rows) => (transform === undefined ? rows : transform(rows))),
    executeStream: () => Effect.die(new Error("SqliteClient does not stream: rows are read in pages"))
  }
}

/** The client dies of a failed COMMIT; this is how the failure gets out. */
class CommitFailed {
  readonly error: SqlError
  constructor(error: SqlError) {
    this.error = error
  }
}

/** The connection of a transaction, which owns the turn until its scope ends. */
const inTransaction = (opened: Opened): Connection => {
  const connection = makeConnection(opened, (work) => work)
  return {
    ...connection,
    executeUnprepared: (sql, params, transform) => {
      const effect = connection.executeUnprepared(sql, params, transform)
      if (sql === "COMMIT")
        return Effect.catch(effect, (error) =>
          Effect.andThen(
            Effect.sync(() => rollBack(opened)),
            Effect.die(new CommitFailed(error))
          )
        )
      // What SQLite has rolled back by itself cannot be rolled back again.
      if (sql.startsWith("ROLLBACK"))
        return Effect.suspend(() => (opened.db.inTransaction ? effect : Effect.succeed([])))
      return effect
    }
  }
}

const surfacing = (client: SqlClient.SqlClient): SqlClient.SqlClient["withTransaction"] => {
  const withTransaction = client.withTransaction
  return (self) =>
    Effect.catchCause(withTransaction(self), (cause) => {
      for (const defect of Cause.defects(cause)) if (defect instanceof CommitFailed) return Effect.fail(defect.error)
      return Effect.failCause(cause)
    })
}

const make = (options: Options) =>
  Effect.gen(function* () {
    const opened = yield* Effect.acquireRelease(
      Effect.try({
        try: () => open(options),
        catch: (cause) => new SqlError({ cause, message: `Failed to open ${options.filename}` })
      }),
      ({ db }) => Effect.sync(() => db.close())
    )
    const turns = Turns.make()
    const plain = makeConnection(opened, turns.run)
    const owned = inTransaction(opened)
    const client = yield* SqlClient.make({
      acquirer: Effect.succeed(plain),
      transactionAcquirer: Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(restore(turns.begin), () =>
          Effect.as(
            Effect.flatMap(Effect.scope, (scope) => Scope.addFinalizer(scope, Effect.sync(turns.end))),
            owned
          )
        )
      ),
      beginTransaction: "BEGIN IMMEDIATE",
      compiler: Statement.makeCompilerSqlite(),
      spanAttributes: [["db.system.name", "sqlite"]]
    })
    const surfaced = Object.assign(client, { withTransaction: surfacing(client) })
    return Context.make(SqlClient.SqlClient, surfaced).pipe(Context.add(Database, makeDatabase(opened, turns)))
  })

/**
 * `SqlClient` and the stores' `Database` over one file, which is made when it is not there. They take turns on one
 * connection: inside `withTransaction`, `Database` would wait for its own end, so it is not to be used there.
 */
export const layer = (options: Options): Layer.Layer<SqlClient.SqlClient | Database, SqlError> =>
  Layer.effectContext(make(options)).pipe(Layer.provide(Reactivity.layer))
