import { Context, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import * as MemoryModels from "@pawl/adapters-memory/MemoryModels"
import * as MemorySecrets from "@pawl/adapters-memory/MemorySecrets"
import { ModelRefused } from "@pawl/core/agent/ModelFailures"
import type { Answer } from "@pawl/core/agent/Models"
import type { TurnAsk, Turns } from "@pawl/core/agent/Turns"
import * as ModelPlanner from "@pawl/core/change/ModelPlanner"
import { Planner } from "@pawl/core/change/Planner"
import { changeOf } from "@pawl/testing/contracts/agents/WorkFixtures"
import { call, newSource, says } from "../kit/AgentWorld.ts"
import { run } from "../kit/MemoryPawl.ts"
import { planned } from "../kit/WorkWorld.ts"

/** What the model says to the `n`th call of a planner. */
type Model = (ask: TurnAsk, n: number) => Answer | ModelRefused

const model = { name: "m", contextTokens: 1, prices: { input: 0, cached: 0, output: 0 } }
const models = MemoryModels.layer(model, () => Effect.die(new Error("turns ask it")))
const proposes = (tasks: unknown) => says(call("propose_plan", { tasks }))
const files = {
  "AGENTS.md": "Use tabs.",
  "package.json": '{"scripts":{"test":"run"}}',
  "src/a.ts": "export const a = 1\n"
}

/** What a planner answers in a Project of these files, and what its model was asked. */
const planning = (said: Model, others: ReadonlyArray<string> = []) =>
  run(
    Effect.gen(function* () {
      const { commit, projectId, tree } = yield* newSource(files)
      const asked: Array<TurnAsk> = []
      const turns: Turns = {
        turn: (n, ask) =>
          Effect.suspend(() => {
            asked.push(ask)
            const answer = said(ask, n)
            return "_tag" in answer ? answer : Effect.succeed(answer)
          }),
        remember: (_, __, work) => work,
        isAnswered: () => Effect.succeed(false)
      }
      const base = { repository: { project: projectId }, generation: 0, commit, tree }
      const surroundings = { othersOf: () => Effect.succeed(others), packages: [] }
      const context = yield* Layer.build(ModelPlanner.layer(surroundings).pipe(Layer.provide(models)))
      const result = yield* Effect.result(Context.get(context, Planner).plan(changeOf(), base, turns))
      return { asked, result }
    }).pipe(Effect.scoped, Effect.provide(MemorySecrets.layerMemory))
  )

const textsOf = ({ parts }: TurnAsk) => parts.map((part) => ("text" in part ? part.text : "")).join("\n")

describe("The planner that asks a model", () => {
  it("shows the goal, the rules, the checks, the files with what they export, and the work of others", async () => {
    const { asked, result } = await planning(() => proposes([planned("a")]), ["a Task writes src/a.ts"])
    expect(result).toMatchObject({ _tag: "Success", success: [{ key: "a", reads: [] }] })
    const [ask] = asked
    for (const words of [
      changeOf().goal,
      "Use tabs.",
      "test: ",
      "src/a.ts 19 exports a",
      "export const a = 1",
      "a Task writes"
    ])
      expect(textsOf(ask!)).toContain(words)
    expect(ask).toMatchObject({ mustCall: "propose_plan", tools: [{ name: "propose_plan" }] })
    expect(ask!.system).not.toContain("Use tabs.")
  })

  it("sends mistakes back, and takes the plan that was mended", async () => {
    const { asked, result } = await planning((_, n) => proposes(n === 1 ? [planned("A!")] : [planned("a")]))
    expect(result).toMatchObject({ _tag: "Success" })
    expect(textsOf(asked[1]!)).toContain(`"A!": use 1 to 40 of a-z, 0-9 and hyphens`)
  })

  it("fails with all mistakes of all its plans when they came back twice", async () => {
    const { asked, result } = await planning((_, n) =>
      proposes(n === 2 ? [planned("a", ["nobody"])] : [planned("A!"), planned("b", ["ghost"])])
    )
    expect(asked.length).toBe(3)
    const reason = expect.stringMatching(/3 plans that cannot be used.*"A!".*ghost.*then: .*nobody/)
    expect(result).toMatchObject({ _tag: "Failure", failure: { _tag: "PlannerFailed", reason } })
  })

  it("leaves the contents of files out where the model has no room for them", async () => {
    const tooLong = new ModelRefused({ kind: "too_long", status: 413, reason: "too long" })
    const { asked, result } = await planning((ask) =>
      textsOf(ask).includes("export const a = 1") ? tooLong : proposes([planned("a")])
    )
    expect(result).toMatchObject({ _tag: "Success" })
    expect(asked.map((ask) => textsOf(ask).includes("src/a.ts 19"))).toEqual([true, true])
  })

  it.each([
    [
      "the call cannot be asked",
      new ModelRefused({ kind: "request", status: 400, reason: "no tools here" }),
      "no tools"
    ],
    ["the model would not plan it", { ...says(), stop: "refused", text: "not this" } as const, "not this"]
  ])("fails at once where %s", async (_, answer, words) => {
    const { asked, result } = await planning(() => answer)
    expect(asked.length).toBe(1)
    const reason = expect.stringContaining(words)
    expect(result).toMatchObject({ _tag: "Failure", failure: { _tag: "PlannerFailed", reason } })
  })
})
