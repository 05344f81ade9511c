/** What every EventLog promises: each event once, in order, soon after its commit; and what retention took is named. */
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { EventLog, type RoutingNotice } from "@pawl/core/event/EventLog"
import { insert, update } from "@pawl/core/ledger/Commit"
import { Retention } from "@pawl/core/ledger/Retention"
import { Limits } from "@pawl/core/primitives/Limits"
import {
  commit,
  event,
  failure,
  onStore,
  projectId,
  race,
  stored,
  type StoreFixture,
  time
} from "../../tools/StoreFixtures.ts"

const publish = (from: number, to: number, project = 1) =>
  commit({
    projectId: projectId(project),
    events: Array.from({ length: to - from + 1 }, (_, i) => event({ n: from + i }))
  })
const read = (after: number, limit = 100) =>
  Effect.flatMap(EventLog, (log) =>
    Effect.map(log.read(projectId(), after, limit), (events) => events.map((each) => each.sequence))
  )
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const day = 24 * 60 * 60 * 1000

/** Declares the suite. Each of its tests has a store of its own. */
export const eventLogContract = (name: string, fixture: StoreFixture) => {
  const promise = (title: string, body: Parameters<typeof onStore<void, unknown>>[1]) =>
    it(title, () => onStore(fixture, body))

  describe(`${name}: EventLog`, () => {
    promise(
      "gives an event its envelope",
      Effect.gen(function* () {
        yield* commit({ events: [event({ text: "ä\u{1F9C0}", list: [1, null] })] })
        const [first] = yield* Effect.flatMap(EventLog, (log) => log.read(projectId(), 0, 1))
        expect(first).toEqual({
          specversion: "1.0",
          id: expect.stringMatching(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/),
          source: `/projects/${projectId()}`,
          type: "canonical.advanced",
          subject: projectId(),
          time: "2030-01-01T00:00:00.000Z",
          sequence: 1,
          data: { text: "ä\u{1F9C0}", list: [1, null] },
          actor: { type: "system", id: "system:test" }
        })
      })
    )

    promise(
      "reads on from a sequence, at most a page at once, each Project by itself",
      Effect.gen(function* () {
        yield* publish(1, 130)
        yield* publish(1, 1, 2)
        expect(yield* read(0, 3)).toEqual([1, 2, 3])
        expect(yield* read(127)).toEqual([128, 129, 130])
        expect(yield* read(0, 1000)).toEqual(numbers(1, Limits.eventsPageSize))
        expect(yield* read(130)).toEqual([])
        expect(yield* read(9999)).toEqual([])
      })
    )

    promise(
      "follows: first all that was, then each new event, without a look at the clock",
      Effect.gen(function* () {
        yield* publish(1, 250)
        const log = yield* EventLog
        const following = yield* Effect.forkChild(Stream.runCollect(Stream.take(log.follow(projectId(), 10), 245)))
        yield* Effect.yieldNow
        yield* publish(251, 252)
        yield* publish(1, 3, 2)
        yield* publish(253, 255)
        expect((yield* Fiber.join(following)).map((each) => each.data["n"])).toEqual(numbers(11, 255))
      })
    )

    promise(
      "shows every follower every event in order while 16 fibers commit",
      Effect.gen(function* () {
        const log = yield* EventLog
        const followers = yield* Effect.forEach(numbers(1, 4), () =>
          Effect.forkChild(Stream.runCollect(Stream.take(log.follow(projectId(), 0), 32)))
        )
        yield* race(Array.from({ length: 16 }, () => publish(1, 2)))
        for (const each of followers)
          expect((yield* Fiber.join(each)).map((one) => one.sequence)).toEqual(numbers(1, 32))
      })
    )

    promise(
      "tells who listens of events and of groups that come and go, of every Project, and of nothing else",
      Effect.gen(function* () {
        const log = yield* EventLog
        const told: Array<RoutingNotice> = []
        const heard = () => told.splice(0)
        const joining = (project: number) =>
          insert("consumer", {
            projectId: projectId(project),
            group: "test:one",
            sequence: 0,
            failing: null,
            updatedAt: time
          })
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* log.listen((notice) => void told.push(notice))
            yield* publish(1, 3)
            expect(heard()).toEqual([{ _tag: "Events", projectId: projectId() }])
            yield* commit({ projectId: projectId(2), writes: [joining(2)] })
            expect(heard()).toEqual([{ _tag: "Groups", projectId: projectId(2) }])
            const group = yield* stored("consumer", `${projectId(2)}/test:one`)
            yield* commit({ projectId: projectId(2), writes: [update("consumer", group, { sequence: 1 })] })
            expect(heard()).toEqual([])
            const moved = yield* stored("consumer", `${projectId(2)}/test:one`)
            yield* commit({
              projectId: projectId(2),
              writes: [{ _tag: "Delete", kind: "consumer", id: `${projectId(2)}/test:one`, revision: moved.revision }]
            })
            expect(heard()).toEqual([{ _tag: "Groups", projectId: projectId(2) }])
          })
        )
        yield* publish(4, 4)
        expect(heard()).toEqual([])
      })
    )

    promise(
      "names the groups that are behind, and none that has seen all",
      Effect.gen(function* () {
        const log = yield* EventLog
        const joining = (project: number, group: string, sequence: number) =>
          commit({
            projectId: projectId(project),
            writes: [
              insert("consumer", { projectId: projectId(project), group, sequence, failing: null, updatedAt: time })
            ]
          })
        yield* publish(1, 3)
        yield* publish(1, 12, 2)
        yield* joining(1, "test:seen", 3)
        yield* joining(1, "test:behind", 2)
        yield* joining(2, "test:behind", 9)
        yield* joining(3, "test:idle", 0)
        const behind = (yield* log.behind).map(({ group, projectId: project }) => `${project} ${group}`)
        expect(behind.toSorted()).toEqual([`${projectId(1)} test:behind`, `${projectId(2)} test:behind`])
      })
    )

    promise(
      "says which events retention took, keeps the rest, and goes on counting",
      Effect.gen(function* () {
        yield* publish(1, 3)
        yield* TestClock.adjust((Limits.retentionDaysEvents - 1) * day)
        yield* publish(4, 5)
        yield* TestClock.adjust(2 * day)
        const retention = yield* Retention
        expect(yield* retention.sweep).toMatchObject({ events: 3 })
        expect(yield* failure(read(0))).toMatchObject({ _tag: "EventsExpired", after: 0, oldest: 4 })
        expect(yield* failure(read(2))).toMatchObject({ _tag: "EventsExpired", after: 2, oldest: 4 })
        expect(yield* read(3)).toEqual([4, 5])
        const log = yield* EventLog
        expect(yield* failure(Stream.runCollect(log.follow(projectId(), 0)))).toMatchObject({ _tag: "EventsExpired" })
        yield* TestClock.adjust(Limits.retentionDaysEvents * day)
        expect(yield* retention.sweep).toMatchObject({ events: 2 })
        expect(yield* failure(read(4))).toMatchObject({ oldest: 6 })
        expect(yield* read(5)).toEqual([])
        yield* publish(6, 6)
        expect(yield* read(5)).toEqual([6])
        expect(yield* retention.sweep).toMatchObject({ events: 0 })
      })
    )
  })
}
