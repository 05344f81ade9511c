import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Commands } from "@pawl/core/work/Commands"
import { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import type { Handler } from "@pawl/core/work/Processes"
import { Limits } from "@pawl/core/primitives/Limits"
import { claimed, held, letters, minute, one, play, runFor, runNext, stop, turns, working } from "./Working.ts"

const hangs: Handler<never> = () => Effect.never

describe("A worker that is stopped", () => {
  it("gives its work back before it ends: the next has it at once, and no try and no death is counted", () =>
    play(
      Effect.gen(function* () {
        yield* one("candidate.create", "a")
        yield* stop(yield* working({ "candidate.create": hangs }))
        expect(yield* claimed).toMatchObject([{ command: { attempts: 1 }, deaths: 0, outage: null }])
      })
    ))

  it("gives back all that runs, however much it is", () =>
    play(
      Effect.gen(function* () {
        for (const subject of ["a", "b", "c", "d"]) yield* one("agent.wake", subject)
        const { begun, handler } = yield* held
        yield* stop(yield* working({ "agent.wake": handler }))
        expect(begun.times).toBe(4)
        for (const _ of ["a", "b", "c", "d"])
          expect(yield* claimed).toMatchObject([{ command: { attempts: 1 }, deaths: 0 }])
      })
    ))

  it("costs long work nothing, were it 20 times", () =>
    play(
      Effect.gen(function* () {
        yield* one("candidate.create", "a")
        const { begun, end, handler } = yield* held
        for (let restarts = 0; restarts < 20; restarts++) yield* stop(yield* working({ "candidate.create": handler }))
        expect(begun.times).toBe(20)
        const last = yield* working({ "candidate.create": handler })
        yield* end
        yield* turns
        expect([yield* claimed, yield* letters]).toEqual([[], []])
        yield* stop(last)
      })
    ))

  it("leaves nothing claimed that it had not begun", () =>
    play(
      Effect.gen(function* () {
        yield* one("candidate.create", "a")
        const commands = yield* Commands
        // The claim is made, and its answer is on the way.
        const slow: Commands["Service"] = {
          ...commands,
          claim: (asked) => Effect.tap(commands.claim(asked), Effect.repeat(Effect.yieldNow, { times: 400 }))
        }
        const fiber = yield* Effect.provideService(working({ "candidate.create": hangs }), Commands, slow)
        yield* stop(fiber)
        expect(yield* claimed).toMatchObject([{ command: { attempts: 1 }, deaths: 0 }])
      })
    ))
})

describe("Work whose process dies", () => {
  it("uses up no try, and is a dead letter when it died too often: it may be the work that ends processes", () =>
    play(
      Effect.gen(function* () {
        yield* one("candidate.create", "a")
        const commands = yield* Commands
        for (let deaths = 0; deaths <= Limits.commandDeaths; deaths++) {
          expect(yield* claimed).toMatchObject([{ command: { attempts: 1 }, deaths }])
          yield* commands.releaseAll
        }
        const dead: Array<string> = []
        const handler = Object.assign(hangs, {
          onDead: (_: unknown, problem: string) => Effect.sync(() => void dead.push(problem))
        })
        yield* runNext({ "candidate.create": handler })
        const problem = `the process died ${Limits.commandDeaths + 1} times while it ran`
        expect(dead).toEqual([problem])
        expect(yield* letters).toMatchObject([{ lastProblem: problem, attempts: 1 }])
      })
    ))

  it("is not what work that was waiting for its turn is taken for", () =>
    play(
      Effect.gen(function* () {
        yield* one("candidate.create", "a")
        yield* (yield* Commands).releaseAll
        expect(yield* claimed).toMatchObject([{ command: { attempts: 1 }, deaths: 0 }])
      })
    ))
})

describe("Work that fails", () => {
  it("uses up its tries when it interrupts itself: nobody stopped the worker", () =>
    play(
      Effect.gen(function* () {
        yield* one("candidate.create", "a")
        const fiber = yield* working({ "candidate.create": () => Effect.interrupt })
        for (let n = 1; n < Limits.commandAttempts; n++) yield* TestClock.adjust("10 seconds")
        expect(yield* letters).toMatchObject([{ attempts: Limits.commandAttempts }])
        yield* stop(fiber)
      })
    ))

  it("is tried again after the pauses of its kind, when it has any of its own", () =>
    play(
      Effect.gen(function* () {
        yield* one("candidate.create", "a")
        let tries = 0
        const fails: Handler<never> = () => Effect.suspend(() => Effect.fail(`try ${++tries}`))
        const handlers = { "candidate.create": Object.assign(fails, { pauseMs: (n: number) => n * 60 * minute }) }
        const seen: Array<number> = []
        for (const minutes of [1, 59, 1, 119, 1]) {
          yield* runFor(handlers, minutes * minute, minute)
          seen.push(tries)
        }
        expect(seen).toEqual([1, 1, 2, 2, 3])
      })
    ))
})

describe("A lease", () => {
  const renewing = (isAway: () => boolean) =>
    Effect.map(Commands, (commands): Commands["Service"] => ({
      ...commands,
      renew: (lease, leaseMs) =>
        Effect.suspend(() =>
          isAway()
            ? Effect.fail(new LedgerUnavailable({ operation: "renew", reason: "away" }))
            : commands.renew(lease, leaseMs)
        )
    }))

  it("that could not be renewed for a while ends nothing as long as it has time left", () =>
    play(
      Effect.gen(function* () {
        yield* one("candidate.create", "a")
        let away = false
        let ended = 0
        const long: Handler<never> = () =>
          Effect.andThen(
            Effect.sleep("3 minutes"),
            Effect.sync(() => void ended++)
          )
        const commands = yield* renewing(() => away)
        const fiber = yield* Effect.provideService(working({ "candidate.create": long }), Commands, commands)
        for (let n = 0; n < 6; n++) {
          away = true
          yield* TestClock.adjust("15 seconds")
          away = false
          yield* TestClock.adjust("15 seconds")
        }
        yield* turns
        expect([ended, yield* claimed]).toEqual([1, []])
        yield* stop(fiber)
      })
    ))

  it("ends its work with itself: whoever claims it next must not work beside", () =>
    play(
      Effect.gen(function* () {
        yield* one("candidate.create", "a")
        let stopped = 0
        const long: Handler<never> = () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => void stopped++))
        const commands = yield* renewing(() => true)
        const fiber = yield* Effect.provideService(working({ "candidate.create": long }), Commands, commands)
        for (let n = 0; n < 29; n++) yield* TestClock.adjust("1 seconds")
        expect(stopped).toBe(0)
        yield* TestClock.adjust("1 seconds")
        expect(stopped).toBe(1)
        yield* Fiber.interrupt(fiber)
      })
    ))
})
