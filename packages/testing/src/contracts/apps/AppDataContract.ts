/**
 * What every AppData promises: each store by itself, keys by code point, every bound kept exactly, and nothing written by
 * an app that was removed.
 */
import { Effect, Exit } from "effect"
import { describe, expect, it } from "vitest"
import { AppData, type DataStoreRef } from "@pawl/core/app/AppData"
import type { Channel, Pointer } from "@pawl/core/model/Pointer"
import { insert, update } from "@pawl/core/ledger/Commit"
import { pointerKey } from "@pawl/core/model/Entities"
import { Limits } from "@pawl/core/primitives/Limits"
import {
  commit,
  failure,
  objectId,
  onStore,
  projectId,
  race,
  stored,
  type StoreFixture,
  type Stores,
  time
} from "../../tools/StoreFixtures.ts"

const store: DataStoreRef = { project: projectId(), channel: "production" }
const others: ReadonlyArray<DataStoreRef> = [
  { project: projectId(), channel: "preview:01234567" },
  { project: projectId(2), channel: "production" }
]
const get = (key: string, of = store) => Effect.flatMap(AppData, (data) => data.get(of, key))
const put = (key: string, value: string, of = store) => Effect.flatMap(AppData, (data) => data.put(of, key, value))
const remove = (key: string, of = store) => Effect.flatMap(AppData, (data) => data.remove(of, key))
const list = (options: { readonly prefix?: string; readonly limit?: number } = {}, of = store) =>
  Effect.flatMap(AppData, (data) =>
    Effect.map(data.list(of, options), ({ complete, keys }) => ({ names: keys.map((each) => each.name), complete }))
  )

const pointer = (channel: Channel, incarnation: number): Pointer => ({
  projectId: projectId(),
  slug: "shop",
  label: "shop",
  channel,
  incarnation,
  commit: objectId(1),
  generation: 0,
  bundleKey: "apps/p/c/bundle.json",
  bundleDigest: "0".repeat(64),
  status: "live",
  reason: null,
  candidateId: null,
  changeId: null,
  createdAt: time,
  updatedAt: time
})
const serving = (channel: Channel, incarnation = 1) =>
  commit({ writes: [insert("pointer", pointer(channel, incarnation))] })
const change = (channel: Channel, fields: Partial<Pointer>) =>
  Effect.flatMap(stored("pointer", pointerKey(projectId(), channel)), (row) =>
    commit({ writes: [update("pointer", row, { ...row.record, ...fields })] })
  )
const of = (channel: Channel, incarnation: number): DataStoreRef => ({ project: projectId(), channel, incarnation })
const gone = { _tag: "DataRefused", limit: "removed", message: expect.stringContaining("was removed") }

/** Declares the suite. Each of its tests has a store of its own. */
export const appDataContract = (name: string, fixture: StoreFixture) => {
  const promise = (title: string, body: Parameters<typeof onStore<void, unknown>>[1]) =>
    it(title, () => onStore(fixture, body))

  describe(`${name}: AppData`, () => {
    promise(
      "keeps a value until it is replaced or removed, and answers null without one",
      Effect.gen(function* () {
        for (const value of ["", "a\u0000b", "ä\u{1F9C0}", "'; DROP TABLE x; --"]) {
          yield* put("k", value)
          expect(yield* get("k")).toBe(value)
        }
        yield* remove("k")
        yield* remove("k")
        expect(yield* get("k")).toBe(null)
        expect(yield* list()).toEqual({ names: [], complete: true })
      })
    )

    promise(
      "keeps each channel and each Project by itself, and wipes one only",
      Effect.gen(function* () {
        for (const [n, of] of [store, ...others].entries()) yield* put("k", String(n), of)
        const data = yield* AppData
        yield* data.wipe(store)
        expect(yield* get("k")).toBe(null)
        for (const [n, of] of others.entries()) expect(yield* get("k", of)).toBe(String(n + 1))
        yield* data.wipe(store)
        yield* put("k", "again")
        expect(yield* list()).toEqual({ names: ["k"], complete: true })
      })
    )

    promise(
      "lists by code point, within a prefix, and says whether that was all",
      Effect.gen(function* () {
        const names = [
          "",
          "A",
          "a",
          "a!",
          "a/",
          "a/1",
          "a/2",
          "b",
          "ä",
          "\uFFFD",
          "\uFF5E",
          "\u{1F9C0}",
          "\u{10FFFF}",
          "\u{10FFFF}x",
          "%",
          "_",
          "\u0000",
          "Z"
        ]
        for (const each of [...names].reverse()) yield* put(each, "v")
        const points = (text: string) =>
          Array.from(text, (character) => character.codePointAt(0)!.toString(16).padStart(6, "0")).join()
        const sorted = [...names].sort((a, b) => (points(a) < points(b) ? -1 : 1))
        expect(yield* list()).toEqual({ names: sorted, complete: true })
        for (const prefix of [
          "",
          "a",
          "a/",
          "%",
          "_",
          "\u0000",
          "\uFF5E",
          "\u{1F9C0}",
          "\u{10FFFF}",
          "\u{10FFFF}x",
          "nothing"
        ])
          expect(yield* list({ prefix })).toEqual({
            names: sorted.filter((each) => each.startsWith(prefix)),
            complete: true
          })
        expect(yield* list({ limit: 2 })).toEqual({ names: sorted.slice(0, 2), complete: false })
        expect(yield* list({ prefix: "a/", limit: 3 })).toEqual({ names: ["a/", "a/1", "a/2"], complete: true })
      })
    )

    promise(
      "refuses what is over a bound, names the limit, and changes nothing",
      Effect.gen(function* () {
        const longest = "\u{1F9C0}".repeat(Limits.appDataKeyLength)
        const largest = "ä".repeat(Limits.appDataValueBytes / 2)
        yield* put(longest, largest)
        expect(yield* get(longest)).toBe(largest)
        const refused = (effect: Effect.Effect<unknown, unknown, AppData>, limit: string) =>
          Effect.map(failure(effect), (error) => {
            expect(error).toMatchObject({ _tag: "DataRefused", limit })
            expect((error as { readonly message: string }).message).toContain(limit)
          })
        yield* refused(put(`${longest}x`, ""), "appDataKeyLength")
        yield* refused(get(`${longest}x`), "appDataKeyLength")
        yield* refused(remove(`${longest}x`), "appDataKeyLength")
        yield* refused(list({ prefix: `${longest}x` }), "appDataKeyLength")
        yield* refused(put("k", `${largest}x`), "appDataValueBytes")
        for (const limit of [0, -1, 1.5, Number.NaN, Limits.appDataListLimit + 1])
          yield* refused(list({ limit }), "appDataListLimit")
        for (const half of ["\uD83E", "\uDDC0x"]) {
          expect(yield* failure(put(half, ""))).toMatchObject({ _tag: "DataRefused" })
          expect(yield* failure(put("k", half))).toMatchObject({ _tag: "DataRefused" })
        }
        expect(yield* list()).toEqual({ names: [longest], complete: true })
      })
    )

    promise(
      "holds exactly as many keys as allowed, also when 32 fibers put at once, and after keys came, went and were wiped at once",
      Effect.gen(function* () {
        for (let round = 0; round < 5; round++)
          yield* race([
            ...Array.from({ length: 24 }, (_, n) => (n % 3 === 2 ? remove(`k${n - 1}`) : put(`k${n}`, "v"))),
            Effect.flatMap(AppData, (data) => data.wipe(store))
          ])
        yield* Effect.forEach((yield* list()).names, (name) => remove(name))
        const key = (n: number) => `key-${String(n).padStart(5, "0")}`
        yield* Effect.forEach(
          Array.from({ length: Limits.appDataKeys - 10 }, (_, n) => n),
          (n) => put(key(n), ""),
          { concurrency: 8, discard: true }
        )
        const puts = yield* race(Array.from({ length: 32 }, (_, n) => put(key(20_000 + n), "")))
        expect(puts.filter(Exit.isSuccess)).toHaveLength(10)
        expect(yield* failure(put("one more", ""))).toMatchObject({ _tag: "DataRefused", limit: "appDataKeys" })
        yield* put(key(0), "replaced")
        expect(yield* get(key(0))).toBe("replaced")
        yield* race(Array.from({ length: 8 }, () => remove(key(0))))
        yield* put("one more", "")
        expect(yield* failure(put(key(0), ""))).toMatchObject({ limit: "appDataKeys" })
        yield* put("one more", "", others[0])
        expect(yield* list()).toMatchObject({ complete: false })
        expect((yield* list()).names).toHaveLength(Limits.appDataListLimit)
      })
    )

    promise(
      "takes writes of the app that serves, and none once it, or its preview, is removed or another one",
      Effect.gen(function* () {
        const [live, preview] = [of("production", 1), of("preview:01234567", 1)]
        const refused = Effect.fnUntraced(function* (ref: DataStoreRef) {
          expect(yield* failure(put("k", "late", ref))).toMatchObject(gone)
          expect(yield* failure(put("new", "late", ref))).toMatchObject(gone)
          expect(yield* failure(remove("k", ref))).toMatchObject(gone)
        })
        yield* refused(live)
        yield* serving("production")
        yield* refused(preview)
        yield* serving("preview:01234567")
        for (const ref of [live, preview]) {
          yield* put("k", "v", ref)
          yield* put("k", "again", ref)
          yield* remove("none", ref)
        }
        yield* change("preview:01234567", { status: "removed" })
        yield* refused(preview)
        yield* put("k", "live", live)
        yield* serving("preview:v0000001")
        yield* change("production", { status: "removed", leftovers: true })
        for (const ref of [live, preview, of("preview:v0000001", 1)]) yield* refused(ref)
        // Deployed again, before what was removed is cleaned away, and after.
        yield* change("production", { status: "building", incarnation: 2 })
        for (const ref of [live, of("preview:v0000001", 1)]) yield* refused(ref)
        yield* change("production", { status: "live", leftovers: false })
        yield* refused(live)
        yield* put("k", "next", of("production", 2))
        expect(yield* get("k", live)).toBe("next")
      })
    )

    promise(
      "leaves nothing of writes that race the removal of their app and the wipe after it",
      Effect.gen(function* () {
        const data = yield* AppData
        yield* serving("production")
        for (let incarnation = 1; incarnation <= 20; incarnation++) {
          const late = of("production", incarnation)
          yield* put("old", "v", late)
          const outcomes = yield* race<unknown, unknown, Stores>([
            ...Array.from({ length: 16 }, (_, n) => {
              let turn = 0
              const writing = Effect.suspend(() => put(n % 2 === 0 ? "old" : `${n}-${turn++}`, "late", late))
              return Effect.map(failure(Effect.forever(writing)), (problem) => expect(problem).toMatchObject(gone))
            }),
            Effect.andThen(change("production", { status: "removed", leftovers: true }), data.wipe(late))
          ])
          expect(outcomes.filter(Exit.isFailure)).toEqual([])
          expect(yield* list({}, late)).toEqual({ names: [], complete: true })
          yield* change("production", { status: "building", leftovers: false, incarnation: incarnation + 1 })
        }
      })
    )
  })
}
