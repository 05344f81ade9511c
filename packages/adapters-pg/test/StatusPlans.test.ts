import { statusPlans } from "../../sql/test/StatusPlans.ts"
import { layerFresh, onPostgres } from "./PgFixture.ts"

onPostgres("Postgres", () => {
  statusPlans("A schema of Postgres", layerFresh)
})
