/** What every Fleet promises: each process that runs stands in it once, and one that is gone does not stand there for ever. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Time from "@pawl/core/primitives/Time"
import { Fleet, type ServerProcess } from "@pawl/core/work/Fleet"
import { onStore, race, type StoreFixture } from "../../tools/StoreFixtures.ts"

const process = (n: number, fields: Partial<ServerProcess> = {}) =>
  Effect.map(Time.now, (startedAt): ServerProcess => ({
    id: `host-${n}`,
    version: "1.2.3",
    roles: ["api", "router"],
    startedAt,
    ...fields
  }))

const note = (one: ServerProcess) => Effect.flatMap(Fleet, (fleet) => fleet.note(one))

const idsNoted = Effect.flatMap(Fleet, (fleet) => Effect.map(fleet.all, (all) => all.map(({ id }) => id)))

/** Declares the suite. Each of its tests has a store of its own. */
export const fleetContract = (name: string, fixture: StoreFixture): void => {
  const promise = (title: string, body: Parameters<typeof onStore<void, unknown>>[1]) =>
    it(title, () => onStore(fixture, body))

  describe(`${name}: Fleet`, () => {
    promise(
      "tells what each process said of itself, in the order of their starts, and when it was seen last",
      Effect.gen(function* () {
        const fleet = yield* Fleet
        expect(yield* fleet.all).toEqual([])
        const first = yield* process(2)
        yield* note(first)
        yield* TestClock.adjust(1000)
        const second = yield* process(1, { version: "1.3.0-rc.1", roles: ["worker"] })
        yield* note(second)
        yield* TestClock.adjust(1000)
        yield* note(first)
        const now = yield* Time.now
        expect(yield* fleet.all).toEqual([
          { ...first, seenAt: now },
          { ...second, seenAt: second.startedAt }
        ])
      })
    )

    promise(
      "notes each of 20 that come at once, once, however often they say so",
      Effect.gen(function* () {
        const all = yield* Effect.forEach(
          Array.from({ length: 20 }, (_, n) => n),
          (n) => process(n)
        )
        const exits = yield* race([...all, ...all].map(note))
        expect(exits.filter(({ _tag }) => _tag === "Failure")).toEqual([])
        expect((yield* idsNoted).toSorted()).toEqual(all.map(({ id }) => id).toSorted())
      })
    )

    promise(
      "forgets one that leaves, and nobody else; one that is not there may leave too",
      Effect.gen(function* () {
        const fleet = yield* Fleet
        for (const n of [1, 2]) yield* note(yield* process(n))
        yield* fleet.leave("host-1")
        yield* fleet.leave("host-1")
        expect(yield* idsNoted).toEqual(["host-2"])
      })
    )

    promise(
      "forgets one that says nothing for long when another is noted, and not before",
      Effect.gen(function* () {
        const [dead, alive] = [yield* process(1), yield* process(2)]
        for (const each of [dead, alive]) yield* note(each)
        yield* TestClock.adjust(Limits.processForgottenMs)
        yield* note(alive)
        expect(yield* idsNoted).toEqual(["host-1", "host-2"])
        yield* TestClock.adjust(1)
        yield* note(alive)
        expect(yield* idsNoted).toEqual(["host-2"])
      })
    )

    promise(
      "notes one again that was forgotten while it was frozen, with the time at which it started",
      Effect.gen(function* () {
        const fleet = yield* Fleet
        const frozen = yield* process(1)
        yield* note(frozen)
        yield* fleet.leaveAll
        expect(yield* fleet.all).toEqual([])
        yield* TestClock.adjust(1000)
        yield* note(frozen)
        expect(yield* fleet.all).toEqual([{ ...frozen, seenAt: yield* Time.now }])
      })
    )

    promise(
      "has nothing to take away where no older version was",
      Effect.gen(function* () {
        const fleet = yield* Fleet
        yield* note(yield* process(1))
        expect(yield* fleet.contract).toEqual({ done: [], waiting: [], older: [] })
      })
    )
  })
}
