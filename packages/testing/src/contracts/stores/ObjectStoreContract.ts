/** What every `ObjectStore` promises. */
import { Effect, type Layer, Stream } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compareCodePoints } from "@pawl/core/primitives/CodePoints"
import {
  type InvalidKey,
  keyProblem,
  ObjectMissing,
  type ObjectStoreUnavailable,
  ObjectStore
} from "@pawl/core/objects/ObjectStore"

type Store = typeof ObjectStore.Service
type Failure = InvalidKey | ObjectMissing | ObjectStoreUnavailable

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (body: Uint8Array): string => new TextDecoder().decode(body)
const sequence = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 8)) % 256)

const joined = (stream: Stream.Stream<Uint8Array, Failure>) =>
  Effect.map(Stream.runCollect(stream), (pieces) => Uint8Array.from(pieces.flatMap((piece) => [...piece])))

const hostileKeys = [
  "",
  "/a",
  "a/",
  "a//b",
  ".",
  "..",
  "../a",
  "a/../../b",
  "a/./b",
  "a\\b",
  "a\0b",
  "a\nb",
  "a\u007f",
  "\ud800",
  "x".repeat(1025),
  "é".repeat(513)
]

const segment = fc.oneof(
  fc.constantFrom(
    "a",
    "b",
    "A",
    "a.b",
    "a0",
    "a b",
    ".hidden",
    "é",
    "e\u0301",
    "😀",
    "\uff5e",
    "%41",
    "a=",
    "a+",
    "+",
    "=",
    "...",
    "~",
    "a".repeat(200),
    "a".repeat(201),
    `${"a".repeat(200)}.`,
    "%".repeat(230)
  ),
  fc.string({ unit: fc.constantFrom("a", "B", ".", "-", "_", "+", "=", "%", "é", "😀"), minLength: 1, maxLength: 6 })
)
const anyKey = fc
  .array(segment, { minLength: 1, maxLength: 4 })
  .map((segments) => segments.join("/"))
  .filter((key) => keyProblem(key) === undefined)

/** Declares the suite. Each test gets a fresh layer; every one must start empty. */
export const objectStoreContract = (
  name: string,
  options: { readonly layer: () => Layer.Layer<ObjectStore, unknown> }
): void => {
  const run = <A, E>(use: (store: Store) => Effect.Effect<A, E>): Promise<A> =>
    Effect.runPromise(Effect.provide(Effect.flatMap(ObjectStore, use), options.layer()))

  describe(`ObjectStore: ${name}`, () => {
    it("gives back the very bytes that were put, and the newest of one key", () =>
      run((store) =>
        Effect.gen(function* () {
          for (const length of [0, 1, 65_536, 65_537, 300_000]) {
            yield* store.put("k", sequence(length))
            expect(yield* store.get("k")).toEqual(sequence(length))
            expect(yield* store.head("k")).toMatchObject({ key: "k", sizeBytes: length })
          }
        })
      ))

    it("keeps what was put when the caller's array changes afterwards", () =>
      run((store) =>
        Effect.gen(function* () {
          const body = bytes("before")
          yield* store.put("k", body)
          body.fill(0)
          const first = yield* store.get("k")
          expect(text(first)).toBe("before")
          first.fill(0)
          expect(text(yield* store.get("k"))).toBe("before")
        })
      ))

    it("answers ObjectMissing for what is not there, wherever it is asked", () =>
      run((store) =>
        Effect.gen(function* () {
          yield* store.put("a/b", bytes("x"))
          for (const key of ["a", "b", "a/b/c", "a/bb"])
            for (const missing of [
              store.get(key),
              store.head(key),
              store.copy(key, "to"),
              Stream.runDrain(store.stream(key))
            ])
              expect(yield* Effect.flip<unknown, Failure, never>(missing)).toEqual(new ObjectMissing({ key }))
          expect(yield* store.list("")).toHaveLength(1)
        })
      ))

    it("creates once: of twenty at once exactly one is told so, and its bytes stay", () =>
      run((store) =>
        Effect.gen(function* () {
          for (let round = 0; round < 5; round++) {
            const key = `race/${round}`
            const won = yield* Effect.forEach(
              Array.from({ length: 20 }, (_, i) => i),
              (i) => store.create(key, bytes(`racer ${i}`)),
              { concurrency: "unbounded" }
            )
            expect(won.filter(Boolean)).toHaveLength(1)
            expect(text(yield* store.get(key))).toBe(`racer ${won.indexOf(true)}`)
          }
          yield* store.remove("race/0")
          expect(yield* store.create("race/0", bytes("again"))).toBe(true)
        })
      ))

    it("never shows a reader a part, whatever is being put", () =>
      run((store) =>
        Effect.gen(function* () {
          yield* store.put("k", new Uint8Array(100_000).fill(0))
          const writes = Effect.forEach(
            Array.from({ length: 20 }, (_, i) => i),
            (i) => store.put("k", new Uint8Array(100_000 + i).fill(i))
          )
          const reads = Effect.forEach(Array.from({ length: 60 }), () => store.get("k"))
          const [, seen] = yield* Effect.all([writes, reads], { concurrency: "unbounded" })
          for (const body of seen) {
            const value = body[0] ?? -1
            expect(body.length).toBe(100_000 + value)
            expect(body.every((byte) => byte === value)).toBe(true)
          }
        })
      ))

    it("streams a whole object and any range of it", () =>
      run((store) =>
        Effect.gen(function* () {
          const body = sequence(200_000)
          yield* store.put("k", body)
          expect(yield* joined(store.stream("k"))).toEqual(body)
          for (const [start, end] of [
            [0, 1],
            [0, 0],
            [5, 70_000],
            [65_536, 131_072],
            [199_999, 200_000],
            [199_990, 300_000],
            [200_000, 200_001],
            [9, 3]
          ] as const)
            expect(yield* joined(store.stream("k", { start, end }))).toEqual(body.slice(start, end))
        })
      ))

    it("copies, also onto itself and onto another, and keeps the copy when its source goes", () =>
      run((store) =>
        Effect.gen(function* () {
          yield* store.put("from", bytes("one"))
          yield* store.put("to/here", bytes("two"))
          yield* store.copy("from", "to/here")
          yield* store.copy("from", "from")
          yield* store.put("from", bytes("three"))
          expect(text(yield* store.get("to/here"))).toBe("one")
          yield* store.remove("from")
          expect(text(yield* store.get("to/here"))).toBe("one")
        })
      ))

    it("says when each object was written, alike in a list and by its key", () =>
      run((store) =>
        Effect.gen(function* () {
          yield* store.put("t/one", bytes("1"))
          yield* store.create("t/two", bytes("2"))
          const [one, two] = [yield* store.head("t/one"), yield* store.head("t/two")]
          expect(yield* store.list("t/")).toEqual([one, two])
          expect(one.storedAtMs).toBeLessThanOrEqual(two.storedAtMs)
          yield* store.put("t/one", bytes("again"))
          expect((yield* store.head("t/one")).storedAtMs).toBeGreaterThanOrEqual(two.storedAtMs)
        })
      ))

    it("holds a key and keys below it side by side", () =>
      run((store) =>
        Effect.gen(function* () {
          const keys = ["a", "a/b", "a/b/c", "a=", "a=/b", "a+/b", "a+"]
          for (const key of keys) yield* store.put(key, bytes(key))
          for (const key of keys) expect(text(yield* store.get(key))).toBe(key)
          yield* store.remove("a/b")
          expect(text(yield* store.get("a/b/c"))).toBe("a/b/c")
          expect(text(yield* store.get("a"))).toBe("a")
        })
      ))

    it("refuses keys that could lead elsewhere, and stores nothing for them", () =>
      run((store) =>
        Effect.gen(function* () {
          yield* store.put("there", bytes("x"))
          for (const key of hostileKeys)
            for (const refused of [
              store.put(key, bytes("x")),
              store.create(key, bytes("x")),
              store.get(key),
              store.head(key),
              store.remove(key),
              store.copy(key, "to"),
              store.copy("there", key),
              Stream.runDrain(store.stream(key))
            ])
              expect((yield* Effect.flip<unknown, Failure, never>(refused))._tag).toBe("InvalidKey")
          expect(yield* store.list("")).toMatchObject([{ key: "there", sizeBytes: 1 }])
        })
      ))

    it("lists by prefix in code point order, from any point on", () =>
      run((store) =>
        Effect.gen(function* () {
          const keys = ["a", "a.b", "a/b", "a/b/c", "a/b.c", "a0", "b/x", "b/y", "\uff5e", "😀", "A"]
          for (const key of keys) yield* store.put(key, bytes(key))
          const listed = (prefix: string, rest?: { after?: string; limit?: number }) =>
            Effect.map(store.list(prefix, rest), (found) => found.map(({ key }) => key))
          expect(yield* listed("")).toEqual([
            "A",
            "a",
            "a.b",
            "a/b",
            "a/b.c",
            "a/b/c",
            "a0",
            "b/x",
            "b/y",
            "\uff5e",
            "😀"
          ])
          expect(yield* listed("a/")).toEqual(["a/b", "a/b.c", "a/b/c"])
          expect(yield* listed("a/b/")).toEqual(["a/b/c"])
          expect(yield* listed("b/x")).toEqual(["b/x"])
          expect(yield* listed("c/")).toEqual([])
          expect(yield* listed("", { after: "a/b", limit: 3 })).toEqual(["a/b.c", "a/b/c", "a0"])
          expect(yield* listed("", { after: "a/az" })).toEqual([
            "a/b",
            "a/b.c",
            "a/b/c",
            "a0",
            "b/x",
            "b/y",
            "\uff5e",
            "😀"
          ])
          expect(yield* listed("a", { after: "zz" })).toEqual([])
          expect(yield* listed("", { limit: 0 })).toEqual([])
        })
      ))

    it("pages through any set of keys without losing or repeating one, and gives each its bytes", () =>
      fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(anyKey, { minLength: 1, maxLength: 12 }),
          fc.integer({ min: 1, max: 4 }),
          (keys, limit) =>
            run((store) =>
              Effect.gen(function* () {
                for (const key of keys) yield* store.put(key, bytes(key))
                const paged: Array<string> = []
                for (;;) {
                  const after = paged.at(-1)
                  const page = yield* store.list("", { limit, ...(after === undefined ? {} : { after }) })
                  paged.push(...page.map(({ key }) => key))
                  if (page.length < limit) break
                }
                expect(paged).toEqual([...keys].sort(compareCodePoints))
                for (const key of keys) expect(text(yield* store.get(key))).toBe(key)
                const folder = `${(keys[0] ?? "").split("/")[0]}/`
                const inside = keys.filter((key) => key.startsWith(folder))
                expect(yield* store.removePrefix(folder)).toBe(inside.length)
                expect((yield* store.list("")).map(({ key }) => key)).toEqual(
                  [...keys].filter((key) => !inside.includes(key)).sort(compareCodePoints)
                )
              })
            )
        ),
        { numRuns: 40 }
      ))

    it("never lists more than a thousand at once", () =>
      run((store) =>
        Effect.gen(function* () {
          yield* Effect.forEach(
            Array.from({ length: 1005 }, (_, i) => i),
            (i) => store.put(`n/${i}`, bytes("")),
            { concurrency: 16 }
          )
          expect(yield* store.list("n/")).toHaveLength(1000)
          expect(yield* store.list("n/", { limit: 5000 })).toHaveLength(1000)
        })
      ))

    it("removes a prefix and nothing beside it, and says how many there were", () =>
      run((store) =>
        Effect.gen(function* () {
          for (const key of ["p/1", "p/2/3", "p/2/4", "p", "pp/1", "q/1"]) yield* store.put(key, bytes(key))
          for (const prefix of ["", "p", "../"])
            expect((yield* Effect.flip(store.removePrefix(prefix)))._tag).toBe("InvalidKey")
          expect(yield* store.removePrefix("p/")).toBe(3)
          expect(yield* store.removePrefix("p/")).toBe(0)
          expect((yield* store.list("")).map(({ key }) => key)).toEqual(["p", "pp/1", "q/1"])
          yield* store.remove("not/there")
        })
      ))

    it("loses no object that is put while others of its folder are removed", () =>
      run((store) =>
        Effect.gen(function* () {
          for (let round = 0; round < 30; round++) {
            yield* store.put("f/g/old", bytes("old"))
            yield* Effect.all([store.remove("f/g/old"), store.put(`f/g/${round}`, bytes("new"))], {
              concurrency: "unbounded"
            })
            expect(text(yield* store.get(`f/g/${round}`))).toBe("new")
            yield* store.remove(`f/g/${round}`)
          }
        })
      ))
  })
}
