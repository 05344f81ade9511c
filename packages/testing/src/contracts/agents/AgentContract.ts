/** What every Agent promises: each end of a run in its own shape, told again when its answer was lost, within its money. */
import { Effect, type Layer } from "effect"
import { describe, expect, it } from "vitest"
import { TurnStopped } from "@pawl/core/agent/TurnFailures"
import { Agent, type AgentJob, type AgentOutcome } from "@pawl/core/task/Agent"
import { changeOf, plannedTask, runOf, taskOf } from "./WorkFixtures.ts"

/** How an adapter's test makes an agent for this contract. */
export interface AgentFixture {
  /** An agent whose model brings every run to this end. */
  readonly layer: (end: AgentOutcome["_tag"]) => Layer.Layer<never, unknown>
  /** The source that jobs name; none when the agent looks at no files. */
  readonly source?: AgentJob["source"]
}

const ends = ["Published", "Answered", "Retry", "Escalate", "Failed", "Stopped"] as const

/** Declares the suite; `name` names the adapter in its title. */
export const agentContract = (name: string, fixture: AgentFixture): void => {
  const job: AgentJob = {
    change: changeOf(),
    task: taskOf(),
    run: runOf(),
    planned: plannedTask,
    source: fixture.source ?? { repository: "proj_a" as never, commit: "a".repeat(40), tree: "b".repeat(40) },
    findings: [],
    remainingUsd: 1,
    turn: () => Effect.fail(new TurnStopped({ by: "model", reason: "no model is set up" })),
    remember: (_name, _schema, work) => work
  }
  const work = (end: AgentOutcome["_tag"], times: number) =>
    Effect.flatMap(Agent, (agent) => Effect.all(Array.from({ length: times }, () => agent.work(job)))).pipe(
      Effect.provide(fixture.layer(end)),
      Effect.runPromise
    )

  describe(`${name}: Agent`, () => {
    it.each(ends)("ends a run as %s, and says so", async (end) => {
      const [outcome] = await work(end, 1)
      expect(outcome?._tag).toBe(end)
    })

    it("tells what a run used, and no more than was left", async () => {
      for (const end of ends) {
        const [outcome] = await work(end, 1)
        expect(Number.isInteger(outcome?.usage.modelCalls)).toBe(true)
        expect(outcome?.usage.modelCalls).toBeGreaterThanOrEqual(0)
        expect(outcome?.usage.costUsd).toBeGreaterThanOrEqual(0)
        expect(outcome?.usage.costUsd).toBeLessThanOrEqual(job.remainingUsd)
      }
    })

    it("can be asked again for the same run, for its answer may be lost", async () => {
      const [first, again] = await work("Published", 2)
      expect(again).toEqual(first)
    })
  })
}
