import { statusPlans } from "../../../sql/test/StatusPlans.ts"
import { layerFresh } from "./SqliteFixture.ts"

statusPlans("A file of SQLite", layerFresh)
