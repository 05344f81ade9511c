/** Every store contract on the SQLite of a Durable Object, inside the object, in workerd. */
import { storeContracts } from "@pawl/testing/contracts/stores/StoreContracts"
import { insideObjects } from "../kit/Inside.ts"

const { stores, within } = insideObjects("store")

storeContracts("Durable Object", { within, layer: stores })
