/** Reservations on the SQLite of a Durable Object, in workerd. */
import { runInDurableObject } from "cloudflare:test"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as Reservations from "../../../src/directory/Reservations.ts"
import type { Reserved } from "../../../src/directory/Wire.ts"
import type { ObjectStorage } from "../../../src/sqlite/ObjectStorage.ts"
import { bound } from "../kit/Bound.ts"

let objects = 0
const inside = (test: (storage: ObjectStorage) => void | Promise<void>): Promise<void> =>
  runInDurableObject(bound.STORE.getByName(`reservations-${objects++}`), (_, { storage }) => {
    Reservations.prepare(storage)
    return test(storage)
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

  /** Sweeps at a moment what is older than 10 ms, and answers whom it asked for how many ids. */
  const sweptAt = async (
    storage: ObjectStorage,
    nowMs: number,
    has: (projectId: string, ids: ReadonlyArray<Reserved>) => Promise<ReadonlyArray<Reserved>>
  ): Promise<ReadonlyArray<string>> => {
    const asked: Array<string> = []
    const swept = { nowMs, beforeMs: nowMs - 10, againMs: nowMs + 1000, atOnce: 100, projectsAtOnce: 2 }
    const counted: typeof has = (projectId, ids) => {
      asked.push(`${projectId} ${ids.length}`)
      return has(projectId, ids)
    }
    await Effect.runPromise(Reservations.sweep(storage, swept, counted))
    return asked
  }
  const there = (storage: ObjectStorage, ids: ReadonlyArray<string>) =>
    ids.filter((id) => Reservations.projectOf(storage, change(id)) !== null)
  const none = () => Promise.resolve([])

  it("are forgotten when they are old and nothing came for them, and the rest is asked for once", () =>
    inside(async (storage) => {
      const ids = Array.from({ length: 125 }, (_, n) => `c${n}`)
      for (const of of ["a", "b"])
        Reservations.reserve(
          storage,
          `proj_${of}`,
          ids.map((id) => change(`${of}-${id}`)),
          1
        )
      Reservations.reserve(storage, "proj_a", [change("young")], 15)
      const has = (projectId: string, of: ReadonlyArray<Reserved>) =>
        projectId === "proj_a" ? Promise.reject(new Error("not now")) : Promise.resolve(of.slice(1))
      const first = await sweptAt(storage, 20, has)
      expect(first.every((each) => /^proj_[ab] \d+$/.test(each))).toBe(true)
      const left = (of: string) =>
        there(
          storage,
          ids.map((id) => `${of}-${id}`)
        ).length
      // The first of each question of b's.
      expect(left("b")).toBe(125 - first.filter((each) => each.startsWith("proj_b")).length)
      expect(left("a")).toBe(125)
      // Whoever did not answer is asked a day later, and nobody else again.
      expect(await sweptAt(storage, 29, none)).toEqual(["proj_a 1"])
      expect(there(storage, ["young"])).toEqual([])
      const second = await sweptAt(storage, 40, none)
      expect(second.every((each) => each.startsWith("proj_a"))).toBe(true)
      expect(left("a")).toBe(0)
      expect(await sweptAt(storage, 10_000, none)).toEqual([])
      expect(left("b")).toBeGreaterThan(100)
    }))

  it("are asked for again where their records may go", () =>
    inside(async (storage) => {
      const letter = { kind: "deadLetter", id: "l1" }
      Reservations.reserve(storage, "proj_a", [letter], 1)
      expect(await sweptAt(storage, 20, (_, ids) => Promise.resolve(ids))).toEqual(["proj_a 1"])
      expect(await sweptAt(storage, 1000, none)).toEqual([])
      expect(await sweptAt(storage, 1040, none)).toEqual(["proj_a 1"])
      expect(Reservations.projectOf(storage, letter)).toBeNull()
    }))

  it("stay where they are made again while somebody looks whether a record came for them", () =>
    inside(async (storage) => {
      Reservations.reserve(storage, "proj_a", [change("c1"), change("c2")], 1)
      await sweptAt(storage, 20, () => {
        Reservations.reserve(storage, "proj_a", [change("c1")], 20)
        return none()
      })
      expect(there(storage, ["c1", "c2"])).toEqual(["c1"])
    }))
})
