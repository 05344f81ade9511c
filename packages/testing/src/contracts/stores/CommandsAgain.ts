/** What Commands promises of a command that is sent while one of its name is there: no wake-up is lost, and none runs twice at once. */
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { Command } from "@pawl/core/model/Command"
import { Commands } from "@pawl/core/work/Commands"
import { Journal } from "@pawl/core/work/Journal"
import {
  claim,
  claimOne,
  command,
  commit,
  failure,
  ids,
  onStore,
  send,
  type StoreFixture
} from "../../tools/StoreFixtures.ts"

const sendOne = (n: number, fields: Parameters<typeof command>[1] = {}) =>
  send([command("a", { payload: { n }, ...fields })])
const commands = Commands
const steps = Effect.flatMap(Journal, (journal) => Effect.map(journal.steps("agent.wake:a"), (all) => all.size))
/** Sent with payload 1, claimed, one step done, and sent once more with payload 2. */
const sentAgain = Effect.gen(function* () {
  yield* sendOne(1, { maxAttempts: 2 })
  const leased = yield* claimOne
  yield* commit({ journal: { process: leased.lease.commandId, step: "read", result: 1 }, lease: leased.lease })
  yield* sendOne(2)
  return leased
})
const anew = { attempts: 1, maxAttempts: 2, payload: { n: 2 }, lastProblem: null } satisfies Partial<Command>

/** Declares the suite. Each of its tests has a store of its own. */
export const commandsAgain = (name: string, fixture: StoreFixture): void => {
  const promise = (title: string, body: Parameters<typeof onStore<void, unknown>>[1]) =>
    it(title, () => onStore(fixture, body))

  describe(`${name}: Commands that are sent again`, () => {
    promise(
      "stay as they are while they wait, and come due at the earlier of the two times",
      Effect.gen(function* () {
        yield* sendOne(1, { delayMs: 50 })
        yield* sendOne(2, { delayMs: 90 })
        expect(yield* claim()).toEqual([])
        yield* send([
          command("a", { payload: { n: 3 }, delayMs: 20 }),
          command("a", { payload: { n: 4 }, delayMs: 30 })
        ])
        yield* TestClock.adjust(20)
        const leased = yield* claimOne
        expect(leased.command).toMatchObject({ payload: { n: 1 }, attempts: 1, dueAt: "2030-01-01T00:00:00.020Z" })
        yield* (yield* commands).finish(leased.lease)
        yield* TestClock.adjust(1000)
        expect(yield* claim()).toEqual([])
      })
    )

    promise(
      "do not run beside the run that is going on",
      Effect.gen(function* () {
        const { lease } = yield* sentAgain
        expect(yield* claim()).toEqual([])
        yield* (yield* commands).renew(lease, 2000)
        expect(yield* steps).toBe(1)
      })
    )

    promise(
      "run anew at once when that run is finished: the new payload, all tries, an empty journal",
      Effect.gen(function* () {
        const { lease } = yield* sentAgain
        yield* TestClock.adjust(10)
        yield* (yield* commands).finish(lease)
        expect(yield* steps).toBe(0)
        const again = yield* claimOne
        expect(again.command).toMatchObject({ ...anew, createdAt: "2030-01-01T00:00:00.010Z" })
        expect((yield* failure((yield* commands).renew(lease, 10)))._tag).toBe("LeaseLost")
        yield* (yield* commands).finish(again.lease)
        expect(yield* claim()).toEqual([])
      })
    )

    promise(
      "run once more however often they were sent, with the newest payload, at the earliest of the times",
      Effect.gen(function* () {
        const { lease } = yield* sentAgain
        yield* send([command("a", { payload: { n: 3 } }), command("a", { payload: { n: 4 }, delayMs: 500 })])
        yield* (yield* commands).finish(lease)
        const again = yield* claimOne
        expect(again.command.payload).toEqual({ n: 4 })
        yield* sendOne(5, { delayMs: 300 })
        yield* sendOne(6, { delayMs: 400 })
        yield* (yield* commands).finish(again.lease)
        expect(yield* claim()).toEqual([])
        yield* TestClock.adjust(300)
        expect((yield* claimOne).command).toMatchObject({ payload: { n: 6 }, dueAt: "2030-01-01T00:00:00.300Z" })
      })
    )

    promise(
      "are remembered when the run is given back, when it failed, and when its lease ended",
      Effect.gen(function* () {
        const all = yield* commands
        yield* all.release((yield* sentAgain).lease, 10)
        yield* TestClock.adjust(10)
        expect(yield* all.fail((yield* claimOne).lease, "it broke", 10)).toBe("retried")
        yield* TestClock.adjust(10)
        const second = yield* claimOne
        expect(second.command).toMatchObject({ payload: { n: 1 }, attempts: 2 })
        expect(yield* steps).toBe(1)
        yield* all.releaseAll
        yield* TestClock.adjust(1000)
        const third = yield* claimOne
        yield* all.finish(third.lease)
        expect((yield* claimOne).command).toMatchObject(anew)
      })
    )

    promise(
      "are remembered when the lease had ended before, for its work may have read what was before",
      Effect.gen(function* () {
        yield* sendOne(1)
        yield* claimOne
        yield* TestClock.adjust(1000)
        yield* sendOne(2)
        const second = yield* claimOne
        expect(second.command).toMatchObject({ payload: { n: 1 }, attempts: 1 })
        yield* (yield* commands).finish(second.lease)
        expect((yield* claimOne).command).toMatchObject({ payload: { n: 2 }, attempts: 1 })
      })
    )

    promise(
      "are forgotten with a run that died; sent after that, they are queued beside the dead letter",
      Effect.gen(function* () {
        const all = yield* commands
        yield* sendOne(1, { maxAttempts: 1 })
        const { lease } = yield* claimOne
        yield* sendOne(2)
        expect(yield* all.fail(lease, "it broke", 0)).toBe("dead")
        expect(yield* claim()).toEqual([])
        expect(yield* all.deadLetter("agent.wake:a")).toMatchObject({ payload: { n: 1 } })
        yield* all.retry("agent.wake:a")
        const again = yield* claimOne
        expect(again.command.payload).toEqual({ n: 1 })
        expect(yield* all.fail(again.lease, "it broke", 0)).toBe("dead")
        yield* sendOne(3)
        expect((yield* claimOne).command).toMatchObject({ payload: { n: 3 }, attempts: 1 })
        expect(yield* all.deadLetter("agent.wake:a")).toMatchObject({ payload: { n: 1 } })
      })
    )

    promise(
      "wake who waits for work when they begin anew",
      Effect.gen(function* () {
        const all = yield* commands
        yield* sendOne(1)
        const { lease } = yield* claimOne
        yield* sendOne(2)
        expect(yield* claim()).toEqual([])
        const waiting = yield* Effect.forkChild(all.awaitWork(500))
        yield* all.finish(lease)
        yield* Fiber.join(waiting)
        const [again] = yield* claim()
        expect(ids([again!])).toEqual(["agent.wake:a"])
        yield* all.finish(again!.lease)
      })
    )
  })
}
