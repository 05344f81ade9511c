/**
 * The embedded database: one SQLite file, one connection, for Effect's `SqlClient` and for the stores' batches alike.
 * A commit is on the disk when it is answered (WAL, `synchronous=FULL`). Transactions begin with a write lock
 * (`BEGIN IMMEDIATE`), so that none fails for what it read before. A failed COMMIT is an `SqlError`, and the connection
 * is usable after it.
 */
import * as Reactivity from "effect/reactivity/Reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { classifySqliteError, SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import { Database, type Query, type Row } from "@pawl/sql/Database"
import { Context, Effect, Exit, Layer, Stream } from "effect"
import { failed, make as makeBatch } from "./Batches.ts"
import { open, type Opened, type Options, reads, rollBack, rowsOf } from "./Connections.ts"
import * as KnownReads from "./KnownReads.ts"
import * as Turns from "./Turns.ts"

/** Runs work that never pauses on the connection. */
type Run = <A>(work: () => A) => Effect.Effect<A, SqlError>

const attempt = <A>(work: () => A): Exit.Exit<A, SqlError> => {
  try {
    return Exit.succeed(work())
  } catch (cause) {
    return Exit.fail(failed(cause))
  }
}

/** A connection whose statements each wait for their turn. */
const inTurn =
  (turns: Turns.Turns): Run =>
  (work) =>
    turns.run(() => attempt(work))

/**
 * The connection of one transaction, which has the turn. What SQLite has undone by itself, as it does when the disk is
 * full, is over: a statement after it would stand alone and stay.
 */
const inTransaction = ({ db }: Opened): Run => {
  let begun = false
  return (work) =>
    Effect.suspend(() => {
      if (begun && !db.inTransaction) return Exit.fail(failed(new Error("SQLite has undone this transaction")))
      const exit = attempt(work)
      begun ||= db.inTransaction
      return exit
    })
}

const makeConnection = (opened: Opened, run: Run): Connection => {
  const execute: Connection["execute"] = (sql, params, transform) => {
    const rows = run(() => rowsOf(opened.prepare(sql), params).rows)
    return transform === undefined ? rows : Effect.map(rows, transform)
  }
  const executeValues: Connection["executeValues"] = (sql, params) =>
    run(() => {
      const statement = opened.db.prepare(sql)
      if (!reads(statement)) KnownReads.wrote()
      if (statement.reader) return statement.raw(true).all(...params)
      statement.run(...params)
      return []
    })
  return {
    execute,
    executeUnprepared: execute,
    executeValues,
    executeValuesUnprepared: executeValues,
    executeRaw: (sql, params) =>
      run(() => {
        const statement = opened.prepare(sql)
        return statement.reader ? statement.all(...params) : statement.run(...params)
      }),
    executeStream: () => Stream.die(new Error("SqliteClient does not stream: rows are read in pages"))
  }
}

/** Takes the turn for a transaction. However that ends, whoever comes next finds none open. */
const makeTransactions = (opened: Opened, turns: Turns.Turns) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.andThen(
      Effect.acquireRelease(turns.begin(restore), () =>
        Effect.ensuring(
          Effect.sync(() => rollBack(opened)),
          Effect.sync(turns.end)
        )
      ),
      Effect.sync(() => makeConnection(opened, inTransaction(opened)))
    )
  )

const makeDatabase = (opened: Opened, turns: Turns.Turns): Database["Service"] => {
  const run = inTurn(turns)
  const version = opened.db.prepare("PRAGMA data_version").raw(true)
  const known = KnownReads.make(() => version.get()?.[0])
  const query = ({ params, sql }: Query): ReadonlyArray<Row> => {
    const statement = opened.prepare(sql)
    const rows = () => rowsOf(statement, params).rows
    return reads(statement) ? known.rows(sql, params, rows) : rows()
  }
  return {
    dialect: "sqlite",
    query: (asked) => run(() => query(asked)),
    batch: makeBatch(opened, turns)
  }
}

const make = Effect.fnUntraced(function* (options: Options) {
  const opened = yield* Effect.acquireRelease(
    Effect.try({
      try: () => open(options),
      catch: (cause) =>
        new SqlError({
          reason: classifySqliteError(cause, { message: `Failed to open ${options.filename}`, operation: "connect" })
        })
    }),
    ({ db }) => Effect.sync(() => db.close())
  )
  const turns = Turns.make()
  const plain = makeConnection(opened, inTurn(turns))
  const client = yield* SqlClient.make({
    driver: "pawl-sqlite",
    acquirer: Effect.succeed(plain),
    borrower: (use) => use(plain),
    transactionAcquirer: makeTransactions(opened, turns),
    prepareTransactionControls: true,
    beginTransaction: "BEGIN IMMEDIATE",
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    // What SQLite has rolled back by itself cannot be rolled back again.
    isTransaction: () => opened.db.inTransaction,
    compiler: Statement.makeCompilerSqlite(),
    spanAttributes: [["db.system.name", "sqlite"]]
  })
  return Context.make(SqlClient.SqlClient, client).pipe(Context.add(Database, makeDatabase(opened, turns)))
})

/**
 * `SqlClient` and the stores' `Database` over one file, which is made when it is not there. They take turns on one
 * connection: inside `withTransaction`, `Database` would wait for its own end, so it is not to be used there.
 */
export const layer = (options: Options): Layer.Layer<SqlClient.SqlClient | Database, SqlError> =>
  Layer.effectContext(make(options)).pipe(Layer.provide(Reactivity.layer))
