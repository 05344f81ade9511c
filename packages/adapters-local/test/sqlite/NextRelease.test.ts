import * as SqliteClient from "@pawl/adapters-local/sqlite/SqliteClient"
import { Effect } from "effect"
import { nextRelease } from "../../../sql/test/NextRelease.ts"
import { temporaryFile } from "./SqliteFixture.ts"

nextRelease(
  "A file of SQLite",
  Effect.map(temporaryFile, (filename) => SqliteClient.layer({ filename }))
)
