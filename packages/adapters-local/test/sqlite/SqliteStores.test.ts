import { ledgerModel } from "@pawl/testing/tools/LedgerModel"
import { storeContracts } from "@pawl/testing/contracts/stores/StoreContracts"
import { layerFresh } from "./SqliteFixture.ts"

storeContracts("SQLite", { layer: layerFresh })
ledgerModel("SQLite", { layer: layerFresh }, 50)
