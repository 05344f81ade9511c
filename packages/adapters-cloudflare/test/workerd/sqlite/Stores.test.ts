/** Every store contract on the SQLite of a Durable Object, inside the object, in workerd. */
import { runInDurableObject } from "cloudflare:test"
import { Layer } from "effect"
import { storeContracts } from "@pawl/testing/contracts/stores/StoreContracts"
import * as DurableObjectStores from "../../../src/sqlite/DurableObjectStores.ts"
import type { ObjectStorage } from "../../../src/sqlite/ObjectStorage.ts"
import { bound } from "../kit/Bound.ts"

let objects = 0
let storage: ObjectStorage

storeContracts("Durable Object", {
  within: (test) =>
    runInDurableObject(bound.STORE.getByName(`store-${objects++}`), (_, state) => {
      storage = state.storage
      DurableObjectStores.bringToShape(storage)
      return test()
    }),
  layer: Layer.suspend(() => DurableObjectStores.layer(storage))
})
