import { eventDeliveries } from "@pawl/testing/tools/EventDeliveries"
import { layerFresh, onPostgres } from "./PgFixture.ts"

onPostgres("Events on Postgres", () => eventDeliveries("Postgres", { layer: layerFresh }, 1_000))
