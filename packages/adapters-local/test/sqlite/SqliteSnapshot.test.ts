import * as SqliteClient from "@pawl/adapters-local/sqlite/SqliteClient"
import * as SqliteSnapshot from "@pawl/adapters-local/sqlite/SqliteSnapshot"
import * as SqlStores from "@pawl/sql/SqlStores"
import { Effect, Layer } from "effect"
import { snapshotSuite } from "../../../sql/test/SnapshotSuite.ts"
import { temporaryFile } from "./SqliteFixture.ts"

snapshotSuite(
  "a file of SQLite",
  Effect.map(temporaryFile, (filename) => ({
    client: Layer.provideMerge(SqlStores.layer, SqliteClient.layer({ filename })),
    snapshot: SqliteSnapshot.make(filename)
  }))
)
