/** What every PointerSource promises: the row as it is committed now, or the tombstone of a removed app. */
import { Context, Effect, Layer, Option, type Scope } from "effect"
import { describe, expect, it } from "vitest"
import type { Pointer } from "@pawl/core/model/Pointer"
import * as PointerRows from "@pawl/core/app/PointerRows"
import { type FoundPointer, PointerSource, type PointerSourceUnavailable } from "@pawl/core/app/PointerSource"
import { insert, update } from "@pawl/core/ledger/Commit"
import { pointerKey } from "@pawl/core/model/Entities"
import { Records } from "@pawl/core/ledger/Records"
import { commit, projectId, type StoreFixture, here, time, type Within } from "../../tools/StoreFixtures.ts"

/** A source, and how a row gets there or into its next state. */
export interface PointerWorld {
  readonly source: PointerSource["Service"]
  readonly put: (pointer: Pointer) => Effect.Effect<void, unknown>
}

/** A world that starts without pointers. */
export interface PointerSourceFixture {
  readonly world: Effect.Effect<PointerWorld, unknown, Scope.Scope>
  /** Runs a whole test elsewhere; here, when it is not said. */
  readonly within?: Within
}

/** The pointers in the records of a store, as a server reads them. */
export const recordedPointers = (fixture: StoreFixture): PointerSourceFixture => ({
  ...(fixture.within === undefined ? {} : { within: fixture.within }),
  world: Effect.map(Layer.build(Layer.provideMerge(PointerRows.layer, fixture.layer)), (services) => ({
    source: Context.get(services, PointerSource),
    put: (pointer) =>
      Effect.gen(function* () {
        const records = yield* Records
        const known = yield* records.get("pointer", pointerKey(pointer.projectId, pointer.channel))
        const write = Option.match(known, {
          onNone: () => insert("pointer", pointer),
          onSome: (stored) => update("pointer", stored, pointer)
        })
        yield* commit({ projectId: pointer.projectId, writes: [write] })
      }).pipe(Effect.provide(services))
  }))
})

const pointer = (fields: Partial<Pointer> = {}): Pointer => ({
  projectId: projectId(),
  slug: "shop",
  label: "shop",
  channel: "production",
  incarnation: 1,
  commit: null,
  generation: null,
  bundleKey: null,
  bundleDigest: null,
  status: "live",
  reason: null,
  candidateId: null,
  changeId: null,
  createdAt: time,
  updatedAt: time,
  ...fields
})

const preview = "preview:0a1b2c3d"

/** Declares the suite. Each test gets a world of its own. */
export const pointerSourceContract = (name: string, fixture: PointerSourceFixture): void => {
  const run = (use: (world: PointerWorld) => Effect.Effect<void, unknown>): Promise<void> =>
    (fixture.within ?? here)(() => Effect.runPromise(Effect.scoped(Effect.flatMap(fixture.world, use))))
  const found = ({ source }: PointerWorld, label = "shop"): Effect.Effect<FoundPointer, PointerSourceUnavailable> =>
    source.find(label, "production")

  describe(`${name}: PointerSource`, () => {
    it("answers the row of the very label and channel, and null for any other", () =>
      run((world) =>
        Effect.gen(function* () {
          expect(yield* found(world)).toBe(null)
          const shop = pointer()
          const other = pointer({ projectId: projectId(2), slug: "shop-2", label: "shop-2", status: "building" })
          const shown = pointer({ channel: preview })
          for (const row of [other, shown, shop]) yield* world.put(row)
          expect(yield* found(world)).toEqual(shop)
          expect(yield* found(world, "shop-2")).toEqual(other)
          expect(yield* world.source.find("shop", preview)).toEqual(shown)
          expect(yield* world.source.find("shop-2", preview)).toBe(null)
          expect(yield* world.source.find("shop", "preview:v0000001")).toBe(null)
          for (const label of ["SHOP", "sho", "shop-", "%", "", "shop' OR ''='"])
            expect(yield* found(world, label)).toBe(null)
        })
      ))

    it("answers what was committed last, with nothing kept of what was asked before", () =>
      run((world) =>
        Effect.gen(function* () {
          yield* world.put(pointer({ status: "building" }))
          expect(yield* found(world)).toMatchObject({ status: "building", generation: null })
          yield* world.put(pointer({ status: "live", generation: 3 }))
          expect(yield* found(world)).toMatchObject({ status: "live", generation: 3 })
        })
      ))

    it("takes previews and versions for removed with the app, and what is left of it while an app after it is there", () =>
      run((world) =>
        Effect.gen(function* () {
          const channels = [preview, "preview:v0000001"] as const
          for (const channel of ["production", ...channels] as const) yield* world.put(pointer({ channel }))
          yield* world.put(pointer({ label: "other", slug: "other", projectId: projectId(2), channel: preview }))
          yield* world.put(pointer({ status: "removed", leftovers: true }))
          for (const channel of channels) expect(yield* world.source.find("shop", channel)).toBe("removed")
          yield* world.put(pointer({ status: "building", incarnation: 2, leftovers: true }))
          expect(yield* found(world)).toMatchObject({ status: "building", incarnation: 2 })
          for (const channel of channels) expect(yield* world.source.find("shop", channel)).toBe("removed")
          expect(yield* world.source.find("other", preview)).toMatchObject({ status: "live" })
          yield* world.put(pointer({ status: "building", incarnation: 2, leftovers: false }))
          for (const channel of channels) expect(yield* world.source.find("shop", channel)).toMatchObject({ channel })
        })
      ))

    it("answers a removed row as it stands, and its tombstone for channels that have no row", () =>
      run((world) =>
        Effect.gen(function* () {
          yield* world.put(pointer())
          yield* world.put(pointer({ status: "removed" }))
          expect(yield* found(world)).toMatchObject({ status: "removed" })
          expect(yield* world.source.find("shop", preview)).toBe("removed")
          expect(yield* world.source.find("shop-2", preview)).toBe(null)
          yield* world.put(pointer({ status: "building", incarnation: 2 }))
          expect(yield* world.source.find("shop", preview)).toBe(null)
        })
      ))
  })
}
