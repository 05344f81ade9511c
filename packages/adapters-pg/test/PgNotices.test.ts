import * as PgNotices from "@pawl/adapters-pg/PgNotices"
import { noticesContract } from "@pawl/testing/contracts/stores/NoticesContract"
import { Redacted } from "effect"
import { onPostgres, url } from "./PgFixture.ts"

onPostgres("On Postgres", () => {
  noticesContract("Postgres", { join: (place) => PgNotices.make({ url: Redacted.make(url), schema: place }) })
})
