import { Effect } from "effect"
import { expect, it } from "vitest"
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import { type ChangesAsked, fitting, searchChanges } from "@pawl/core/change/ChangeSearch"
import { insert, update } from "@pawl/core/ledger/Commit"
import { Limits } from "@pawl/core/primitives/Limits"
import { change, changeId, commit, event, projectId, stored } from "@pawl/testing/tools/StoreFixtures"

const inMemory = (work: Effect.Effect<void, unknown, MemoryLedger.Stores>) =>
  Effect.runPromise(Effect.provide(work, MemoryLedger.layerMemory))

const atOnce = 100

/** Changes 1 to `count`, of which some speak of a needle. */
const seed = (count: number, needles: ReadonlyArray<number>) =>
  Effect.forEach(
    Array.from({ length: Math.ceil(count / atOnce) }, (_, n) => n * atOnce),
    (start) =>
      commit({
        writes: Array.from({ length: Math.min(atOnce, count - start) }, (_, n) => start + n + 1).map((n) =>
          insert("change", change(n, { goal: needles.includes(n) ? `A Needle in the hay ${n}` : "Hay" }))
        )
      }),
    { discard: true }
  )

/** The ids on each page, page by page. */
const pagesOf = Effect.fnUntraced(function* (asked: ChangesAsked) {
  const fits = fitting(asked)
  const pages: Array<ReadonlyArray<string>> = []
  let cursor: string | null | undefined
  while (cursor !== null && fits !== null) {
    const page: Effect.Success<ReturnType<typeof searchChanges>> = yield* searchChanges(projectId(), fits, {
      ...asked,
      ...(cursor === undefined ? {} : { cursor })
    })
    pages.push(page.items.map(({ id }) => id))
    cursor = page.nextCursor
  }
  return pages
})

it("finds few among many, each once and in order, looking through a bounded number for each page", () =>
  inMemory(
    Effect.gen(function* () {
      const most = Limits.searchedRecords
      const count = most + 150
      const needles = [1, 2, 77, 78, most, most + 1, count]
      yield* seed(count, needles)
      const ids = needles.map((n) => changeId(n))
      for (const order of ["oldest", "newest"] as const)
        for (const limit of [1, 2, 3, 50]) {
          const pages = yield* pagesOf({ q: "NEEDLE hay", order, limit })
          expect(pages.flat()).toEqual(order === "oldest" ? ids : ids.toReversed())
          for (const page of pages) expect(page.length).toBeLessThanOrEqual(limit)
        }
      expect(yield* pagesOf({ q: "needle", order: "oldest", limit: 100 })).toEqual([ids.slice(0, 5), ids.slice(5)])
      expect(yield* pagesOf({ kind: "rollback" })).toEqual([[], []])
    })
  ))

it("goes on behind what it showed while Changes come, go, and are what is wanted no more", () =>
  inMemory(
    Effect.gen(function* () {
      yield* seed(9, [1, 3, 5, 7, 9])
      const fits = fitting({ q: "needle" })!
      const first = yield* searchChanges(projectId(), fits, { limit: 2 })
      expect(first.items.map(({ id }) => id)).toEqual([changeId(9), changeId(7)])
      yield* commit({
        events: [event({}, "change.cancelled")],
        writes: [
          insert("change", change(10, { goal: "A newer needle" })),
          { _tag: "Delete", kind: "change", id: changeId(7), revision: 1 },
          update("change", yield* stored("change", changeId(5)), { status: "cancelled" })
        ]
      })
      const asked = { limit: 2, cursor: first.nextCursor!, status: ["created"] } as const
      const second = yield* searchChanges(projectId(), fits, asked)
      expect(second).toEqual({ items: [yield* recordOf(3), yield* recordOf(1)], nextCursor: null })
    })
  ))

const recordOf = (n: number) => Effect.map(stored("change", changeId(n)), ({ record }) => record)

it("looks for nothing where nothing is wanted", () => expect(fitting({})).toBeNull())
