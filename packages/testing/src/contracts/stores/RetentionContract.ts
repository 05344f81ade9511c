/** What Retention promises: what is older than promised goes, all else stays, and each row is counted once. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { DailyCounter } from "@pawl/core/bundle/DailyCounter"
import { EventLog } from "@pawl/core/event/EventLog"
import { Retention } from "@pawl/core/ledger/Retention"
import { Limits } from "@pawl/core/primitives/Limits"
import { Settings } from "@pawl/core/primitives/Settings"
import * as Time from "@pawl/core/primitives/Time"
import { commit, event, failure, onStore, projectId, type StoreFixture } from "../../tools/StoreFixtures.ts"

const dayMs = 24 * 60 * 60 * 1000
const sweep = Effect.flatMap(Retention, (retention) => retention.sweep)
const nothing = { events: 0, counters: 0 }

const publish = (project: number, count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, n) => n),
    (n) => commit({ projectId: projectId(project), events: [event({ n })] }),
    { discard: true }
  )
const read = (project: number, after: number) =>
  Effect.flatMap(EventLog, (log) =>
    Effect.map(log.read(projectId(project), after, 100), (events) => events.map((each) => each.sequence))
  )
const take = (day: string) => Effect.flatMap(DailyCounter, (counter) => counter.take("builds", day, 1))

/** Declares the suite. Each of its tests has a store of its own. */
export const retentionContract = (name: string, fixture: StoreFixture): void => {
  const promise = (title: string, body: Parameters<typeof onStore<void, unknown>>[1]) =>
    it(title, () => onStore(fixture, body))

  describe(`${name}: Retention`, () => {
    promise(
      "takes nothing from an empty store, and nothing that is young",
      Effect.gen(function* () {
        expect(yield* sweep).toEqual(nothing)
        yield* publish(1, 2)
        yield* take("2030-01-01")
        yield* TestClock.adjust((Limits.counterDays - 1) * dayMs)
        expect(yield* sweep).toEqual(nothing)
        expect(yield* read(1, 0)).toEqual([1, 2])
        expect(yield* take("2030-01-01")).toBe(false)
      })
    )

    promise(
      "counts what it took of each sort, once",
      Effect.gen(function* () {
        yield* publish(1, 3)
        yield* publish(2, 1)
        yield* take("2030-01-01")
        yield* TestClock.adjust((Limits.retentionDaysEvents + 1) * dayMs)
        expect(yield* sweep).toEqual({ events: 4, counters: 1 })
        expect(yield* sweep).toEqual(nothing)
        expect(yield* take("2030-01-01")).toBe(true)
      })
    )

    promise(
      "takes the old events of one Project and leaves the young ones of every other, with their numbers",
      Effect.gen(function* () {
        yield* publish(1, 2)
        yield* TestClock.adjust(2 * dayMs)
        yield* publish(1, 1)
        yield* publish(2, 2)
        yield* TestClock.adjust((Limits.retentionDaysEvents - 1) * dayMs)
        expect(yield* sweep).toEqual({ ...nothing, events: 2 })
        expect(yield* failure(read(1, 0))).toMatchObject({ _tag: "EventsExpired", oldest: 3 })
        expect(yield* read(1, 2)).toEqual([3])
        expect(yield* read(2, 0)).toEqual([1, 2])
        yield* publish(1, 1)
        expect(yield* read(1, 2)).toEqual([3, 4])
      })
    )

    promise(
      "takes events of development after 30 days, and nothing else sooner",
      Effect.gen(function* () {
        const inDevelopment = Effect.flatMap(Settings, (settings) =>
          Effect.provideService(sweep, Settings, { ...settings, environment: "development" })
        )
        yield* publish(1, 2)
        yield* TestClock.adjust((Limits.eventDaysDevelopment + 1) * dayMs)
        yield* publish(1, 1)
        expect(yield* sweep).toEqual(nothing)
        expect(yield* inDevelopment).toEqual({ ...nothing, events: 2 })
        expect(yield* read(1, 2)).toEqual([3])
      })
    )

    promise(
      "forgets the events of one Project that are older than a moment, whatever their age, and counts on",
      Effect.gen(function* () {
        const retention = yield* Retention
        yield* publish(1, 3)
        yield* publish(2, 1)
        const moment = (yield* Time.nowMillis) + dayMs
        yield* TestClock.adjust(dayMs)
        yield* publish(1, 1)
        expect(yield* retention.forget(projectId(1), Time.fromMillis(moment))).toBe(3)
        expect(yield* retention.forget(projectId(1), Time.fromMillis(moment))).toBe(0)
        expect(yield* retention.forget(projectId(9), Time.fromMillis(moment))).toBe(0)
        expect(yield* failure(read(1, 0))).toMatchObject({ _tag: "EventsExpired", oldest: 4 })
        expect(yield* read(1, 3)).toEqual([4])
        expect(yield* read(2, 0)).toEqual([1])
        expect(yield* retention.forget(projectId(1), Time.fromMillis(moment + dayMs))).toBe(1)
        yield* publish(1, 1)
        expect(yield* read(1, 4)).toEqual([5])
      })
    )

    promise(
      "never tells of a gone event as of one that is kept, when one sweep goes further than another beside it",
      Effect.gen(function* () {
        const retention = yield* Retention
        yield* publish(1, 5)
        yield* TestClock.adjust((Limits.retentionDaysEvents + 1) * dayMs)
        yield* publish(1, 5)
        const later = Time.fromMillis((yield* Time.nowMillis) + dayMs)
        yield* Effect.all([retention.forget(projectId(1), later), sweep], { concurrency: "unbounded" })
        yield* publish(1, 1)
        for (const after of [0, 5, 7, 9])
          expect(yield* failure(read(1, after))).toMatchObject({ _tag: "EventsExpired", after, oldest: 11 })
        expect(yield* read(1, 10)).toEqual([11])
      })
    )

    promise(
      "takes more than one portion of a great many",
      Effect.gen(function* () {
        yield* Effect.forEach(
          Array.from({ length: 30 }, (_, round) => round),
          (round) => commit({ events: Array.from({ length: 100 }, (_, n) => event({ n: round * 100 + n })) }),
          { discard: true }
        )
        yield* TestClock.adjust((Limits.retentionDaysEvents + 1) * dayMs)
        expect(yield* sweep).toEqual({ ...nothing, events: 3000 })
        expect(yield* read(1, 3000)).toEqual([])
      })
    )
  })
}
