/** What every History promises: each change of a status once, with who did it and why, in order, for ever. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { system, user } from "@pawl/core/model/Actor"
import type { Change } from "@pawl/core/model/Change"
import { ChangeLifecycle } from "@pawl/core/model/ChangeLifecycle"
import { type Commit, insert, type Stored, update } from "@pawl/core/ledger/Commit"
import { History, type HistoryListing } from "@pawl/core/ledger/History"
import { Retention } from "@pawl/core/ledger/Retention"
import { Limits } from "@pawl/core/primitives/Limits"
import { taskId } from "@pawl/core/primitives/Ids"
import type { Task } from "@pawl/core/model/Task"
import {
  change,
  changeId,
  claimOne,
  command,
  commit,
  defect,
  event,
  failure,
  head,
  onStore,
  projectId,
  send,
  stored,
  type StoreFixture,
  time
} from "../../tools/StoreFixtures.ts"

const dayMs = 24 * 60 * 60 * 1000
const ofChange = (n = 1, listing: HistoryListing = {}) =>
  Effect.flatMap(History, (history) => history.ofChange(changeId(n), listing))
const ofProject = (n = 1, listing: HistoryListing = {}) =>
  Effect.flatMap(History, (history) => history.ofProject(projectId(n), listing))

const task = (n: number, fields: Partial<Task> = {}): Task => ({
  id: taskId(changeId(), `t${n}`),
  projectId: projectId(),
  changeId: changeId(),
  key: `t${n}`,
  title: "Paint it",
  kind: "implement",
  complexity: "small",
  dependsOn: [],
  status: "pending",
  attempt: 0,
  tier: "fast",
  reason: null,
  createdAt: time,
  updatedAt: time,
  ...fields
})

/** A Change that begins, and its next statuses, a commit each. */
const walk = Effect.fnUntraced(function* (
  n: number,
  statuses: ReadonlyArray<Change["status"]>,
  parts: Partial<Commit> = {}
) {
  yield* commit({ writes: [insert("change", change(n))], ...parts })
  for (const status of statuses) {
    const found: Stored<Change> = yield* stored("change", changeId(n))
    const row = ChangeLifecycle.rows.find(({ from, to }) => from === found.record.status && to === status)
    const events = row?.emits.map((type) => event({}, type)) ?? []
    yield* commit({ writes: [update("change", found, { status })], events, ...parts })
  }
})

/** Every page of a listing, each of at most `limit` items. */
const paged = Effect.fnUntraced(function* (list: typeof ofChange, n: number, limit: number) {
  const pages: Array<ReadonlyArray<string>> = []
  let cursor: string | null = null
  do {
    const page: Effect.Success<ReturnType<typeof ofChange>> = yield* list(n, {
      limit,
      ...(cursor === null ? {} : { cursor })
    })
    pages.push(page.items.map((item) => `${item.kind} ${item.to}`))
    cursor = page.nextCursor
  } while (cursor !== null)
  return pages
})

/** Declares the suite. Each of its tests has a store of its own. */
export const historyContract = (name: string, fixture: StoreFixture): void => {
  const promise = (title: string, body: Parameters<typeof onStore<void, unknown>>[1]) =>
    it(title, () => onStore(fixture, body))

  describe(`${name}: History`, () => {
    promise(
      "is empty for what never was, and for what has no life",
      Effect.gen(function* () {
        yield* commit({ writes: [insert("head", head())], events: [event()] })
        expect(yield* ofChange()).toEqual({ items: [], nextCursor: null })
        expect(yield* ofProject()).toEqual({ items: [], nextCursor: null })
      })
    )

    promise(
      "tells each change of a status once: from what, to what, when, by whom, in which commit, and why",
      Effect.gen(function* () {
        const actor = user("usr_1")
        yield* commit({ name: "Changes.open", actor, writes: [insert("change", change())] })
        yield* TestClock.adjust(5)
        yield* commit({
          name: "Cancel.cancel",
          events: [event({}, "change.cancelled")],
          writes: [
            update("change", yield* stored("change", changeId()), {
              status: "cancelled",
              reason: "not “now” \u{1F9C0}"
            })
          ]
        })
        const about = { kind: "change", id: changeId() }
        expect(yield* ofChange()).toEqual({
          items: [
            {
              ...about,
              from: null,
              to: "created",
              reason: null,
              at: time,
              actor,
              commit: "Changes.open",
              sequence: expect.any(Number)
            },
            {
              ...about,
              from: "created",
              to: "cancelled",
              reason: "not “now” \u{1F9C0}",
              at: "2030-01-01T00:00:00.005Z",
              actor: event().actor,
              commit: "Cancel.cancel",
              sequence: expect.any(Number)
            }
          ],
          nextCursor: null
        })
      })
    )

    promise(
      "tells what a commit marks of a Change beside what it writes of it, in one row, and to who follows",
      Effect.gen(function* () {
        const mark = { changeId: changeId(), kind: "check", id: "cand_1/test", from: null, to: "started", reason: null }
        yield* commit({ name: "One", writes: [insert("change", change())], marks: [mark] })
        yield* commit({ name: "Two", marks: [{ ...mark, from: "started", to: "finished", reason: "pass" }] })
        const { items } = yield* ofChange()
        expect(items.map((item) => [item.commit, item.kind, item.id, item.from, item.to, item.reason])).toEqual([
          ["One", "change", changeId(), null, "created", null],
          ["One", "check", "cand_1/test", null, "started", null],
          ["Two", "check", "cand_1/test", "started", "finished", "pass"]
        ])
        expect(yield* ofProject()).toEqual({ items, nextCursor: null })
        const moves = yield* (yield* History).since([{ projectId: projectId(), position: 0 }], 10)
        expect(moves.map((move) => [move.changeId, move.transitions.length])).toEqual([
          [changeId(), 2],
          [changeId(), 1]
        ])
      })
    )

    promise(
      "keeps no mark of a commit that did not happen",
      Effect.gen(function* () {
        const mark = { changeId: changeId(), kind: "check", id: "cand_1/test", from: null, to: "started", reason: null }
        yield* commit({ writes: [insert("change", change())] })
        yield* failure(commit({ writes: [insert("change", change())], marks: [mark] }))
        expect((yield* ofChange()).items.map(({ kind }) => kind)).toEqual(["change"])
      })
    )

    promise(
      "names the one who is named, else the actor of the first event, else the system and the commit",
      Effect.gen(function* () {
        yield* walk(1, [], { actor: user("usr_2"), events: [event()] })
        yield* walk(2, [], { events: [{ ...event(), actor: user("usr_3") }, event()] })
        yield* walk(3, [], { name: "Some.commit" })
        const { items } = yield* ofProject()
        expect(items.map((item) => item.actor)).toEqual([user("usr_2"), user("usr_3"), system("Some.commit")])
      })
    )

    promise(
      "says nothing of a commit that changes no status, that was refused, or that was applied before",
      Effect.gen(function* () {
        yield* walk(1, ["compiling"])
        const before = yield* ofProject()
        const found = yield* stored("change", changeId())
        yield* failure(commit({ writes: [insert("change", change(2)), insert("change", change(1))] }))
        yield* defect(commit({ writes: [update("change", found, { status: "completed" })] }))
        yield* commit({ writes: [update("change", found, { spentUsd: 1 })] })
        yield* commit({ writes: [insert("head", head())] })
        expect(yield* ofProject()).toEqual(before)
        yield* send([command("a")])
        const { lease } = yield* claimOne
        const journal = { process: lease.commandId, step: "one", result: null }
        const once = { journal, lease, writes: [insert("change", change(3))] }
        yield* commit(once)
        yield* commit(once)
        expect((yield* ofChange(3)).items).toHaveLength(1)
        yield* commit({
          writes: [{ _tag: "Delete", kind: "change", id: changeId(), revision: found.revision + 1 }]
        })
        expect((yield* ofChange()).items.map((item) => item.to)).toEqual(["created", "compiling"])
      })
    )

    promise(
      "gives each Change what belongs to it, and the Project all in the order of the commits",
      Effect.gen(function* () {
        yield* commit({
          writes: [
            insert("change", change(1)),
            insert("task", task(1)),
            insert("change", change(2)),
            insert("task", task(2, { reason: "it waits" }))
          ]
        })
        yield* commit({
          events: [event({}, "task.ready")],
          writes: [
            update("task", yield* stored("task", task(1).id), { status: "ready" }),
            update("change", yield* stored("change", changeId(2)), { status: "compiling" })
          ]
        })
        const told = (items: ReadonlyArray<{ readonly id: string; readonly to: string }>) =>
          items.map((item) => `${item.id} ${item.to}`)
        const first = [`${changeId(1)} created`, `${task(1).id} pending`, `${task(2).id} pending`]
        expect(told((yield* ofChange(1)).items)).toEqual([...first, `${task(1).id} ready`])
        expect(told((yield* ofChange(2)).items)).toEqual([`${changeId(2)} created`, `${changeId(2)} compiling`])
        expect(told((yield* ofProject()).items)).toEqual([
          ...first,
          `${changeId(2)} created`,
          `${task(1).id} ready`,
          `${changeId(2)} compiling`
        ])
        expect((yield* ofProject(2)).items).toEqual([])
        expect((yield* ofChange(1)).items[2]!.reason).toBe("it waits")
      })
    )

    promise(
      "is read in pages that miss nothing and repeat nothing, also in the midst of one commit",
      Effect.gen(function* () {
        yield* walk(1, ["compiling", "running"])
        yield* commit({ writes: [1, 2, 3].map((n) => insert("task", task(n))) })
        yield* walk(2, ["compiling"])
        const all = [
          "change created",
          "change compiling",
          "change running",
          "task pending",
          "task pending",
          "task pending"
        ]
        for (const limit of [1, 2, 3, 4, 5, 6, 100]) {
          const pages = yield* paged(ofChange, 1, limit)
          expect(pages.flat()).toEqual(all)
          expect(pages).toHaveLength(Math.ceil(all.length / limit))
          expect((yield* paged(ofProject, 1, limit)).flat()).toEqual([...all, "change created", "change compiling"])
        }
        expect((yield* ofChange(1, { cursor: "not one of ours" })).items).toHaveLength(all.length)
      })
    )

    promise(
      "shows no more than a page at once, however much happened",
      Effect.gen(function* () {
        const many = Array.from({ length: Limits.pageSize + 1 }, (_, n) => insert("task", task(n)))
        yield* commit({ writes: many })
        const page = yield* ofChange(1, { limit: 1000 })
        expect(page.items).toHaveLength(Limits.pageSize)
        const rest = yield* ofChange(1, { cursor: page.nextCursor! })
        expect(rest.items.map((item) => item.id)).toEqual([task(Limits.pageSize).id])
        expect(rest.nextCursor).toBe(null)
      })
    )

    promise(
      "tells what came last first where that is asked for, in pages of any length",
      Effect.gen(function* () {
        yield* walk(1, ["compiling", "running"])
        yield* commit({ writes: [1, 2, 3].map((n) => insert("task", task(n, { key: `t${n}` }))) })
        yield* walk(2, ["compiling"])
        const ids = (page: { readonly items: ReadonlyArray<{ readonly id: string; readonly to: string }> }) =>
          page.items.map(({ id, to }) => `${id} ${to}`)
        for (const list of [ofChange, ofProject]) {
          const all = ids(yield* list(1)).toReversed()
          for (const limit of [1, 2, 3, 4, 100]) {
            const found: Array<string> = []
            let cursor: string | null = null
            do {
              const page: Effect.Success<ReturnType<typeof ofChange>> = yield* list(1, {
                limit,
                order: "newest",
                ...(cursor === null ? {} : { cursor })
              })
              found.push(...ids(page))
              cursor = page.nextCursor
            } while (cursor !== null)
            expect(found).toEqual(all)
          }
        }
      })
    )

    promise(
      "tells what came after a place, in either order and in pages, and of a Change what is its own",
      Effect.gen(function* () {
        yield* walk(1, ["compiling"])
        yield* commit({ writes: [1, 2, 3].map((n) => insert("task", task(n))) })
        yield* walk(2, ["compiling"])
        for (const list of [ofChange, ofProject]) {
          const { items } = yield* list(1)
          const sequences = items.map(({ sequence }) => sequence)
          expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b))
          for (const after of [0, ...sequences, 1e12]) {
            const later = items.filter(({ sequence }) => sequence > after)
            for (const order of ["oldest", "newest"] as const)
              for (const limit of [1, 2, 100]) {
                const behind: typeof ofChange = (n, asked) => list(n, { ...asked, after, order })
                const told = later.map(({ kind, to }) => `${kind} ${to}`)
                const pages = yield* paged(behind, 1, limit)
                expect(pages.flat()).toEqual(order === "oldest" ? told : told.toReversed())
                expect((yield* behind(1, {})).items).toEqual(order === "oldest" ? later : later.toReversed())
              }
          }
        }
      })
    )

    promise(
      "tells where it ends, and what came since, of many Projects at once",
      Effect.gen(function* () {
        const history = yield* History
        const [one, none] = [projectId(1), projectId(77)]
        expect(yield* history.ends([one, none])).toEqual([
          { projectId: one, position: 0, at: null },
          { projectId: none, position: 0, at: null }
        ])
        yield* walk(1, ["compiling"])
        const [before] = yield* history.ends([one])
        expect(before?.at).toBe(time)
        yield* TestClock.adjust(5)
        expect(yield* history.since([before!], 10)).toEqual([])
        yield* walk(2, ["compiling"])
        const many = Array.from({ length: 100 }, (_, n) => ({ projectId: projectId(100 + n), position: 0 }))
        const since = yield* history.since([...many, before!], 10)
        expect(since.map(({ changeId: of, position, projectId: where }) => [where, of, position])).toEqual([
          [one, changeId(2), before!.position + 1],
          [one, changeId(2), before!.position + 2]
        ])
        expect(since.map(({ transitions }) => transitions.map(({ from, to }) => [from, to]))).toEqual([
          [[null, "created"]],
          [["created", "compiling"]]
        ])
        expect(yield* history.since([before!], 1)).toEqual(since.slice(0, 1))
        expect(yield* history.ends([none, one])).toEqual([
          { projectId: none, position: 0, at: null },
          { projectId: one, position: before!.position + 2, at: "2030-01-01T00:00:00.005Z" }
        ])
      })
    )

    promise(
      "says nothing of what a worker tried whose lease was over",
      Effect.gen(function* () {
        yield* send([command("a")])
        const { lease } = yield* claimOne
        yield* TestClock.adjust(1000)
        yield* failure(commit({ lease, writes: [insert("change", change())] }))
        expect((yield* ofChange()).items).toEqual([])
      })
    )

    promise(
      "outlives events",
      Effect.gen(function* () {
        yield* walk(1, ["compiling"], { events: [event()] })
        const before = yield* ofChange()
        yield* TestClock.adjust((Limits.retentionDaysEvents + 1) * dayMs)
        const retention = yield* Retention
        expect((yield* retention.sweep).events).toBe(2)
        yield* retention.forget(projectId(), "2050-01-01T00:00:00.000Z")
        expect(yield* ofChange()).toEqual(before)
        expect((yield* ofProject()).items).toEqual(before.items)
      })
    )
  })
}
