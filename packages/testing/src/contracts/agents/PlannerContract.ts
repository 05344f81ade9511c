/** What every Planner promises: Tasks that make a Work Graph, the same for the same Change, or a typed reason for none. */
import { Effect, type Layer, Result } from "effect"
import { describe, expect, it } from "vitest"
import { TurnStopped } from "@pawl/core/agent/TurnFailures"
import type { Turns } from "@pawl/core/agent/Turns"
import { Planner, type PlanBase } from "@pawl/core/change/Planner"
import { read } from "@pawl/core/change/WorkGraph"
import { changeOf, plannedTask } from "./WorkFixtures.ts"

/** How an adapter's test makes a planner for this contract. */
export interface PlannerFixture {
  /** A planner whose model proposes these Tasks for every Change. */
  readonly layer: (tasks: unknown) => Layer.Layer<never, unknown>
  /** The source that plans start from; none when the planner looks at no files. */
  readonly base?: PlanBase
}

/** Declares the suite; `name` names the adapter in its title. */
export const plannerContract = (name: string, fixture: PlannerFixture): void => {
  const base: PlanBase = fixture.base ?? {
    repository: "proj_a" as never,
    generation: 0,
    commit: "a".repeat(40),
    tree: "b".repeat(40)
  }
  const turns: Turns = {
    turn: () => Effect.fail(new TurnStopped({ by: "model", reason: "no model is set up" })),
    remember: (_name, _schema, work) => work
  }
  const tasks = [plannedTask, { ...plannedTask, key: "test", kind: "test", dependsOn: [plannedTask.key] }]
  const plan = (times: number) =>
    Effect.flatMap(Planner, ({ available, plan: propose }) =>
      Effect.map(Effect.all(Array.from({ length: times }, () => propose(changeOf(), base, turns))), (proposed) => ({
        available,
        proposed
      }))
    ).pipe(Effect.provide(fixture.layer(tasks)), Effect.runPromise)

  describe(`${name}: Planner`, () => {
    it("says that it plans, and proposes Tasks that make a Work Graph", async () => {
      const { available, proposed } = await plan(1)
      expect(available).toBe(true)
      const graph = read(changeOf().id, base.generation, proposed[0])
      expect(Result.isSuccess(graph) && graph.success.tasks.map(({ key }) => key)).toEqual(["hello", "test"])
    })

    it("can be asked again for the same Change, for its answer may be lost", async () => {
      const { proposed } = await plan(2)
      expect(proposed[1]).toEqual(proposed[0])
    })
  })
}
