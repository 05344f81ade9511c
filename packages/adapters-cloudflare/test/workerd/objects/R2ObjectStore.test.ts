/** The contract of object stores on R2, in workerd. */
import { objectStoreContract } from "@pawl/testing/contracts/stores/ObjectStoreContract"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Effect, Layer, Stream } from "effect"
import { describe, expect, it } from "vitest"
import type { Bucket } from "../../../src/objects/Bucket.ts"
import * as R2ObjectStore from "../../../src/objects/R2ObjectStore.ts"
import { bound } from "../kit/Bound.ts"

const empty = async (): Promise<void> => {
  for (let more = true; more;) {
    const { objects, truncated } = await bound.BUCKET.list({ prefix: "", limit: 1000 })
    if (objects.length > 0) await bound.BUCKET.delete(objects.map(({ key }) => key))
    more = truncated
  }
}

/** An empty bucket for each test. */
const layer = () => Layer.unwrap(Effect.as(Effect.promise(empty), R2ObjectStore.layer(bound.BUCKET)))

objectStoreContract("R2", { layer })

/** A bucket that answers as R2 does while it is away. */
const away: Bucket = {
  head: () => Promise.reject(new Error("internal error")),
  get: () => Promise.reject(new Error("internal error")),
  put: () => Promise.reject(new Error("internal error")),
  delete: () => Promise.reject(new Error("internal error")),
  list: () => Promise.reject(new Error("internal error"))
}

describe("A bucket that is away", () => {
  it("fails each method with ObjectStoreUnavailable, which names the method", async () => {
    const store = await Effect.runPromise(Effect.provide(ObjectStore, R2ObjectStore.layer(away)))
    const body = new Uint8Array(1)
    const calls = {
      put: store.put("a", body),
      create: store.create("a", body),
      get: store.get("a"),
      stream: Stream.runDrain(store.stream("a")),
      head: store.head("a"),
      copy: store.copy("a", "b"),
      list: store.list("a/"),
      remove: store.remove("a"),
      removePrefix: store.removePrefix("a/")
    }
    for (const [operation, call] of Object.entries(calls))
      expect(await Effect.runPromise(Effect.flip(call as Effect.Effect<unknown, unknown>))).toMatchObject({
        _tag: "ObjectStoreUnavailable",
        operation,
        reason: "internal error"
      })
  })
})
