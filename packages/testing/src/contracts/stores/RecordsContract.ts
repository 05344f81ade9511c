/** What every Records promises: what was committed, in the order of insertion, page by page. */
import { Effect, Option } from "effect"
import { describe, expect, it } from "vitest"
import { insert, update } from "@pawl/core/ledger/Commit"
import type { Listing } from "@pawl/core/ledger/Records"
import { Records } from "@pawl/core/ledger/Records"
import { Limits } from "@pawl/core/primitives/Limits"
import {
  change,
  changeId,
  commit,
  event,
  head,
  onStore,
  projectId,
  seedChanges,
  stored,
  type StoreFixture,
  token
} from "../../tools/StoreFixtures.ts"

const listed = (listing: Listing<"change">) =>
  Effect.flatMap(Records, (records) =>
    Effect.map(records.list("change", listing), (page) => ({
      ids: page.items.map((each) => each.record.id),
      next: page.nextCursor
    }))
  )

/** Declares the suite. Each of its tests has a store of its own. */
export const recordsContract = (name: string, fixture: StoreFixture) => {
  const promise = (title: string, body: Parameters<typeof onStore<void, unknown>>[1]) =>
    it(title, () => onStore(fixture, body))
  const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => changeId(from + i))

  describe(`${name}: Records`, () => {
    promise(
      "gives back what was committed, with its revision, and nothing for what was not",
      Effect.gen(function* () {
        yield* seedChanges(1)
        expect(yield* stored("change", changeId())).toEqual({ record: change(), revision: 1 })
        yield* commit({
          writes: [
            update("change", yield* stored("change", changeId()), {
              rollbackTarget: 3,
              reason: "a\u0000b\n\u{10FFFF}'\"\\"
            })
          ]
        })
        expect(yield* stored("change", changeId())).toEqual({
          record: change(1, { rollbackTarget: 3, reason: "a\u0000b\n\u{10FFFF}'\"\\" }),
          revision: 2
        })
        expect(yield* Effect.flatMap(Records, (records) => records.get("change", changeId(2)))).toEqual(Option.none())
      })
    )

    promise(
      "gives back the records of many keys at once, by key, and leaves out those that there are not",
      Effect.gen(function* () {
        yield* seedChanges(3)
        yield* commit({
          writes: [update("change", yield* stored("change", changeId(2)), { reason: "moved" }), insert("head", head())]
        })
        const records = yield* Records
        const asked = [changeId(3), changeId(9), changeId(2), changeId(2), `"], [{}`]
        expect(yield* records.many("change", asked)).toEqual(
          new Map([
            [changeId(3), { record: change(3), revision: 1 }],
            [changeId(2), { record: change(2, { reason: "moved" }), revision: 2 }]
          ])
        )
        expect(yield* records.many("change", [])).toEqual(new Map())
        expect(yield* records.many("policy", [projectId()])).toEqual(new Map())
        const numbered = Array.from({ length: 2000 }, (_, n) => changeId(n + 1))
        expect((yield* records.many("change", numbered)).size).toBe(3)
      })
    )

    promise(
      "lists in the order of insertion, whatever was updated since, or the other way round",
      Effect.gen(function* () {
        yield* seedChanges(4)
        yield* commit({ writes: [update("change", yield* stored("change", changeId(1)), { status: "compiling" })] })
        expect((yield* listed({})).ids).toEqual(numbers(1, 4))
        expect((yield* listed({ order: "newest" })).ids).toEqual(numbers(1, 4).reverse())
      })
    )

    promise(
      "keeps to a Project and to columns that equal a value, or one of several",
      Effect.gen(function* () {
        yield* seedChanges(3)
        yield* commit({
          projectId: projectId(2),
          writes: [insert("change", { ...change(4), projectId: projectId(2) })]
        })
        yield* commit({ writes: [update("change", yield* stored("change", changeId(2)), { status: "compiling" })] })
        yield* commit({
          events: [event({}, "change.cancelled")],
          writes: [update("change", yield* stored("change", changeId(3)), { status: "cancelled" })]
        })
        expect((yield* listed({ projectId: projectId(2) })).ids).toEqual([changeId(4)])
        expect((yield* listed({ where: { status: "created" } })).ids).toEqual([changeId(1), changeId(4)])
        expect((yield* listed({ projectId: projectId(), where: { status: ["created", "cancelled"] } })).ids).toEqual([
          changeId(1),
          changeId(3)
        ])
        expect((yield* listed({ where: { status: [] } })).ids).toEqual([])
        const records = yield* Records
        yield* commit({ projectId: null, writes: [insert("token", token(1, 1)), insert("token", token(2, 2))] })
        expect(
          (yield* records.list("token", { where: { hash: token(2, 2).hash } })).items.map((each) => each.record.id)
        ).toEqual([token(2, 2).id])
        expect((yield* records.list("token", { projectId: projectId() })).items).toEqual([])
      })
    )

    promise(
      "lists records that come to more together than any of them may",
      Effect.gen(function* () {
        // Ten of 256 KiB: a Durable Object has 2 MiB for a value.
        const goal = "ä".repeat(128 * 1024)
        for (let n = 1; n <= 10; n++) yield* commit({ writes: [insert("change", change(n, { goal }))] })
        const page = yield* (yield* Records).list("change", { projectId: projectId() })
        expect(page.items.map(({ record }) => [record.id, record.goal === goal])).toEqual(
          numbers(1, 10).map((id) => [id, true])
        )
      })
    )

    promise(
      "finds columns that equal one of hundreds of values",
      Effect.gen(function* () {
        const tokens = [3, 1, 2].map((n) => token(n, n))
        yield* commit({ projectId: null, writes: tokens.map((each) => insert("token", each)) })
        const hashes = Array.from({ length: 300 }, (_, n) => token(n + 2, n + 2).hash)
        const { items, nextCursor } = yield* (yield* Records).list("token", { where: { hash: hashes }, limit: 1 })
        expect(items.map(({ record }) => record.id)).toEqual([tokens[0]!.id])
        const cursor = nextCursor ?? ""
        const rest = yield* (yield* Records).list("token", { where: { hash: hashes }, limit: "all", cursor })
        expect(rest.items.map(({ record }) => record.id)).toEqual([tokens[2]!.id])
      })
    )

    promise(
      "fills each page with what a filter keeps, but for the last, each once, in either order",
      Effect.gen(function* () {
        yield* seedChanges(9)
        for (const n of [2, 4, 6, 8])
          yield* commit({
            events: [event({}, "change.cancelled")],
            writes: [update("change", yield* stored("change", changeId(n)), { status: "cancelled" })]
          })
        for (const order of ["oldest", "newest"] as const) {
          const pages: Array<ReadonlyArray<string>> = []
          let cursor: string | null | undefined
          while (cursor !== null) {
            const page: { readonly ids: ReadonlyArray<string>; readonly next: string | null } = yield* listed({
              projectId: projectId(),
              where: { status: ["created", "compiling"] },
              order,
              limit: 2,
              ...(cursor === undefined ? {} : { cursor })
            })
            pages.push(page.ids)
            cursor = page.next
          }
          const kept = [1, 3, 5, 7, 9].map((n) => changeId(n))
          const ids = order === "oldest" ? kept : kept.toReversed()
          expect(pages).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)])
          const where = { status: ["compiling", "created", "compiling"] }
          expect((yield* listed({ projectId: projectId(), where, order, limit: "all" })).ids).toEqual(ids)
          expect((yield* listed({ projectId: projectId(2), where, order })).ids).toEqual([])
        }
      })
    )

    promise(
      "counts by Project what a filter keeps, and leaves out Projects without any",
      Effect.gen(function* () {
        yield* seedChanges(5)
        for (const n of [2, 3])
          yield* commit({
            events: [event({}, "change.cancelled")],
            writes: [update("change", yield* stored("change", changeId(n)), { status: "cancelled" })]
          })
        yield* commit({
          projectId: projectId(2),
          writes: [insert("change", { ...change(6), projectId: projectId(2) })]
        })
        const records = yield* Records
        const asked = [projectId(2), projectId(3), projectId()]
        const counted = (where: Listing<"change">["where"] & {}, ids = asked) =>
          Effect.map(records.counts("change", ids, where), (found) => Object.fromEntries(found))
        expect(yield* counted({})).toEqual({ [projectId()]: 5, [projectId(2)]: 1 })
        expect(yield* counted({ status: "cancelled" })).toEqual({ [projectId()]: 2 })
        expect(yield* counted({ status: ["created", "compiling"] })).toEqual({ [projectId()]: 3, [projectId(2)]: 1 })
        expect(yield* counted({ status: [] })).toEqual({})
        expect(yield* counted({}, [projectId(2)])).toEqual({ [projectId(2)]: 1 })
        expect(yield* counted({}, [])).toEqual({})
        const many = Array.from({ length: 2000 }, (_, n) => projectId(n + 1))
        expect(yield* counted({}, many)).toEqual({ [projectId()]: 5, [projectId(2)]: 1 })
      })
    )

    promise(
      "goes on behind any item of a page by its cursor, in either order",
      Effect.gen(function* () {
        yield* seedChanges(6)
        const records = yield* Records
        for (const order of ["oldest", "newest"] as const)
          for (const limit of [3, 6]) {
            const all = order === "oldest" ? numbers(1, 6) : numbers(1, 6).toReversed()
            const { cursors, items, nextCursor } = yield* records.list("change", { order, limit })
            expect(cursors).toHaveLength(items.length)
            expect(nextCursor).toBe(limit === 6 ? null : cursors.at(-1))
            for (const [index, cursor] of cursors.entries())
              expect((yield* listed({ order, cursor })).ids).toEqual(all.slice(index + 1))
          }
      })
    )

    promise(
      "finds columns that are null",
      Effect.gen(function* () {
        const pointer = (channel: "production" | `preview:${string}`, changeId: string | null) => ({
          projectId: projectId(),
          slug: "s",
          label: "s",
          channel,
          incarnation: 1,
          commit: null,
          generation: null,
          bundleKey: null,
          bundleDigest: null,
          status: "building" as const,
          reason: null,
          candidateId: null,
          changeId,
          createdAt: change().createdAt,
          updatedAt: change().createdAt
        })
        yield* commit({
          writes: [
            insert("pointer", pointer("production", null) as never),
            insert("pointer", pointer("preview:01234567", changeId()) as never)
          ]
        })
        const records = yield* Records
        const channels = (changeIds: string | null | ReadonlyArray<string | null>) =>
          Effect.map(records.list("pointer", { where: { changeId: changeIds } }), (page) =>
            page.items.map((each) => each.record.channel)
          )
        expect(yield* channels(null)).toEqual(["production"])
        expect(yield* channels(changeId())).toEqual(["preview:01234567"])
        expect(yield* channels([null, changeId()])).toEqual(["production", "preview:01234567"])
      })
    )

    promise(
      "pages through everything once, in both orders, while records come and go",
      Effect.gen(function* () {
        yield* seedChanges(7)
        for (const order of ["oldest", "newest"] as const) {
          const seen: Array<string> = []
          let cursor: string | null | undefined
          do {
            const page: { readonly ids: ReadonlyArray<string>; readonly next: string | null } = yield* listed({
              order,
              limit: 3,
              ...(cursor == null ? {} : { cursor })
            })
            seen.push(...page.ids)
            cursor = page.next
          } while (cursor !== null)
          expect(seen).toEqual(order === "oldest" ? numbers(1, 7) : numbers(1, 7).reverse())
        }
        const first = yield* listed({ limit: 3 })
        yield* commit({
          writes: [{ _tag: "Delete", kind: "change", id: changeId(3), revision: 1 }, insert("change", change(8))]
        })
        expect((yield* listed({ limit: 9, cursor: first.next! })).ids).toEqual(numbers(4, 8))
      })
    )

    promise(
      "gives at most a page unless all are asked for, and starts anew from a foreign cursor",
      Effect.gen(function* () {
        yield* commit({
          writes: numbers(1, Limits.pageSize + 5).map((_, n) => insert("change", change(n + 1))),
          events: []
        })
        expect((yield* listed({})).ids).toHaveLength(Limits.pageSize)
        expect((yield* listed({ limit: 1000 })).ids).toHaveLength(Limits.pageSize)
        expect(yield* listed({ limit: "all" })).toEqual({ ids: numbers(1, Limits.pageSize + 5), next: null })
        for (const cursor of ["", "x", "-1", "1; DROP TABLE pawl_change", "1e9", "99999999999999999999"])
          expect((yield* listed({ limit: 2, cursor })).ids).toEqual(numbers(1, 2))
      })
    )

    promise(
      "keeps kinds apart",
      Effect.gen(function* () {
        yield* commit({ writes: [insert("head", head())] })
        const records = yield* Records
        expect(Option.isNone(yield* records.get("policy", projectId()))).toBe(true)
        expect(Option.isSome(yield* records.get("head", projectId()))).toBe(true)
      })
    )
  })
}
