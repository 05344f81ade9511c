/** What every PackLog promises: places in the order of commits, one moment for head and packs, and a grace for bytes. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Limits } from "@pawl/core/primitives/Limits"
import { type Pack, type PackedRepository, PackLog } from "@pawl/core/project/PackLog"
import { onStore, objectId, projectId, race, type StoreFixture } from "../../tools/StoreFixtures.ts"

const canonical = { project: projectId() }
const fork = { project: projectId(), fork: "ws-one" }

const packOf = (n: number, fields: Partial<Pack> = {}): Pack => ({
  digest: n.toString(16).padStart(64, "0"),
  sizeBytes: 3,
  objects: n,
  body: Uint8Array.from([0, 255, n]),
  object: null,
  ...fields
})
const stored = (n: number): Pack => packOf(n, { body: null, object: `git/${projectId()}/${n}`, sizeBytes: 100_000 })

const log = <A, E>(use: (log: PackLog["Service"]) => Effect.Effect<A, E>) => Effect.flatMap(PackLog, use)
const opened = (ref = canonical, born = "first") => log((packs) => packs.open(ref, born))
const appended = (n: number, ref = canonical, born = "first") =>
  log((packs) => packs.append({ ref, born, pack: packOf(n) }))
const all = (ref = canonical) => log((packs) => packs.since(ref, null))
const objectsIn = (found: PackedRepository | null) => found?.packs.map(({ objects }) => objects)

/** Declares the suite. Each of its tests has a store of its own. */
export const packLogContract = (name: string, fixture: StoreFixture): void => {
  const promise = (title: string, body: Parameters<typeof onStore<void, unknown>>[1]) =>
    it(title, () => onStore(fixture, body))

  describe(`${name}: PackLog`, () => {
    promise(
      "answers the packs after what is held, whole and in their order, and all of them to one who holds another repository",
      Effect.gen(function* () {
        expect(yield* all()).toBe(null)
        expect(yield* opened()).toBe(true)
        expect(yield* all()).toEqual({ born: "first", main: null, through: 0, hotPacks: 0, hotBytes: 0, packs: [] })
        for (const n of [1, 2, 3]) yield* appended(n)
        const stands = { born: "first", main: null, through: 3, hotPacks: 3, hotBytes: 9 }
        expect(yield* log((packs) => packs.standing(canonical))).toEqual(stands)
        expect(yield* log((packs) => packs.standing(fork))).toBe(null)
        const found = yield* log((packs) => packs.since(canonical, { born: "first", through: 1 }))
        expect(found).toEqual({
          ...stands,
          packs: [2, 3].map((n) => ({ ...packOf(n), through: n, isBase: false }))
        })
        expect(objectsIn(yield* log((packs) => packs.since(canonical, { born: "other", through: 2 })))).toEqual([
          1, 2, 3
        ])
        expect(objectsIn(yield* log((packs) => packs.since(canonical, { born: "first", through: 3 })))).toEqual([])
      })
    )

    promise(
      "answers some repositories of a Project at once as it answers each: those that are held, that are not, and that are none",
      Effect.gen(function* () {
        yield* opened()
        yield* log((packs) => packs.open(fork, "second"))
        for (const n of [1, 2, 3]) yield* appended(n)
        yield* log((packs) => packs.append({ ref: fork, born: "second", pack: packOf(4) }))
        const none = { project: projectId(), fork: "ws-none" }
        const held = { born: "first", through: 2 }
        for (const wanted of [
          [
            [fork, null],
            [none, held],
            [canonical, held]
          ],
          [
            [canonical, { born: "other", through: 2 }],
            [fork, { born: "second", through: 1 }]
          ],
          [[none, null]],
          []
        ] as const) {
          const one = yield* Effect.forEach(wanted, ([ref, known]) => log((packs) => packs.since(ref, known)))
          expect(yield* log((packs) => packs.sinceEach(wanted))).toEqual(one)
        }
        expect(
          (yield* log((packs) =>
            packs.sinceEach([
              [fork, null],
              [none, null],
              [canonical, held]
            ])
          )).map(objectsIn)
        ).toEqual([[4], undefined, [3]])
      })
    )

    promise(
      "gives 20 racing writers 20 places without a gap, and a reader of any moment all places up to the one it is told",
      Effect.gen(function* () {
        yield* opened()
        const reads = Array.from({ length: 20 }, () => all())
        const writes = Array.from({ length: 20 }, (_, n) => appended(n + 1))
        const exits = yield* race<unknown, unknown, PackLog>([...writes, ...reads])
        expect(exits.filter((exit) => exit._tag === "Failure")).toEqual([])
        for (const exit of exits.slice(20)) {
          const seen = exit._tag === "Success" ? (exit.value as PackedRepository) : null
          expect(seen?.packs.map(({ through }) => through)).toEqual(
            Array.from({ length: seen?.through ?? -1 }, (_, n) => n + 1)
          )
        }
        expect((yield* all())?.through).toBe(20)
      })
    )

    promise(
      "moves main of one of 10 racers from where it is, with its pack or not at all",
      Effect.gen(function* () {
        yield* opened()
        const first = yield* log((packs) =>
          packs.append({ ref: canonical, born: "first", pack: null, main: { from: null, to: objectId(1) } })
        )
        expect(first).toEqual({ born: "first", main: objectId(1), through: 0, hotPacks: 0, hotBytes: 0 })
        const exits = yield* race(
          Array.from({ length: 10 }, (_, n) =>
            log((packs) =>
              packs.append({
                ref: canonical,
                born: "first",
                pack: packOf(n + 1),
                main: { from: objectId(1), to: objectId(n + 2) }
              })
            )
          )
        )
        const won = exits.flatMap((exit) => (exit._tag === "Success" && exit.value !== null ? [exit.value] : []))
        expect(won).toHaveLength(1)
        const found = yield* all()
        expect(found).toMatchObject({ main: won[0]?.main, through: 1, hotPacks: 1 })
        expect(found?.packs).toHaveLength(1)
        expect(
          yield* log((packs) =>
            packs.append({ ref: canonical, born: "first", pack: null, main: { from: null, to: objectId(9) } })
          )
        ).toBe(null)
      })
    )

    promise(
      "puts a base in the place of what is in it, once; who holds more takes nothing of it",
      Effect.gen(function* () {
        yield* opened()
        for (const n of [1, 2, 3]) yield* appended(n)
        yield* log((packs) => packs.append({ ref: canonical, born: "first", pack: stored(4) }))
        const base = { ref: canonical, born: "first", through: 2, base: stored(10) }
        expect(yield* log((packs) => packs.replace({ ...base, born: "other" }))).toBe(false)
        expect(yield* log((packs) => packs.replace(base))).toBe(true)
        expect(yield* log((packs) => packs.replace({ ...base, base: stored(11) }))).toBe(false)
        expect(yield* log((packs) => packs.replace({ ...base, through: 1 }))).toBe(false)
        const found = yield* all()
        expect(found).toMatchObject({ through: 4, hotPacks: 2, hotBytes: 100_003 })
        expect(found?.packs.map(({ isBase, objects, through }) => [objects, through, isBase])).toEqual([
          [10, 2, true],
          [3, 3, false],
          [4, 4, false]
        ])
        expect(objectsIn(yield* log((packs) => packs.since(canonical, { born: "first", through: 2 })))).toEqual([3, 4])
        expect(objectsIn(yield* log((packs) => packs.since(canonical, { born: "first", through: 1 })))).toEqual([
          10, 3, 4
        ])
        expect(yield* log((packs) => packs.replace({ ...base, through: 4, base: packOf(12) }))).toBe(true)
        expect(yield* all()).toMatchObject({ through: 4, hotPacks: 0, hotBytes: 0 })
        yield* appended(5)
        expect((yield* all())?.packs.map(({ through }) => through)).toEqual([4, 5])
      })
    )

    promise(
      "says of as many objects as a look into the object store finds which are no litter",
      Effect.gen(function* () {
        yield* opened()
        yield* log((packs) => packs.append({ ref: canonical, born: "first", pack: stored(1) }))
        const many = Array.from({ length: Limits.objectListLimit }, (_, n) => stored(n).object ?? "")
        expect([...(yield* log((packs) => packs.kept(projectId(), many)))]).toEqual([many[1]])
        expect(yield* log((packs) => packs.kept(projectId(), []))).toEqual(new Set())
      })
    )

    promise(
      "keeps what no pack names any more in the trash for the grace, and says of objects which are no litter",
      Effect.gen(function* () {
        yield* opened()
        for (const n of [1, 2]) yield* log((packs) => packs.append({ ref: canonical, born: "first", pack: stored(n) }))
        const kept = (...of: ReadonlyArray<number>) =>
          Effect.map(
            log((packs) =>
              packs.kept(
                projectId(),
                of.map((n) => stored(n).object ?? "")
              )
            ),
            (found) => of.filter((n) => found.has(stored(n).object ?? ""))
          )
        expect(yield* kept(1, 2, 3)).toEqual([1, 2])
        yield* log((packs) => packs.replace({ ref: canonical, born: "first", through: 2, base: stored(3) }))
        expect(yield* kept(1, 2, 3, 4)).toEqual([1, 2, 3])
        yield* TestClock.adjust(Limits.packGraceMs - 1)
        expect(yield* log((packs) => packs.dueTrash(10))).toEqual([])
        yield* log((packs) => packs.drop(canonical))
        yield* TestClock.adjust(1)
        const due = yield* log((packs) => packs.dueTrash(10))
        expect(due.map(({ object }) => object).toSorted()).toEqual([stored(1).object, stored(2).object])
        expect(due.map((each) => each.projectId)).toEqual([projectId(), projectId()])
        expect(yield* log((packs) => packs.dueTrash(1))).toHaveLength(1)
        yield* log((packs) => packs.forgetTrash(due))
        expect(yield* kept(1, 2, 3)).toEqual([3])
        expect(yield* log((packs) => packs.dueTrash(10))).toEqual([])
        yield* TestClock.adjust(Limits.packGraceMs)
        expect(yield* log((packs) => packs.dueTrash(10))).toEqual([
          { projectId: projectId(), object: stored(3).object }
        ])
      })
    )

    promise(
      "makes forks beside canonical alone, and deletes them with it; what is made again is another repository",
      Effect.gen(function* () {
        expect(yield* opened(fork)).toBe(false)
        expect(yield* opened()).toBe(true)
        expect(yield* opened(fork)).toBe(true)
        expect(yield* opened(fork, "again")).toBe(true)
        expect(yield* appended(1, fork, "again")).toBe(null)
        yield* appended(1, fork)
        yield* opened({ project: projectId(2) })
        yield* log((packs) => packs.drop(fork))
        expect(yield* all(fork)).toBe(null)
        yield* opened(fork, "second")
        expect(yield* appended(2, fork)).toBe(null)
        expect(yield* all(fork)).toMatchObject({ born: "second", through: 0, packs: [] })
        yield* log((packs) => packs.drop(canonical))
        expect([yield* all(), yield* all(fork)]).toEqual([null, null])
        expect(yield* all({ project: projectId(2) })).toMatchObject({ born: "first" })
        yield* log((packs) => packs.drop(canonical))
      })
    )

    promise(
      "names repositories that are crowded: by the number of packs beside the base, or by their bytes",
      Effect.gen(function* () {
        yield* opened()
        yield* opened(fork)
        for (let n = 0; n < Limits.hotPacks; n++) yield* appended(n)
        const big = { ...stored(1), sizeBytes: Limits.hotPackBytes }
        yield* log((packs) => packs.append({ ref: fork, born: "first", pack: big }))
        const crowded = log((packs) => packs.crowded(10))
        expect(yield* crowded).toEqual([])
        yield* appended(1)
        yield* appended(1, fork)
        expect(yield* crowded).toEqual([canonical, fork])
        expect(yield* log((packs) => packs.crowded(1))).toEqual([canonical])
        yield* log((packs) => packs.replace({ ref: canonical, born: "first", through: 65, base: packOf(1) }))
        expect(yield* crowded).toEqual([fork])
      })
    )
  })
}
