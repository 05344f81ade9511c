/** Copies of a Project's records in the directory: two Durable Objects' SQLite, in workerd. */
import { runInDurableObject } from "cloudflare:test"
import { insert, type Commit, update } from "@pawl/core/ledger/Commit"
import { History, type Move } from "@pawl/core/ledger/History"
import { Ledger } from "@pawl/core/ledger/Ledger"
import type { ProjectOrder } from "@pawl/core/ledger/Recency"
import { Records } from "@pawl/core/ledger/Records"
import { user } from "@pawl/core/model/Actor"
import type { Generation } from "@pawl/core/model/Generation"
import type { Project } from "@pawl/core/model/Project"
import { make as makeRecent } from "@pawl/sql/SqlRecency"
import type { Stores } from "@pawl/sql/SqlStores"
import { change, objectId } from "@pawl/testing/tools/StoreFixtures"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { CloudflareLimits } from "../../../src/CloudflareLimits.ts"
import * as Mirror from "../../../src/directory/Mirror.ts"
import { make } from "../../../src/sqlite/DurableObjectDatabase.ts"
import * as DurableObjectStores from "../../../src/sqlite/DurableObjectStores.ts"
import type { ObjectStorage } from "../../../src/sqlite/ObjectStorage.ts"
import { bound } from "../kit/Bound.ts"

let objects = 0
const inside = <A>(name: string, work: (storage: ObjectStorage) => Promise<A> | A): Promise<A> =>
  runInDurableObject(bound.STORE.getByName(name), (_, { storage }) => {
    DurableObjectStores.bringToShape(storage)
    return work(storage)
  })

const run = <A, E>(storage: ObjectStorage, effect: Effect.Effect<A, E, Stores>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, DurableObjectStores.layer(storage)))

const project: Project = {
  id: "proj_00000000-0000-4000-8000-000000000001",
  organizationId: "org_00000000-0000-4000-8000-000000000000",
  slug: "shop",
  name: "shop",
  label: "shop",
  status: "provisioning",
  createdBy: "usr_1",
  createdAt: "2030-01-01T00:00:00.000Z" as Project["createdAt"],
  updatedAt: "2030-01-01T00:00:00.000Z" as Project["updatedAt"],
  cleanedAt: null
}
const commit = (one: Pick<Commit, "name" | "writes">) =>
  Effect.flatMap(Ledger, (ledger) => ledger.commit({ projectId: project.id, ...one }))
const generation: Generation = {
  projectId: project.id,
  generation: 0,
  commit: objectId(1),
  tree: objectId(1),
  candidateId: null,
  changeId: null,
  actor: user("usr_1"),
  trigger: "seed",
  policyVersion: 1,
  evidenceIds: [],
  approvalId: null,
  promotedAt: "2030-01-01T00:00:00.005Z" as Generation["promotedAt"]
}
const movedAt = Effect.flatMap(History, (history) =>
  Effect.map(history.ends([project.id]), ([end]) => Date.parse(end!.at!))
)
const listed = Effect.flatMap(Records, (records) =>
  Effect.map(records.list("project", { where: { organizationId: project.organizationId } }), ({ items }) =>
    items.map(({ record, revision }) => [record.id, record.status, revision])
  )
)

/** A Project's object and a directory of their own. */
const places = () => {
  const nth = objects++
  return { own: `mirror-own-${nth}`, directory: `mirror-directory-${nth}` }
}
const prepared = (storage: ObjectStorage) => {
  Mirror.noteChanges(storage)
  return storage
}
const changes = (own: string) => inside(own, (storage) => Mirror.changed(prepared(storage)))
const taken = (directory: string, what: Mirror.Changed, dueMs: number | null = null, arrivedMs = 0) =>
  inside(directory, (storage) => {
    Mirror.takeCopies(storage)
    Mirror.take(storage, project.id, what, dueMs, arrivedMs)
    return run(storage, listed)
  })
const stored = (own: string) =>
  inside(own, (storage) => run(prepared(storage), commit({ name: "store", writes: [insert("project", project)] })))
const activated = (own: string) =>
  inside(own, (storage) =>
    run(
      prepared(storage),
      Effect.gen(function* () {
        const found = yield* (yield* Records).get("project", project.id)
        if (found._tag === "Some")
          yield* commit({ name: "activate", writes: [update("project", found.value, { status: "active" })] })
      })
    )
  )

/** Opens a Change for each of these numbers. */
const moved = (own: string, numbers: ReadonlyArray<number>) =>
  inside(own, (storage) =>
    run(
      prepared(storage),
      Effect.forEach(
        numbers,
        (n) => commit({ name: "move", writes: [insert("change", change(n, { projectId: project.id }))] }),
        { discard: true }
      )
    )
  )
const movesIn = (place: string): Promise<ReadonlyArray<Move>> =>
  inside(place, (storage) =>
    run(
      storage,
      Effect.flatMap(History, (history) => history.since([{ projectId: project.id, position: 0 }], 1000))
    )
  )

describe("Copies of a Project's records", () => {
  it("come as the records stand, and are listed as at home", async () => {
    const { directory, own } = places()
    expect(await changes(own)).toBeNull()
    await stored(own)
    await activated(own)
    const what = await changes(own)
    expect(what?.rows.map(({ id, kind, row }) => [kind, id, row?.revision])).toEqual([["project", project.id, 2]])
    expect(await taken(directory, what!)).toEqual([[project.id, "active", 2]])
    await inside(own, (storage) => Mirror.sent(prepared(storage), what!.position))
    expect(await changes(own)).toBeNull()
  })

  it("are the same when they come twice, and an older message takes nothing back", async () => {
    const { directory, own } = places()
    await stored(own)
    const first = await changes(own)
    await activated(own)
    const second = await changes(own)
    await taken(directory, second!)
    for (const again of [second!, first!]) expect(await taken(directory, again)).toEqual([[project.id, "active", 2]])
  })

  it("say when the Project moved and was promoted last, by which the directory has them in order", async () => {
    const { directory, own } = places()
    await stored(own)
    const first = await changes(own)
    await taken(directory, first!)
    const recent = (order: ProjectOrder) =>
      inside(directory, (storage) => {
        const of = { organizations: [project.organizationId], projects: [] }
        return Effect.runPromise(makeRecent(make(storage), Mirror.mirroredTimes)({ order, of }))
      })
    const made = Date.UTC(2030, 0, 1)
    expect((await recent("moved")).cursors).toEqual([`${made}~recent.moved:1`])
    expect((await recent("promoted")).items).toEqual([])
    await inside(own, (storage) => {
      Mirror.sent(prepared(storage), first!.position)
      return run(
        storage,
        Effect.gen(function* () {
          yield* commit({ name: "move", writes: [insert("change", change(1, { projectId: project.id }))] })
          yield* commit({ name: "promote", writes: [insert("generation", generation)] })
        })
      )
    })
    const at = await inside(own, (storage) => run(storage, movedAt))
    // The generation itself is no copy; what moved is told with it.
    const second = await changes(own)
    expect(second!.news).toMatchObject({ moved: at, promoted: made + 5 })
    await taken(directory, second!)
    await taken(directory, first!)
    expect((await recent("moved")).cursors).toEqual([`${at}~recent.moved:1`])
    expect((await recent("promoted")).cursors).toEqual([`${made + 5}~recent.promoted:1`])
  })

  it("tell what moved, row by row, at the moment when it came to the directory; twice makes it no more", async () => {
    const { directory, own } = places()
    await stored(own)
    await moved(own, [1])
    const first = await changes(own)
    await taken(directory, first!, null, 1_000)
    await inside(own, (storage) => Mirror.sent(prepared(storage), first!.position))
    await moved(own, [2, 3])
    const second = await changes(own)
    for (const again of [second!, second!, first!]) await taken(directory, again, null, 2_000)
    const told = await movesIn(directory)
    const plain = (moves: ReadonlyArray<Move>) => moves.map(({ at: _, ...move }) => move)
    expect(plain(told)).toEqual(plain(await movesIn(own)))
    expect(told.map(({ at }) => Date.parse(at))).toEqual([1_000, 2_000, 2_000])
    expect(told.map(({ changeId, transitions }) => [changeId, transitions.map(({ kind, to }) => [kind, to])])).toEqual(
      [1, 2, 3].map((n) => [change(n).id, [["change", "created"]]])
    )
  })

  it("keep the newest of what moved alone, which the positions of the others tell", async () => {
    const { directory, own } = places()
    await stored(own)
    const kept = CloudflareLimits.mirroredMoves
    await moved(
      own,
      Array.from({ length: kept + 7 }, (_, n) => n)
    )
    for (let what = await changes(own); what !== null; what = await changes(own)) {
      await taken(directory, what)
      await inside(own, (storage) => Mirror.sent(prepared(storage), what!.position))
    }
    const all = await movesIn(own)
    expect(all.length).toBe(kept + 7)
    expect((await movesIn(directory)).map(({ position }) => position)).toEqual(
      all.slice(-kept).map(({ position }) => position)
    )
  })

  it("are not noted for a commit that was refused", async () => {
    const { own } = places()
    await stored(own)
    const before = await changes(own)
    await inside(own, (storage) =>
      run(prepared(storage), Effect.flip(commit({ name: "again", writes: [insert("project", project)] })))
    )
    expect((await changes(own))?.position).toBe(before?.position)
  })

  it("go with the record, and another Project's message takes none of them", async () => {
    const { directory, own } = places()
    await stored(own)
    const what = await changes(own)
    await taken(directory, what!)
    const gone = { kind: "project", id: project.id, row: null } as const
    await inside(directory, (storage) => Mirror.take(storage, "proj_other", { position: 9, rows: [gone] }, null, 0))
    expect(await taken(directory, { position: 0, rows: [] })).toHaveLength(1)
    expect(await taken(directory, { position: what!.position + 1, rows: [gone] })).toEqual([])
  })

  it("say whose work is late, until it is said that none is", async () => {
    const { directory } = places()
    const late = (nowMs: number) => inside(directory, (storage) => Mirror.overdue(storage, nowMs))
    await taken(directory, { position: 0, rows: [] }, 100)
    expect([await late(100), await late(101)]).toEqual([[], [project.id]])
    await taken(directory, { position: 0, rows: [] }, null)
    expect(await late(1_000_000)).toEqual([])
    expect(await inside(directory, Mirror.projects)).toEqual([project.id])
  })
})
