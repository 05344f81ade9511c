import { eventDeliveries } from "@pawl/testing/tools/EventDeliveries"
import { layerFresh } from "./SqliteFixture.ts"

eventDeliveries("SQLite", { layer: layerFresh }, 2_000)
