/**
 * What every Agent promises: each end of a run in its own shape, told again when its answer was lost, within its money;
 * and, where it asks models by its job's turns, that what stops these stops it.
 */
import { Effect, Fiber, type Layer } from "effect"
import { describe, expect, it } from "vitest"
import { ModelUnavailable } from "@pawl/core/agent/ModelFailures"
import { TurnFailed, TurnStopped } from "@pawl/core/agent/TurnFailures"
import { Limits } from "@pawl/core/primitives/Limits"
import { pathProblem } from "@pawl/core/project/Paths"
import { Agent, type AgentJob, type AgentOutcome, nothingUsed } from "@pawl/core/task/Agent"
import { changeOf, plannedTask, runOf, taskOf } from "./WorkFixtures.ts"

/** How an adapter's test makes an agent for this contract. */
export interface AgentFixture {
  /** An agent whose model brings every run to this end. */
  readonly layer: (end: AgentOutcome["_tag"]) => Layer.Layer<never, unknown>
  /**
   * What its jobs need beside what the contract gives: a source, the Project that it is of, turns of the model that
   * brings a run to this end. None when the agent looks at nothing.
   */
  readonly job?: (end: AgentOutcome["_tag"]) => Promise<Partial<AgentJob>>
  /** Whether it asks models by its job's turns. */
  readonly asksByTurns?: boolean
}

const ends = ["Published", "Answered", "Retry", "Escalate", "Failed", "Stopped"] as const

const stopped = new TurnStopped({ by: "budget", reason: "budget_exhausted: the budget is spent" })
const failed = new TurnFailed({ reason: "it was asked 4 times" })
const away = new ModelUnavailable({ kind: "rate", status: 429, retryAfterMs: null, charged: "no", reason: "too many" })

/** A Task that may write, but for the end that only those have which may not. */
const jobOf = (end: AgentOutcome["_tag"]): AgentJob => {
  const kind = end === "Answered" ? "research" : plannedTask.kind
  return {
    change: changeOf(),
    task: { ...taskOf(), kind },
    run: runOf(),
    planned: { ...plannedTask, kind },
    source: { repository: { project: "proj_a" }, commit: "a".repeat(40), tree: "b".repeat(40) },
    findings: [],
    overlaps: [],
    claim: () => Effect.void,
    remainingUsd: 1,
    turn: () => Effect.fail(stopped),
    remember: (_name, _schema, work) => work,
    isAnswered: () => Effect.succeed(false)
  }
}

/** Declares the suite; `name` names the adapter in its title. */
export const agentContract = (name: string, fixture: AgentFixture): void => {
  const worked = async (end: AgentOutcome["_tag"], more: Partial<AgentJob> = {}) => {
    const job = { ...jobOf(end), ...(await fixture.job?.(end)), ...more }
    const work = Effect.flatMap(Agent, (agent) => agent.work(job)).pipe(
      // As dispatch takes it.
      Effect.catchTags({
        TurnStopped: ({ by, reason }) =>
          Effect.succeed<AgentOutcome>({ _tag: "Stopped", by, reason, usage: nothingUsed }),
        TurnFailed: ({ reason }) => Effect.succeed<AgentOutcome>({ _tag: "Retry", reason, usage: nothingUsed })
      }),
      Effect.provide(fixture.layer(end))
    )
    return { job, work }
  }
  const outcomeOf = async (end: AgentOutcome["_tag"], more?: Partial<AgentJob>) =>
    Effect.runPromise((await worked(end, more)).work)

  describe(`${name}: Agent`, () => {
    it.each(ends)("ends a run as %s, and says so", async (end) => {
      expect((await outcomeOf(end))._tag).toBe(end)
    })

    it("tells what a run used beside its turns, and no more than was left", async () => {
      for (const end of ends) {
        const { usage } = await outcomeOf(end)
        expect(Number.isInteger(usage.modelCalls)).toBe(true)
        expect(usage.modelCalls).toBeGreaterThanOrEqual(0)
        expect(usage.costUsd).toBeGreaterThanOrEqual(0)
        expect(usage.costUsd).toBeLessThanOrEqual(jobOf(end).remainingUsd)
      }
    })

    it("can be asked again for the same run, for its answer may be lost", async () => {
      const { work } = await worked("Published")
      const [first, again] = await Effect.runPromise(Effect.all([work, work]))
      expect(again).toEqual(first)
    })

    it("publishes edits of paths that can stand in a tree, and as many as a ChangeSet may have", async () => {
      const outcome = await outcomeOf("Published")
      const paths = outcome._tag === "Published" ? Object.keys(outcome.edits) : []
      expect(paths.length).toBeLessThanOrEqual(Limits.changeSetFiles)
      expect(paths.filter((path) => pathProblem(path) !== undefined)).toEqual([])
    })

    it("says in words why a run did not complete", async () => {
      for (const end of ["Retry", "Escalate", "Failed", "Stopped"] as const) {
        const outcome = await outcomeOf(end)
        const reason = "reason" in outcome ? outcome.reason : ""
        expect(reason).not.toBe("")
        expect(reason.length).toBeLessThanOrEqual(Limits.problemLength)
      }
    })

    it("ends when it is interrupted, and works the run when it is asked again", async () => {
      const { work } = await worked("Published")
      await Effect.runPromise(
        Effect.flatMap(Effect.forkChild(work), (fiber) => Effect.andThen(Effect.yieldNow, Fiber.interrupt(fiber)))
      )
      expect((await Effect.runPromise(work))._tag).toBe("Published")
    })

    if (fixture.asksByTurns !== true) return
    describe("whose turns end", () => {
      it("stops where the money or the model stops", async () => {
        expect(await outcomeOf("Published", { turn: () => Effect.fail(stopped) })).toMatchObject({
          _tag: "Stopped",
          reason: stopped.reason
        })
      })

      it("comes to nothing with a turn that comes to nothing", async () => {
        expect((await outcomeOf("Published", { turn: () => Effect.fail(failed) }))._tag).toBe("Retry")
      })

      it("waits with a model that is away: it fails as the turn does, and has no outcome", async () => {
        const { work } = await worked("Published", { turn: () => Effect.fail(away) })
        expect(await Effect.runPromise(Effect.flip(work))).toBe(away)
      })
    })
  })
}
