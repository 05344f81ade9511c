/** All store ports over the SQLite of a Durable Object, which is brought to shape when the object is made. */
import * as SqlClient from "effect/sql/SqlClient"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import type { Signals } from "@pawl/core/ledger/Signals"
import { Database } from "@pawl/sql/Database"
import { migrate } from "@pawl/sql/Migrations"
import { ownShape } from "@pawl/sql/Shape"
import { layerInShape, type Stores } from "@pawl/sql/SqlStores"
import { Effect, Layer } from "effect"
import { make } from "./DurableObjectDatabase.ts"
import type { ObjectStorage } from "./ObjectStorage.ts"
import { shapeClient } from "./ShapeClient.ts"

/** For what changes the shape, within one transaction of the storage's. */
const clientOver = (storage: ObjectStorage): Layer.Layer<SqlClient.SqlClient> =>
  Layer.sync(SqlClient.SqlClient, () => shapeClient(storage))

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
