import { ledgerModel } from "@pawl/testing/tools/LedgerModel"
import { storeContracts } from "@pawl/testing/contracts/stores/StoreContracts"
import { layerFresh, onPostgres } from "./PgFixture.ts"

onPostgres("Stores on Postgres", () => {
  storeContracts("Postgres", { layer: layerFresh })
  ledgerModel("Postgres", { layer: layerFresh }, 30)
})
