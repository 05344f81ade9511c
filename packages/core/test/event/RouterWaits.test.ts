/** What a router does while its groups wait for something. */
import * as SetClock from "@pawl/testing/tools/SetClock"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { consumerKey } from "@pawl/core/model/Consumer"
import { type Decide, NotYet } from "@pawl/core/event/Consumption"
import * as EventRouter from "@pawl/core/event/EventRouter"
import * as RouterLoop from "@pawl/core/event/RouterLoop"
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import { Limits } from "@pawl/core/primitives/Limits"
import { commit, event, onStore, projectId, stored, type Stores, time } from "@pawl/testing/tools/StoreFixtures"

const group = "test:one"
const play = (body: Effect.Effect<void, unknown, Stores>) => onStore({ layer: MemoryLedger.layerMemory }, body)

const join = commit({
  projectId: projectId(),
  writes: [EventRouter.newGroup(projectId(), group, 0, time)]
})
const publish = (from: number, to: number) =>
  Effect.forEach(
    Array.from({ length: to - from + 1 }, (_, index) => from + index),
    (n) => commit({ projectId: projectId(), events: [event({ n })] }),
    { discard: true }
  )
const place = Effect.map(stored("consumer", consumerKey(projectId(), group)), ({ record }) => record.sequence)

/** Holds a group up at event 2 for minutes, or until it is told that this is over. */
const heldUp = () => {
  const state = { over: false, asked: 0, applied: Array<unknown>() }
  const decide: Decide<never> = (each) =>
    Effect.gen(function* () {
      // A router that spins is stopped, so that it fails the test instead of hanging it.
      if (++state.asked > 1000) return yield* Effect.never
      if (each.data["n"] === 2 && !state.over) return new NotYet(null)
      state.applied.push(each.data["n"])
      return null
    })
  return { decide, state }
}
/** Lets all that does not wait for the clock happen. */
const stillness = TestClock.adjust(0)

describe("A router whose groups all wait", () => {
  it("hears of new events without a look at the clock", () =>
    play(
      Effect.gen(function* () {
        yield* join
        yield* publish(1, 2)
        const { decide, state } = heldUp()
        const running = yield* Effect.forkChild(RouterLoop.run(() => decide))
        yield* stillness
        expect(yield* place).toBe(1)
        // Whoever ends the wait goes on with the group to its end. The router is not told of that.
        state.over = true
        expect(yield* EventRouter.apply(group, projectId(), decide)).toEqual({ _tag: "CaughtUp", sequence: 2 })
        yield* publish(3, 3)
        yield* stillness
        expect(yield* place).toBe(3)
        yield* publish(4, 5)
        yield* stillness
        expect(yield* place).toBe(5)
        expect(state.applied).toEqual([1, 2, 3, 4, 5])
        yield* Fiber.interrupt(running)
      })
    ))

  it("looks as soon where the clock was set back meanwhile", () =>
    play(
      Effect.gen(function* () {
        yield* join
        yield* publish(1, 3)
        const { decide, state } = heldUp()
        const { clock, set } = yield* SetClock.make
        const running = yield* Effect.forkChild(
          Effect.provideService(
            RouterLoop.run(() => decide),
            Clock.Clock,
            clock
          )
        )
        yield* stillness
        yield* set(-3_600_000)
        state.over = true
        yield* TestClock.adjust(Limits.routerLookMs)
        yield* TestClock.adjust(Limits.routerLookMs)
        expect(yield* place).toBe(3)
        yield* Fiber.interrupt(running)
      })
    ))

  it("sees with its next look that a wait is over when nobody says so", () =>
    play(
      Effect.gen(function* () {
        yield* join
        yield* publish(1, 3)
        const { decide, state } = heldUp()
        const running = yield* Effect.forkChild(RouterLoop.run(() => decide))
        yield* stillness
        state.over = true
        yield* TestClock.adjust(Limits.routerLookMs)
        expect(yield* place).toBe(3)
        yield* Fiber.interrupt(running)
      })
    ))

  it("rests between two looks, however much lies behind the event that a group waits at", () =>
    play(
      Effect.gen(function* () {
        yield* join
        yield* publish(1, 2 * Limits.eventsPageSize + 50)
        const { decide, state } = heldUp()
        const running = yield* Effect.forkChild(RouterLoop.run(() => decide))
        yield* stillness
        const { asked } = state
        yield* TestClock.adjust(Limits.routerLookMs - 1)
        expect(state.asked).toBe(asked)
        state.over = true
        yield* TestClock.adjust(1)
        expect(yield* place).toBe(2 * Limits.eventsPageSize + 50)
        yield* Fiber.interrupt(running)
      })
    ))
})
