/** What Commands promises of dead letters: each is kept until a person decides, is found by page, and loses nothing. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { commandId } from "@pawl/core/model/Command"
import { releaseId } from "@pawl/core/primitives/Ids"
import { Commands, type LetterPage } from "@pawl/core/work/Commands"
import { Journal } from "@pawl/core/work/Journal"
import { Ledger } from "@pawl/core/ledger/Ledger"
import {
  claim,
  claimOne,
  command,
  commit,
  failure,
  onStore,
  projectId,
  send,
  type StoreFixture
} from "../../tools/StoreFixtures.ts"

const commands = Commands
const dies = Effect.gen(function* () {
  yield* send([command("a", { maxAttempts: 1 })])
  const { lease } = yield* claimOne
  yield* commit({ journal: { process: lease.commandId, step: "one", result: 1 }, lease })
  expect(yield* (yield* commands).fail(lease, "it broke", 0)).toBe("dead")
})
const steps = Effect.flatMap(Journal, (journal) => Effect.map(journal.steps("agent.wake:a"), (all) => all.size))

/** Declares the suite. Each of its tests has a store of its own. */
export const commandsDead = (name: string, fixture: StoreFixture): void => {
  const promise = (title: string, body: Parameters<typeof onStore<void, unknown>>[1]) =>
    it(title, () => onStore(fixture, body))

  describe(`${name}: Commands that are dead letters`, () => {
    promise(
      "shows dead letters a page at a time, in the order of their deaths, and goes on when the last one shown is gone",
      Effect.gen(function* () {
        const all = yield* commands
        const keys = ["c", "a", "e", "b", "d"]
        for (const key of keys) {
          yield* send([command(key, { maxAttempts: 1, payload: { taskId: `tsk_${key}%` } })])
          yield* all.fail((yield* claimOne).lease, "it broke", 0)
          yield* TestClock.adjust(1000)
        }
        const page = (options: LetterPage) =>
          Effect.map(all.deadLetters(projectId(), options), (letters) => letters.map(({ id }) => id.slice(-1)))
        expect(yield* page({})).toEqual(keys)
        expect(yield* page({ limit: 2 })).toEqual(["c", "a"])
        const after = yield* all.deadLetter("agent.wake:a")
        expect(yield* page({ after, limit: 2 })).toEqual(["e", "b"])
        yield* all.dismiss("agent.wake:a")
        expect(yield* page({ after, limit: 2 })).toEqual(["e", "b"])
        yield* all.retry("agent.wake:c")
        expect(yield* page({ after, limit: 2 })).toEqual(["e", "b"])
        expect(yield* page({ naming: ["tsk_b%", "wake:d"] })).toEqual(["b", "d"])
        expect(yield* page({ naming: ["tsk_bX", "tsk%", "wake_d"] })).toEqual([])
        expect(yield* page({ naming: [] })).toEqual([])
      })
    )

    promise(
      "finds dead letters by what they name, in ids as long as ours are and however many are asked for",
      Effect.gen(function* () {
        const all = yield* commands
        const [step, subject] = [commandId("lane.step", projectId()), releaseId(projectId(), 1)]
        yield* send([
          { kind: "lane.step", id: step, payload: {}, maxAttempts: 1 },
          command("a", { maxAttempts: 1, payload: { subject } }),
          command("b", { maxAttempts: 1 })
        ])
        for (const { lease } of yield* claim(5)) yield* all.fail(lease, "it broke", 0)
        const named = (...naming: ReadonlyArray<string>) =>
          Effect.map(all.deadLetters(projectId(), { naming }), (letters) => letters.map(({ id }) => id).toSorted())
        expect(yield* named(step)).toEqual([step])
        expect(yield* named(subject)).toEqual(["agent.wake:a"])
        const others = Array.from({ length: 200 }, (_, n) => commandId("lane.step", projectId(n + 2)))
        expect(yield* named(...others)).toEqual([])
        expect(yield* named(...others, subject, step)).toEqual(["agent.wake:a", step])
      })
    )

    promise(
      "tells dead letters of the directory from those of Projects, and finds the old ones of all",
      Effect.gen(function* () {
        const all = yield* commands
        const ledger = yield* Ledger
        yield* ledger.commit({ name: "test", projectId: null, commands: [command("swept", { maxAttempts: 1 })] })
        yield* all.fail((yield* claimOne).lease, "it broke", 0)
        yield* TestClock.adjust(1000)
        yield* send([command("a", { maxAttempts: 1 })])
        yield* all.fail((yield* claimOne).lease, "it broke", 0)
        expect((yield* all.deadLetters(null)).map(({ id, projectId }) => [id, projectId])).toEqual([
          ["agent.wake:swept", null]
        ])
        expect((yield* all.deadLetters(projectId())).map(({ id }) => id)).toEqual(["agent.wake:a"])
        const old = (before: string, limit: number) =>
          Effect.map(all.oldLetters(before, limit), (letters) => letters.map(({ id }) => id))
        expect(yield* old("2030-01-01T00:00:00.000Z", 10)).toEqual([])
        expect(yield* old("2030-01-01T00:00:01.000Z", 10)).toEqual(["agent.wake:swept"])
        expect(yield* old("2030-01-01T00:00:02.000Z", 10)).toEqual(["agent.wake:swept", "agent.wake:a"])
        expect(yield* old("2030-01-01T00:00:02.000Z", 1)).toEqual(["agent.wake:swept"])
      })
    )

    promise(
      "queues a dead letter again with its tries restored and its journal kept",
      Effect.gen(function* () {
        yield* dies
        yield* (yield* commands).retry("agent.wake:a")
        expect(yield* steps).toBe(1)
        expect((yield* claimOne).command).toMatchObject({ attempts: 1, maxAttempts: 1, lastProblem: "it broke" })
        expect(yield* (yield* commands).deadLetters(projectId())).toEqual([])
        expect((yield* failure((yield* commands).retry("agent.wake:a")))._tag).toBe("DeadLetterMissing")
      })
    )

    promise(
      "forgets a dismissed dead letter and its journal",
      Effect.gen(function* () {
        yield* dies
        yield* (yield* commands).dismiss("agent.wake:a")
        expect(yield* steps).toBe(0)
        expect(yield* claim()).toEqual([])
        expect((yield* failure((yield* commands).deadLetter("agent.wake:a")))._tag).toBe("DeadLetterMissing")
        expect((yield* failure((yield* commands).dismiss("agent.wake:a")))._tag).toBe("DeadLetterMissing")
      })
    )

    promise(
      "keeps the waiting command when a dead letter of its name is tried again or dismissed",
      Effect.gen(function* () {
        yield* dies
        yield* send([command("a", { payload: { n: 2 } })])
        yield* (yield* commands).retry("agent.wake:a")
        const again = yield* claimOne
        expect(again.command.payload).toEqual({ n: 2 })
        expect(yield* claim()).toEqual([])
      })
    )
  })
}
