import { ledgerModel } from "@pawl/testing/LedgerModel"
import { storeContracts } from "@pawl/testing/StoreContracts"
import { layerFresh } from "./SqliteFixture.ts"

storeContracts("SQLite", { layer: layerFresh })
ledgerModel("SQLite", { layer: layerFresh }, 50)
