/** Reservations on the SQLite of a Durable Object, in workerd. */
import { runInDurableObject } from "cloudflare:test"
import { describe, expect, it } from "vitest"
import * as Reservations from "../../../src/directory/Reservations.ts"
import type { ObjectStorage } from "../../../src/sqlite/ObjectStorage.ts"
import { bound } from "../kit/Bound.ts"

let objects = 0
const inside = (test: (storage: ObjectStorage) => void): Promise<void> =>
  runInDurableObject(bound.STORE.getByName(`reservations-${objects++}`), (_, { storage }) => {
    Reservations.prepare(storage)
    test(storage)
  })

const change = (id: string) => ({ kind: "change", id })

describe("Reservations", () => {
  it("say of which Project an id is, as often as they are made", () =>
    inside((storage) => {
      for (const nowMs of [1, 2]) Reservations.reserve(storage, "proj_a", [change("c1"), change("c2")], nowMs)
      expect(Reservations.projectOf(storage, change("c1"))).toBe("proj_a")
      expect(Reservations.projectOf(storage, { kind: "candidate", id: "c1" })).toBeNull()
      Reservations.prepare(storage)
      expect(Reservations.projectOf(storage, change("c2"))).toBe("proj_a")
    }))

  it("give an id to one Project for ever, and where one of several is another's they give none", () =>
    inside((storage) => {
      Reservations.reserve(storage, "proj_a", [change("c1")], 1)
      const taken = () => Reservations.reserve(storage, "proj_b", [change("c2"), change("c1")], 2)
      expect(taken).toThrow(Reservations.ReservedElsewhere)
      expect(Reservations.projectOf(storage, change("c2"))).toBeNull()
      expect(Reservations.projectOf(storage, change("c1"))).toBe("proj_a")
    }))

  it("are listed by age in pages, and forgotten one by one", () =>
    inside((storage) => {
      const old = ["c1", "c2", "c3"].map(change)
      Reservations.reserve(storage, "proj_a", old, 1)
      Reservations.reserve(storage, "proj_a", [change("young")], 10)
      const ids = (after: { kind: string; id: string } | null) =>
        Reservations.older(storage, 10, after, 2).map(({ id }) => id)
      expect([ids(null), ids(change("c2")), ids(change("c3"))]).toEqual([["c1", "c2"], ["c3"], []])
      Reservations.forget(storage, change("c1"), 10)
      expect(ids(null)).toEqual(["c2", "c3"])
    }))

  it("stay where they are made again while somebody looks whether a record came for them", () =>
    inside((storage) => {
      Reservations.reserve(storage, "proj_a", [change("c1"), change("c2")], 1)
      expect(Reservations.older(storage, 10, null, 5)).toHaveLength(2)
      Reservations.reserve(storage, "proj_a", [change("c1")], 10)
      for (const id of ["c1", "c2"]) Reservations.forget(storage, change(id), 10)
      expect(["c1", "c2"].map((id) => Reservations.projectOf(storage, change(id)))).toEqual(["proj_a", null])
    }))
})
