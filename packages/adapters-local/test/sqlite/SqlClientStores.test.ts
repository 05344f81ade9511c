import { Effect, Layer } from "effect"
import { commandsContract } from "@pawl/testing/contracts/stores/CommandsContract"
import { ledgerModel } from "@pawl/testing/tools/LedgerModel"
import { ledgerContract } from "@pawl/testing/contracts/stores/LedgerContract"
import * as SqliteClient from "@pawl/adapters-local/sqlite/SqliteClient"
import * as Database from "@pawl/sql/Database"
import * as SqlStores from "@pawl/sql/SqlStores"
import { temporaryFile } from "./SqliteFixture.ts"

/** The stores without the batches of SQLite: statement by statement, as over any client of the Effect family. */
const layer = Layer.unwrap(
  Effect.map(temporaryFile, (filename) =>
    SqlStores.layer.pipe(Layer.provide(Database.layer), Layer.provide(SqliteClient.layer({ filename })))
  )
)

ledgerContract("any SQL client", { layer })
commandsContract("any SQL client", { layer })
ledgerModel("any SQL client", { layer }, 20)
