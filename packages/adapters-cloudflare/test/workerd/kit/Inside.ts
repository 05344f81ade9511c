/** Tests inside a Durable Object of their own, with the stores on its SQLite. */
import { runInDurableObject } from "cloudflare:test"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import type { Stores } from "@pawl/sql/SqlStores"
import type { Within } from "@pawl/testing/tools/StoreFixtures"
import { Layer } from "effect"
import * as DurableObjectStores from "../../../src/sqlite/DurableObjectStores.ts"
import type { ObjectStorage } from "../../../src/sqlite/ObjectStorage.ts"
import { bound } from "./Bound.ts"

/** Where a test runs, and the stores of that place. */
export interface Inside {
  readonly within: Within
  readonly stores: Layer.Layer<Stores, LedgerUnavailable>
}

/** Each test gets an object of its own, named after `name`. */
export const insideObjects = (name: string): Inside => {
  let objects = 0
  let storage: ObjectStorage
  return {
    within: (test) =>
      runInDurableObject(bound.STORE.getByName(`${name}-${objects++}`), (_, state) => {
        storage = state.storage
        DurableObjectStores.bringToShape(storage)
        return test()
      }),
    stores: Layer.suspend(() => DurableObjectStores.layer(storage))
  }
}
