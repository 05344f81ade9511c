/** All store ports over the SQLite of a Durable Object, which is brought to shape when the object is made. */
import * as Reactivity from "effect/reactivity/Reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import type { Signals } from "@pawl/core/ledger/Signals"
import { Database, type Parameter } from "@pawl/sql/Database"
import { migrate } from "@pawl/sql/Migrations"
import { ownShape } from "@pawl/sql/Shape"
import { layerInShape, type Stores } from "@pawl/sql/SqlStores"
import { Effect, Layer, Stream } from "effect"
import { failed, make } from "./DurableObjectDatabase.ts"
import type { ObjectStorage } from "./ObjectStorage.ts"
import { shapeCompiler } from "./ShapeCompiler.ts"
import { perform } from "./Statements.ts"

/** What begins and ends a transaction: the object's storage does that around all of it, and refuses it as SQL. */
const control = /^(?:BEGIN|COMMIT|ROLLBACK)/

const connectionTo = (storage: ObjectStorage): Connection => {
  const rows = (sql: string, params: ReadonlyArray<unknown>) =>
    control.test(sql) ? [] : perform(storage, { sql, params: params as ReadonlyArray<Parameter> }).rows
  const attempt = <A>(work: () => A) => Effect.try({ try: work, catch: failed })
  const execute: Connection["execute"] = (sql, params, transform) => {
    const found = attempt(() => rows(sql, params))
    return transform === undefined ? found : Effect.map(found, transform)
  }
  const executeValues: Connection["executeValues"] = (sql, params) =>
    attempt(() => rows(sql, params).map((row) => Object.values(row)))
  return {
    execute,
    executeUnprepared: execute,
    executeValues,
    executeValuesUnprepared: executeValues,
    executeRaw: (sql, params) => attempt(() => rows(sql, params)),
    executeStream: () => Stream.die(new Error("a Durable Object does not stream: rows are read in pages"))
  }
}

/** For what changes the shape, within one transaction of the storage's. */
const clientOver = (storage: ObjectStorage): Layer.Layer<SqlClient.SqlClient> =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.suspend(() => {
      const connection = Effect.succeed(connectionTo(storage))
      return SqlClient.make({
        driver: "pawl-durable-object",
        acquirer: connection,
        transactionAcquirer: connection,
        compiler: shapeCompiler,
        spanAttributes: [["db.system.name", "sqlite"]]
      })
    })
  ).pipe(Layer.provide(Reactivity.layer))

/** The shape that this version brings a database to. A change of it comes with a new number (see `Expansions`). */
const stamp = `${ownShape.expansions.length}.${ownShape.contractions.length}`

const stampTable = "CREATE TABLE IF NOT EXISTS pawl_object (shape TEXT NOT NULL)"

/**
 * Brings the object's SQLite to the shape of this version, in one transaction; to be called when the object is made. An
 * object that wakes reads one row. Throws what keeps it from its shape.
 */
export const bringToShape = (storage: ObjectStorage): void =>
  storage.transactionSync(() => {
    storage.sql.exec(stampTable)
    if (storage.sql.exec("SELECT shape FROM pawl_object").toArray()[0]?.["shape"] === stamp) return
    Effect.runSync(Effect.provide(migrate, clientOver(storage)))
    storage.sql.exec("DELETE FROM pawl_object")
    storage.sql.exec("INSERT INTO pawl_object (shape) VALUES (?)", stamp)
  })

/** The stores of an object that `bringToShape` was called for. What they commit is told to `signals`, where there are some. */
export const layer = (storage: ObjectStorage, signals?: Signals): Layer.Layer<Stores, LedgerUnavailable> =>
  layerInShape.pipe(
    Layer.provide(
      Layer.merge(
        clientOver(storage),
        Layer.sync(Database, () => make(storage, signals))
      )
    )
  )
