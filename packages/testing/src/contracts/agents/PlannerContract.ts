/**
 * What every Planner promises: Tasks that make a Work Graph, the same for the same Change, or a typed reason for none;
 * and, where it asks models by its turns, that what stops these stops it.
 */
import { Effect, Fiber, type Layer, Result } from "effect"
import { describe, expect, it } from "vitest"
import { ModelUnavailable } from "@pawl/core/agent/ModelFailures"
import { TurnFailed, type TurnFailure, TurnStopped } from "@pawl/core/agent/TurnFailures"
import type { Turns } from "@pawl/core/agent/Turns"
import { Planner, type PlanBase } from "@pawl/core/change/Planner"
import { read } from "@pawl/core/change/WorkGraph"
import { changeOf, plannedTask } from "./WorkFixtures.ts"

/** How an adapter's test makes a planner for this contract. */
export interface PlannerFixture {
  /** A planner whose model proposes these Tasks for every Change. */
  readonly layer: (tasks: unknown) => Layer.Layer<never, unknown>
  /** The source that plans start from; none when the planner looks at no files. */
  readonly base?: () => Promise<PlanBase>
  /** The `turn` of a model that proposes these Tasks; none when the planner asks no model by its turns. */
  readonly turn?: (tasks: unknown) => Turns["turn"]
}

const nowhere: PlanBase = { repository: "proj_a" as never, generation: 0, commit: "a".repeat(40), tree: "b".repeat(40) }

const stopped = new TurnStopped({ by: "budget", reason: "budget_exhausted: the budget is spent" })
const failed = new TurnFailed({ reason: "it was asked 4 times" })
const away = new ModelUnavailable({ kind: "rate", status: 429, retryAfterMs: null, charged: "no", reason: "too many" })

const turnsOf = (turn: Turns["turn"]): Turns => ({
  turn,
  remember: (_name, _schema, work) => work,
  isAnswered: () => Effect.succeed(false)
})
const failing =
  (failure: TurnFailure): Turns["turn"] =>
  () =>
    Effect.fail(failure)

/** Declares the suite; `name` names the adapter in its title. */
export const plannerContract = (name: string, fixture: PlannerFixture): void => {
  const good = [plannedTask, { ...plannedTask, key: "test", kind: "test", dependsOn: [plannedTask.key] }]
  const proposing = async (tasks: unknown, turn = fixture.turn?.(tasks) ?? failing(stopped)) => {
    const base = (await fixture.base?.()) ?? nowhere
    return Effect.flatMap(Planner, ({ plan }) => plan(changeOf(), base, turnsOf(turn))).pipe(
      Effect.provide(fixture.layer(tasks))
    )
  }
  const keysOf = (proposed: unknown) => {
    const graph = read(changeOf().id, 0, proposed)
    return Result.isSuccess(graph) ? graph.success.tasks.map(({ key }) => key) : graph.failure
  }

  describe(`${name}: Planner`, () => {
    it("says that it plans", async () => {
      const available = Effect.map(Planner, (planner) => planner.available)
      expect(await Effect.runPromise(Effect.provide(available, fixture.layer(good)))).toBe(true)
    })

    it("proposes Tasks that make a Work Graph", async () => {
      expect(keysOf(await Effect.runPromise(await proposing(good)))).toEqual(["hello", "test"])
    })

    it("can be asked again for the same Change, for its answer may be lost", async () => {
      const plan = await proposing(good)
      const [first, again] = await Effect.runPromise(Effect.all([plan, plan]))
      expect(again).toEqual(first)
    })

    it("ends when it is interrupted, and plans the Change when it is asked again", async () => {
      const plan = await proposing(good)
      await Effect.runPromise(
        Effect.flatMap(Effect.forkChild(plan), (fiber) => Effect.andThen(Effect.yieldNow, Fiber.interrupt(fiber)))
      )
      expect(keysOf(await Effect.runPromise(plan))).toEqual(["hello", "test"])
    })

    it("never makes a Work Graph of Tasks that wait for each other: it proposes them as they are, or says why not", async () => {
      const circle = good.map((task, at) => ({ ...task, dependsOn: [good[1 - at]?.key] }))
      const result = await Effect.runPromise(Effect.result(await proposing(circle)))
      if (Result.isSuccess(result)) return expect(keysOf(result.success)).toMatchObject([{ code: expect.any(String) }])
      expect(result.failure).toMatchObject({
        _tag: "PlannerFailed",
        message: expect.stringMatching(/wait for each other: hello, test/)
      })
    })

    if (fixture.turn === undefined) return
    it.each([
      ["stops where the money or the model stops", stopped],
      ["comes to nothing with a turn that comes to nothing", failed],
      ["waits with a model that is away", away]
    ] as const)("%s: it fails as the turn does, and the Change is planned when that is over", async (_, failure) => {
      expect(await Effect.runPromise(Effect.flip(await proposing(good, failing(failure))))).toBe(failure)
      expect(keysOf(await Effect.runPromise(await proposing(good)))).toEqual(["hello", "test"])
    })
  })
}
