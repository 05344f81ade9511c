/** What every History promises of `recent`: Projects by what happened to them last, however many there are. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { user } from "@pawl/core/model/Actor"
import type { Generation } from "@pawl/core/model/Generation"
import { insert } from "@pawl/core/ledger/Commit"
import { History } from "@pawl/core/ledger/History"
import { type ProjectOrder, projectOrders, type RecencyListing, type RecencyPage } from "@pawl/core/ledger/Recency"
import type { Project } from "@pawl/core/model/Project"
import { Limits } from "@pawl/core/primitives/Limits"
import { fromMillis } from "@pawl/core/primitives/Time"
import { change, commit, objectId, onStore, projectId, type StoreFixture } from "../../tools/StoreFixtures.ts"

const start = Date.UTC(2030, 0, 1)
/** One organization of two, and a Project of the other that is asked for by itself. */
const [ours, theirs] = ["org_00000000-0000-4000-8000-000000000001", "org_00000000-0000-4000-8000-000000000002"] as const

const made = (n: number, fields: Partial<Project> = {}) => {
  const at = fromMillis(start + n)
  const record: Project = {
    id: projectId(n),
    organizationId: ours,
    slug: `p${n}`,
    name: `p${n}`,
    label: `p${n}`,
    status: "active",
    createdBy: "usr_1",
    createdAt: at,
    updatedAt: at,
    cleanedAt: null,
    ...fields
  }
  return commit({ projectId: record.id, writes: [insert("project", record)] })
}

/** A Change of the nth Project begins: it moves now. */
const moves = (n: number, nth = n) =>
  commit({ projectId: projectId(n), writes: [insert("change", change(nth, { projectId: projectId(n) }))] })

/** The nth Project gets a generation that became canonical then. */
const promoted = (n: number, generation: number, atMs: number) => {
  const record: Generation = {
    projectId: projectId(n),
    generation,
    commit: objectId(generation + 1),
    tree: objectId(generation + 1),
    candidateId: null,
    changeId: null,
    actor: user("usr_1"),
    trigger: "user",
    policyVersion: 1,
    evidenceIds: [],
    approvalId: null,
    promotedAt: fromMillis(atMs)
  }
  return commit({ projectId: projectId(n), writes: [insert("generation", record)] })
}

const of = { organizations: [ours], projects: [] }
const recent = (order: ProjectOrder, listing: Partial<RecencyListing> = {}) =>
  Effect.flatMap(History, (history) => history.recent({ of, order, ...listing }))

const isPage = ({ cursors, items }: RecencyPage, limit: number): boolean =>
  items.length <= limit && cursors.length === items.length

/** All pages of a listing, each of at most `limit`, with a cursor for each Project. */
const paged = Effect.fnUntraced(function* (order: ProjectOrder, limit: number, listing: Partial<RecencyListing> = {}) {
  const found: Array<string> = []
  let cursor: string | null = null
  do {
    const page: RecencyPage = yield* recent(order, {
      ...listing,
      limit,
      ...(cursor === null ? {} : { cursor })
    })
    if (!isPage(page, limit)) throw new Error(`no page of at most ${limit}: ${JSON.stringify(page)}`)
    found.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== null)
  return found
})

/** More Projects than one page has, each made a millisecond after the one before; every third moves, every fourth is promoted. */
const many = Limits.pageSize + 5
const numbers = Array.from({ length: many }, (_, n) => n + 1)
const shuffled = (n: number): number => (n * 37) % (many + 2)
const times = { moved: new Map<number, number>(), promoted: new Map<number, number>() }
for (const n of numbers) {
  times.moved.set(n, n % 3 === 0 ? start + 10_000 + shuffled(n) : start + n)
  if (n % 4 === 0) times.promoted.set(n, start + 20_000 + shuffled(n))
}
const expected = (order: ProjectOrder): ReadonlyArray<string> =>
  Array.from(times[order])
    .toSorted(([n, at], [m, other]) => other - at || m - n)
    .map(([n]) => projectId(n))

/** Names with letters of which databases make others than a program does, and what is found of them, what moved last first. */
const names = [
  "Corner SHOP",
  "shop of the ÄRZTE",
  "Öl und Brot",
  "Kelvin \u212aelvin \u212bngstr\u00f6m",
  "\u0130stanbul",
  "\u039f\u0394\u039f\u03a3 \u1e9e",
  "\ud801\udc00 Deseret",
  "100%_[a-z]*?'\"\\ ^]",
  "日本の店"
]
const spoken: Readonly<Record<string, ReadonlyArray<number>>> = {
  shop: [2, 1],
  "SHOP corner": [1],
  "shop ärzte": [2],
  "ÖL BROT": [3],
  öl: [3],
  oel: [],
  kelvin: [4],
  "\u212aELVIN ÅNGSTRÖM": [4],
  istanbul: [],
  "i\u0307stanbul": [5],
  "\u0130STAN": [5],
  οδος: [6],
  "ΟΔΟσ ß": [6],
  "\ud801\udc28 deseret": [7],
  "%_[A-Z]*?'\"\\": [8],
  "^]": [8],
  "100 ' \"": [8],
  日本: [9],
  本日: [],
  "\u0000": [],
  p9: [9],
  "p1 nothing": []
}

const seeded = Effect.gen(function* () {
  yield* Effect.forEach(numbers, (n) => made(n))
  // What moves is written at the time of the store's clock.
  const moving = numbers.filter((n) => n % 3 === 0).toSorted((n, m) => shuffled(n) - shuffled(m))
  for (const n of moving) {
    yield* TestClock.setTime(start + 10_000 + shuffled(n))
    yield* moves(n)
  }
  for (const n of numbers.filter((each) => each % 4 === 0)) {
    yield* promoted(n, 0, start + 90_000)
    yield* promoted(n, 1, start + 20_000 + shuffled(n))
  }
})

/** Declares the suite. Each of its tests has a store of its own. */
export const recencyContract = (name: string, fixture: StoreFixture): void => {
  const promise = (title: string, body: Parameters<typeof onStore<void, unknown>>[1]) =>
    it(title, () => onStore(fixture, body))

  describe(`${name}: History, of many Projects`, () => {
    promise(
      "tells all of them by what moved last, and by what was promoted last, in pages of any size",
      Effect.gen(function* () {
        yield* seeded
        for (const order of projectOrders)
          for (const limit of [7, Limits.pageSize]) expect(yield* paged(order, limit)).toEqual(expected(order))
        const first = yield* recent("moved", { limit: 2 * Limits.pageSize })
        expect(first.items).toEqual(expected("moved").slice(0, Limits.pageSize))
        expect((yield* recent("moved", { cursor: first.cursors[10]!, limit: 5 })).items).toEqual(
          expected("moved").slice(11, 16)
        )
        // A cursor that is not ours starts at the beginning, as one of the other order does.
        for (const cursor of ["o12", "1~agent.wake:1", first.cursors[10]!.replace("moved", "promoted")])
          expect((yield* recent("moved", { cursor, limit: 3 })).items).toEqual(expected("moved").slice(0, 3))
      })
    )

    promise(
      "tells of the organizations and of the Projects that are named, and of no others, each once",
      Effect.gen(function* () {
        yield* Effect.all([made(1), made(2, { organizationId: theirs }), made(3, { organizationId: theirs })])
        yield* Effect.forEach([1, 2, 3], (n) => promoted(n, 0, start + n))
        for (const order of projectOrders) {
          expect(yield* paged(order, 1)).toEqual([projectId(1)])
          const both = { of: { organizations: [ours], projects: [projectId(1), projectId(3), projectId(77)] } }
          expect(yield* paged(order, 1, both)).toEqual([projectId(3), projectId(1)])
          const nobody = { of: { organizations: [], projects: [] } }
          expect(yield* recent(order, nobody)).toEqual({ items: [], cursors: [], nextCursor: null })
        }
      })
    )

    promise(
      "keeps those in the statuses that are asked for",
      Effect.gen(function* () {
        yield* Effect.all([made(1), made(2, { status: "archived" }), made(3, { status: "provisioning" }), made(4)])
        expect(yield* paged("moved", 1, { statuses: ["active"] })).toEqual([projectId(4), projectId(1)])
        expect(yield* paged("moved", 2, { statuses: ["archived", "provisioning"] })).toEqual([
          projectId(3),
          projectId(2)
        ])
        expect(yield* paged("moved", 2, { statuses: [] })).toEqual([])
        expect(yield* paged("promoted", 2, { statuses: ["active"] })).toEqual([])
      })
    )

    promise(
      "keeps those in whose name, slug or label all words stand, in capitals or not, or whose id begins so",
      Effect.gen(function* () {
        for (const [n, name] of names.entries()) yield* made(n + 1, { name })
        for (const [q, found] of Object.entries(spoken))
          for (const limit of [1, 3])
            expect([q, yield* paged("moved", limit, { q })]).toEqual([q, found.map(projectId)])
        expect(yield* paged("moved", 5, { q: projectId(3).toUpperCase() })).toEqual([projectId(3)])
        expect(yield* paged("moved", 50, { q: projectId(3).slice(0, 8) })).toHaveLength(names.length)
        expect(yield* paged("promoted", 5, { q: "shop" })).toEqual([])
        yield* promoted(2, 0, start)
        expect(yield* paged("promoted", 5, { q: "shop", statuses: ["active"] })).toEqual([projectId(2)])
        expect(yield* paged("promoted", 5, { q: "shop", statuses: ["archived"] })).toEqual([])
      })
    )

    promise(
      "finds the one that words name among more than are looked through anywhere, in one page",
      Effect.gen(function* () {
        const others = Limits.searchedRecords + 10
        yield* made(1, { name: "The needle" })
        yield* Effect.forEach(Array.from({ length: others }), (_, n) => made(n + 2))
        expect(yield* recent("moved", { q: "needle", limit: 1 })).toMatchObject({
          items: [projectId(1)],
          nextCursor: null
        })
      })
    )

    promise(
      "loses none whose words have more capitals than one question folds",
      Effect.gen(function* () {
        const capitals = Array.from({ length: 90 }, (_, n) =>
          String.fromCodePoint(n < 30 ? 0x410 + n : 0x10a0 - 30 + n)
        )
        const name = capitals.join("").slice(0, 60)
        yield* made(1, { name })
        yield* made(2, { name: `${name.toLowerCase()} shop` })
        expect(yield* paged("moved", 5, { q: `${name} SHOP` })).toEqual([projectId(2)])
        const every = [...capitals, "shop"].join(" ")
        expect(yield* paged("moved", 5, { q: every })).not.toContain(projectId(1))
      })
    )

    promise(
      "of two at once tells first which was made last, and loses none of them between pages",
      Effect.gen(function* () {
        const at = fromMillis(start)
        yield* Effect.forEach([1, 2, 3, 4, 5], (n) => made(n, { createdAt: at }))
        yield* Effect.forEach([1, 2, 3, 4, 5], (n) => promoted(n, 0, start))
        for (const order of projectOrders)
          for (const limit of [1, 2, 3]) expect(yield* paged(order, limit)).toEqual([5, 4, 3, 2, 1].map(projectId))
      })
    )

    promise(
      "goes on behind a cursor though what was told, or was not told yet, moves to the front",
      Effect.gen(function* () {
        yield* Effect.forEach([1, 2, 3, 4], (n) => made(n))
        const first = yield* recent("moved", { limit: 2 })
        expect(first.items).toEqual([4, 3].map(projectId))
        yield* TestClock.adjust(1000)
        yield* moves(3)
        yield* moves(2)
        const rest = yield* recent("moved", { limit: 2, cursor: first.nextCursor! })
        expect(rest).toMatchObject({ items: [projectId(1)], nextCursor: null })
        expect((yield* recent("moved", { limit: 3 })).items).toEqual([3, 2, 4].map(projectId))
      })
    )
  })
}
