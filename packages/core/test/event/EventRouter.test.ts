import { Effect, Fiber, References } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Commands } from "@pawl/core/work/Commands"
import { type Consumer, consumerKey } from "@pawl/core/model/Consumer"
import { type Decide, NotYet } from "@pawl/core/event/Consumption"
import type { Event } from "@pawl/core/model/Event"
import * as EventRouter from "@pawl/core/event/EventRouter"
import * as RouterLoop from "@pawl/core/event/RouterLoop"
import { insert } from "@pawl/core/ledger/Commit"
import { find } from "@pawl/core/ledger/Decision"
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import { backoffMs, execute } from "@pawl/core/work/Processes"
import { Retention } from "@pawl/core/ledger/Retention"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Time from "@pawl/core/primitives/Time"
import {
  change,
  changeId,
  claim,
  claimOne,
  commit,
  event,
  onStore,
  projectId,
  stored,
  type Stores,
  time
} from "@pawl/testing/tools/StoreFixtures"

const group = "test:one"
const play = (body: Effect.Effect<void, unknown, Stores>) =>
  onStore({ layer: MemoryLedger.layerMemory }, Effect.provideService(body, References.MinimumLogLevel, "None"))

const join = (name = group, project = 1) =>
  commit({ projectId: projectId(project), writes: [EventRouter.newGroup(projectId(project), name, 0, time)] })
const publish = (from: number, to: number, project = 1) =>
  Effect.forEach(
    Array.from({ length: to - from + 1 }, (_, index) => from + index),
    (n) => commit({ projectId: projectId(project), events: [event({ n })] }),
    { discard: true }
  )
const consumer = (name = group): Effect.Effect<Consumer, unknown, Stores> =>
  Effect.map(stored("consumer", consumerKey(projectId(), name)), (each) => each.record)

const effectOf = ({ data }: Event) => ({
  commands: [{ kind: "forks.sweep" as const, id: `forks.sweep:${String(data["n"])}`, payload: { n: data["n"] } }]
})
const sending: Decide<never> = (each) => Effect.succeed(effectOf(each))
const sent = Effect.map(claim(1000, { kinds: ["forks.sweep"] }), (all) => all.map((each) => each.command.payload["n"]))
const apply = (decide: Decide<never>, name = group) => EventRouter.apply(name, projectId(), decide)

/** Fails at one event until it is told not to. */
const poisonedAt = (n: number) => {
  const state = { tries: 0, cured: false }
  const decide: Decide<never> = (each) =>
    Effect.suspend(() => {
      if (each.data["n"] !== n || state.cured) return sending(each)
      state.tries++
      return state.tries % 2 === 0 ? Effect.die("it broke") : Effect.fail("it failed")
    })
  return { decide, state }
}

describe("A consumer group", () => {
  it("ignores what it had, and fills the gap before what comes early", () =>
    play(
      Effect.gen(function* () {
        yield* join()
        yield* publish(1, 130)
        const deliver = (sequence: number) =>
          EventRouter.deliver(group, { sequence, source: `/projects/${projectId()}` } as Event, sending)
        expect(yield* deliver(120)).toEqual({ _tag: "CaughtUp", sequence: 120 })
        expect(yield* deliver(3)).toEqual({ _tag: "CaughtUp", sequence: 120 })
        expect(yield* deliver(500)).toEqual({ _tag: "CaughtUp", sequence: 130 })
        expect(yield* sent).toEqual(Array.from({ length: 130 }, (_, index) => index + 1))
      })
    ))

  it("is gone once its record is: no router brings it back", () =>
    play(
      Effect.gen(function* () {
        yield* publish(1, 2)
        expect(yield* apply(sending)).toEqual({ _tag: "Gone" })
        expect(yield* find("consumer", consumerKey(projectId(), group))).toBeNull()
      })
    ))

  it("keeps its place at an event that fails, tries it with growing pauses, and goes on when it works", () =>
    play(
      Effect.gen(function* () {
        yield* join()
        yield* publish(1, 4)
        const { decide, state } = poisonedAt(3)
        expect(yield* apply(decide)).toMatchObject({ _tag: "Waiting", sequence: 2 })
        expect((yield* consumer()).failing).toMatchObject({ tries: 1 })
        yield* TestClock.adjust(backoffMs(1))
        expect(yield* apply(decide)).toMatchObject({ _tag: "Waiting" })
        expect((yield* consumer()).failing).toMatchObject({ tries: 2 })
        yield* TestClock.adjust(backoffMs(2) - 1)
        const asked = state.tries
        yield* apply(decide)
        expect(state.tries).toBe(asked)
        state.cured = true
        yield* TestClock.adjust(1)
        expect(yield* apply(decide)).toEqual({ _tag: "CaughtUp", sequence: 4 })
        expect(yield* consumer()).toMatchObject({ sequence: 4, failing: null })
        expect(yield* sent).toEqual([1, 2, 3, 4])
      })
    ))

  it("leaves an event behind after its tries, as a command that becomes a dead letter, and goes on", () =>
    play(
      Effect.gen(function* () {
        yield* join()
        yield* publish(1, 4)
        const { decide } = poisonedAt(3)
        for (let tries = 1; tries <= Limits.consumerAttempts; tries++) {
          expect((yield* consumer()).sequence).toBeLessThan(3)
          yield* apply(decide)
          yield* TestClock.adjust(backoffMs(tries))
        }
        expect(yield* apply(decide)).toEqual({ _tag: "CaughtUp", sequence: 4 })
        expect(yield* sent).toEqual([1, 2, 4])
        const [leased, ...more] = yield* claim(5, { kinds: ["event.consume"] })
        expect(more).toEqual([])
        expect(leased?.command).toMatchObject({
          id: `event.consume:${projectId()}:${group}:3`,
          projectId: projectId(),
          maxAttempts: 1,
          payload: { group, event: { sequence: 3, data: { n: 3 } } }
        })
        // Nothing knows this group, so its one more try fails.
        yield* execute(leased!, { "event.consume": () => Effect.fail("still broken") })
        const commands = yield* Commands
        expect((yield* commands.deadLetters(projectId())).map((letter) => letter.lastProblem)).toEqual(["still broken"])
      })
    ))

  it("applies an event that was left behind once, however often its command runs", () =>
    play(
      Effect.gen(function* () {
        yield* publish(1, 1)
        yield* commit({ commands: [{ kind: "event.consume", id: "event.consume:1", payload: {}, maxAttempts: 2 }] })
        const leased = yield* claimOne
        const left = { data: { n: 1 } } as unknown as Event
        yield* execute(leased, {
          "event.consume": () => Effect.andThen(EventRouter.applyLate(sending, left), Effect.fail("died after it"))
        })
        expect(yield* sent).toEqual([1])
        const commands = yield* Commands
        yield* TestClock.adjust("1 minute")
        const again = (yield* claim(5, { kinds: ["event.consume", "forks.sweep"] })).find(
          (each) => each.command.kind === "event.consume"
        )
        let applied = 0
        const counted: Decide<never> = (each) =>
          Effect.andThen(
            Effect.sync(() => applied++),
            sending(each)
          )
        yield* execute(again!, { "event.consume": () => EventRouter.applyLate(counted, left) })
        expect(applied).toBe(1)
        expect(yield* commands.deadLetters(projectId())).toEqual([])
      })
    ))

  it("takes a decision that no store can commit for a fault of the event, and of that event alone", () =>
    play(
      Effect.gen(function* () {
        yield* join()
        yield* publish(1, 3)
        const wide = Array.from({ length: Limits.commitRows }, (_, index) => ({
          kind: "forks.sweep" as const,
          id: `forks.sweep:wide/${index}`,
          payload: {}
        }))
        const decide: Decide<never> = (each) =>
          each.data["n"] === 2 ? Effect.succeed({ commands: wide }) : sending(each)
        for (let tries = 1; tries <= Limits.consumerAttempts; tries++) {
          yield* apply(decide)
          yield* TestClock.adjust(backoffMs(tries))
        }
        expect(yield* apply(decide)).toEqual({ _tag: "CaughtUp", sequence: 3 })
        expect(yield* sent).toEqual([1, 3])
      })
    ))

  it("does not decide for ever on what keeps conflicting", () =>
    play(
      Effect.gen(function* () {
        yield* join()
        yield* publish(1, 2)
        yield* commit({ writes: [insert("change", change(1))] })
        const decide: Decide<never> = (each) =>
          each.data["n"] === 1 ? Effect.succeed({ writes: [insert("change", change(1))] }) : sending(each)
        expect(yield* apply(decide)).toMatchObject({ _tag: "Waiting", sequence: 0 })
        expect((yield* consumer()).failing).toMatchObject({ tries: 1 })
      })
    ))

  it("counts a decision that hangs as one that failed", () =>
    play(
      Effect.gen(function* () {
        yield* join()
        yield* publish(1, 1)
        const applying = yield* Effect.forkChild(apply(() => Effect.never))
        yield* TestClock.adjust(Limits.consumerDecideMs)
        expect(yield* Fiber.join(applying)).toMatchObject({ _tag: "Waiting", sequence: 0 })
      })
    ))

  it("waits where it is told to, without counting a failure", () =>
    play(
      Effect.gen(function* () {
        yield* join()
        yield* publish(1, 2)
        const dueAt = Time.fromMillis(Time.toMillis(time) + 1000)
        const decide: Decide<never> = (each) =>
          each.data["n"] === 2 ? Effect.succeed(new NotYet(dueAt)) : sending(each)
        expect(yield* apply(decide)).toEqual({ _tag: "Waiting", sequence: 1, dueAt })
        expect(yield* consumer()).toMatchObject({ sequence: 1, failing: null })
      })
    ))

  it("goes on after the events that retention took", () =>
    play(
      Effect.gen(function* () {
        yield* join()
        yield* publish(1, 3)
        yield* TestClock.adjust(`${Limits.retentionDaysEvents + 1} days`)
        yield* publish(4, 5)
        yield* (yield* Retention).sweep
        expect(yield* apply(sending)).toEqual({ _tag: "CaughtUp", sequence: 5 })
        expect(yield* sent).toEqual([4, 5])
      })
    ))

  it("finds the newest event of a Project by few reads, also where old ones are gone", () =>
    play(
      Effect.gen(function* () {
        expect(yield* EventRouter.newestSequence(projectId())).toBe(0)
        for (const [from, to] of [
          [1, 1],
          [2, 2],
          [3, 7],
          [8, 8],
          [9, 100]
        ] as const) {
          yield* publish(from, to)
          expect(yield* EventRouter.newestSequence(projectId())).toBe(to)
        }
        yield* TestClock.adjust(`${Limits.retentionDaysEvents + 1} days`)
        yield* publish(101, 101)
        yield* (yield* Retention).sweep
        expect(yield* EventRouter.newestSequence(projectId())).toBe(101)
        yield* TestClock.adjust(`${Limits.retentionDaysEvents + 1} days`)
        yield* (yield* Retention).sweep
        expect(yield* EventRouter.newestSequence(projectId())).toBe(101)
      })
    ))
})

describe("The event router", () => {
  const until = (done: Effect.Effect<boolean, unknown, Stores>) =>
    Effect.repeat(Effect.andThen(TestClock.adjust(Limits.storePollMs), done), { until: (is) => is, times: 200 })

  it("routes for every group, for those that come later, and lets none hold up another", () =>
    play(
      Effect.gen(function* () {
        yield* join("test:poisoned")
        yield* join("test:well")
        yield* join("test:elsewhere", 2)
        const applied: Array<string> = []
        const groups: EventRouter.Groups<never> = (name) => (each) =>
          Effect.suspend(() => {
            if (name === "test:poisoned") return Effect.fail("always")
            applied.push(`${name} ${each.source.slice(-1)} ${String(each.data["n"])}`)
            return Effect.succeed(null)
          })
        const running = yield* Effect.forkChild(RouterLoop.run(groups))
        yield* publish(1, 2)
        yield* publish(1, 1, 2)
        yield* until(Effect.sync(() => applied.length >= 3))
        yield* join("test:late")
        yield* until(Effect.sync(() => applied.length >= 5))
        yield* publish(3, 3)
        yield* until(Effect.sync(() => applied.length >= 7))
        const of = (name: string) => applied.filter((each) => each.startsWith(name)).map((each) => each.split(" ")[2])
        expect(of("test:well")).toEqual(["1", "2", "3"])
        expect(of("test:late")).toEqual(["1", "2", "3"])
        expect(of("test:elsewhere")).toEqual(["1"])
        yield* until(Effect.map(consumer("test:poisoned"), ({ sequence }) => sequence === 3))
        const left = yield* claim(10, { kinds: ["event.consume"] })
        expect(left.map((each) => each.command.payload["group"])).toEqual(Array(3).fill("test:poisoned"))
        yield* Fiber.interrupt(running)
      })
    ))

  it("applies each event once while three routers run", () =>
    play(
      Effect.gen(function* () {
        yield* join()
        yield* commit({ writes: [insert("change", change(1, { spentUsd: 0 }))] })
        const groups: EventRouter.Groups<Stores> = () => () =>
          Effect.gen(function* () {
            const counter = yield* stored("change", changeId(1))
            const record = { ...counter.record, spentUsd: counter.record.spentUsd + 1 }
            return {
              writes: [
                {
                  _tag: "Update" as const,
                  kind: "change" as const,
                  record,
                  from: counter.record,
                  revision: counter.revision
                }
              ]
            }
          })
        const running = yield* Effect.forkChild(
          Effect.all([RouterLoop.run(groups), RouterLoop.run(groups), RouterLoop.run(groups)], {
            concurrency: "unbounded"
          })
        )
        yield* publish(1, 60)
        yield* until(Effect.map(consumer(), ({ sequence }) => sequence === 60))
        expect((yield* stored("change", changeId(1))).record.spentUsd).toBe(60)
        yield* Fiber.interrupt(running)
      })
    ))
})
