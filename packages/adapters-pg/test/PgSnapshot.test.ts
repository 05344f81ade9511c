import * as PgSnapshot from "@pawl/adapters-pg/PgSnapshot"
import { Effect, Redacted } from "effect"
import { snapshotSuite } from "../../sql/test/SnapshotSuite.ts"
import { newSchema, onPostgres, storesOn, url } from "./PgFixture.ts"

onPostgres("Postgres", () => {
  snapshotSuite(
    "a schema of Postgres",
    Effect.sync(() => {
      const schema = newSchema()
      return { client: storesOn(schema), snapshot: PgSnapshot.make({ url: Redacted.make(url), schema }) }
    })
  )
})
