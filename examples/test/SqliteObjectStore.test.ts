import { objectStoreContract } from "@pawl/testing/contracts/stores/ObjectStoreContract"
import * as SqliteObjectStore from "../03-own-adapter/SqliteObjectStore.ts"

// This is all that an adapter's author writes to know that the adapter keeps every promise of its port.
objectStoreContract("an adapter from outside", { layer: () => SqliteObjectStore.layer({ filename: ":memory:" }) })
