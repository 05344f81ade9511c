import * as PgClient from "@pawl/adapters-pg/PgClient"
import { Effect, Redacted } from "effect"
import { nextRelease } from "../../sql/test/NextRelease.ts"
import { newSchema, onPostgres, url } from "./PgFixture.ts"

onPostgres("Postgres", () => {
  nextRelease(
    "A schema of Postgres",
    Effect.sync(() => PgClient.layer({ url: Redacted.make(url), schema: newSchema() }))
  )
})
