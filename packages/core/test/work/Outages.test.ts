import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { AgentUnavailable } from "@pawl/core/task/Agent"
import { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { askedMs, isOutage, pauseMs } from "@pawl/core/work/Outages"
import type { Handler } from "@pawl/core/work/Processes"
import { ObjectStoreUnavailable } from "@pawl/core/objects/ObjectStore"
import { Limits } from "@pawl/core/primitives/Limits"
import { nowMillis } from "@pawl/core/primitives/Time"
import { claimed, letters, minute, one, play, runFor, stop, turns, working } from "./Working.ts"

const away = new ObjectStoreUnavailable({ operation: "get", key: "k", reason: "away" })

/** A body that needs machinery which is away until a moment, and is broken itself so often after that. */
const needing = (untilMs: number, faults = 0) => {
  const seen = { tries: [] as Array<number>, done: 0, faults }
  const handler: Handler<never> = () =>
    Effect.flatMap(nowMillis, (now): Effect.Effect<void, unknown> => {
      seen.tries.push(now)
      if (now < untilMs) return Effect.fail(away)
      if (seen.faults-- > 0) return Effect.fail("broken")
      return Effect.sync(() => void seen.done++)
    })
  return { seen, handler }
}
const began = Date.UTC(2030, 0, 1)

describe("An outage", () => {
  it("of an hour makes work wait, with growing pauses of at most 5 minutes, and takes none of its tries", () =>
    play(
      Effect.gen(function* () {
        yield* one("candidate.create", "a")
        const { handler, seen } = needing(began + 3_600_000, Limits.commandAttempts - 1)
        const handlers = { "candidate.create": handler }
        // To the second while the pauses grow, and then from one to the next.
        yield* runFor(handlers, 511_000, 1000)
        yield* runFor(handlers, 75 * minute, Limits.commandBackoffMaxMs)
        const tries = seen.tries.filter((at) => at < began + 3_600_000)
        const pauses = tries.map((at, n) => at - (tries[n - 1] ?? began))
        expect(pauses.slice(0, 10)).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 128, 256].map((s) => s * 1000))
        expect(pauses.slice(10).every((pause) => pause === Limits.commandBackoffMaxMs)).toBe(true)
        // All of its tries were left for its own faults.
        expect([seen.done, yield* letters, yield* claimed]).toEqual([1, [], []])
      })
    ))

  it("that is over begins its pauses anew when the next comes", () => {
    expect(pauseMs(null, began)).toBe(1000)
    expect(pauseMs({ sinceMs: began, waits: 3 }, began)).toBe(8000)
    expect(pauseMs({ sinceMs: began, waits: 300 }, began)).toBe(Limits.commandBackoffMaxMs)
  })

  it("of more than a day is for a person to see: a dead letter, and what it stood for is told", () =>
    play(
      Effect.gen(function* () {
        yield* one("candidate.create", "a")
        const { handler, seen } = needing(Number.POSITIVE_INFINITY)
        const dead: Array<string> = []
        const onDead = (_: unknown, problem: string) => Effect.sync(() => void dead.push(problem))
        const handlers = { "candidate.create": Object.assign(handler, { onDead }) }
        yield* runFor(handlers, 24 * 60 * minute - minute, minute)
        expect(yield* letters).toEqual([])
        yield* runFor(handlers, 20 * minute, minute)
        expect(yield* letters).toMatchObject([{ attempts: 1, lastProblem: expect.stringContaining("ObjectStore") }])
        expect(dead.length).toBe(1)
        expect(seen.done).toBe(0)
      })
    ))

  it("is told from a fault of the work, and from what was never set up", () => {
    expect([away, new LedgerUnavailable({ operation: "commit", reason: "away" })].map(isOutage)).toEqual([true, true])
    expect(isOutage(new AgentUnavailable({ reason: "model away" }))).toBe(true)
    expect(isOutage(new AgentUnavailable({ reason: "not set up", lasting: true }))).toBe(false)
    for (const fault of ["broken", null, undefined, new Error("broken"), { _tag: "BuildRefused" }, { _tag: 7 }])
      expect(isOutage(fault)).toBe(false)
  })

  it("that is met as a defect is one too", () =>
    play(
      Effect.gen(function* () {
        yield* one("candidate.create", "a")
        let tries = 0
        const fiber = yield* working({
          "candidate.create": () => Effect.suspend(() => (++tries < 6 ? Effect.die(away) : Effect.void))
        })
        for (let n = 0; n < 40; n++) yield* TestClock.adjust("1 seconds")
        yield* turns
        expect([tries, yield* letters, yield* claimed]).toEqual([6, [], []])
        yield* stop(fiber)
      })
    ))
})

describe("What is away and says for how long", () => {
  it("is left alone for that time at least, for an hour at most", () => {
    expect([undefined, null, "7", Number.NaN, -1, 7000, 1e12].map((retryAfterMs) => askedMs({ retryAfterMs }))).toEqual(
      [0, 0, 0, 0, 0, 7000, 3_600_000]
    )
    expect([askedMs(away), askedMs(null), askedMs("away")]).toEqual([0, 0, 0])
    expect(pauseMs(null, began, 7000)).toBe(7000)
    expect(pauseMs(null, began, 10)).toBe(Limits.commandBackoffMs)
    expect(pauseMs({ sinceMs: began, waits: 20 }, began + Limits.outageMaxMs, 7000)).toBe(null)
  })
})
