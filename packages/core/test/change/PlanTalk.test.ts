import { describe, expect, it } from "vitest"
import type { Answer, ToolCall } from "@pawl/core/agent/Models"
import { identityRule } from "@pawl/core/agent/SourceWords"
import { heard, plannerWords, proposeTool } from "@pawl/core/change/PlanTalk"

const changeId = "chg_00000000-0000-4000-8000-000000000001" as const
const task = { key: "page", title: "A page", kind: "implement", complexity: "small", instructions: "Write it." }

const call = (input: unknown, more: Partial<ToolCall> = {}): ToolCall => ({
  id: "call_0",
  name: proposeTool.name,
  input,
  raw: JSON.stringify(input),
  ...more
})
const answer = (calls: ReadonlyArray<ToolCall>, more: Partial<Answer> = {}): Answer => ({
  text: "",
  calls,
  stop: calls.length === 0 ? "end" : "tools",
  usage: { input: 1, cacheRead: 0, cacheWrite: 0, output: 1, known: true },
  requestId: null,
  ...more
})

describe("What a planner hears", () => {
  it("is a plan, with the lists that were left out as empty ones", () =>
    expect(heard(changeId, answer([call({ tasks: [task] })]))).toEqual({
      _tag: "Plan",
      tasks: [{ ...task, dependsOn: [], reads: [], writes: [] }]
    }))

  it("is in an order where two Tasks write the same file", () => {
    const tasks = [
      { ...task, key: "a", writes: ["x.ts"] },
      { ...task, key: "b", writes: ["x.ts"] }
    ]
    const plan = heard(changeId, answer([call({ tasks })]))
    expect(plan._tag === "Plan" && plan.tasks.map(({ dependsOn }) => dependsOn)).toEqual([[], ["a"]])
  })

  it.each([
    ["a shape that is none", { tasks: [{ ...task, kind: "dance" }] }, "kind"],
    ["no list of Tasks", {}, "Expected an array"],
    ["no Task", { tasks: [] }, "0 Tasks; use 1 to 12"],
    ["too many", { tasks: Array.from({ length: 13 }, (_, at) => ({ ...task, key: `t${at}` })) }, "13 Tasks"],
    [
      "a circle",
      {
        tasks: [
          { ...task, key: "a", dependsOn: ["b"] },
          { ...task, key: "b", dependsOn: ["a"] }
        ]
      },
      "these wait for each other: a, b"
    ],
    ["a Task that is none", { tasks: [{ ...task, dependsOn: ["ghost"] }] }, "ghost"],
    ["a key of people", { tasks: [{ ...task, key: "edit-1" }] }, "people's edits"],
    ["a key of repairs", { tasks: [{ ...task, key: "repair-1" }] }, "repairs"]
  ])("goes back with all that is wrong: %s", (_, input, said) => {
    const back = heard(changeId, answer([call(input)]))
    expect(back).toMatchObject({ _tag: "Mend" })
    expect(back._tag === "Mend" && back.problems).toContain(said)
    expect(back._tag === "Mend" && back.parts.map((part) => part._tag)).toEqual(["Assistant", "ToolResult"])
  })

  it("goes back when no tool was called, when it is another one, and when its arguments broke off", () => {
    const silent = heard(changeId, answer([], { text: "I would plan this so" }))
    expect(silent).toMatchObject({ _tag: "Mend", parts: [{ _tag: "Assistant" }, { _tag: "User" }] })
    const other = heard(changeId, answer([call({}, { name: "write" }), call({}, { id: "call_1", name: "read" })]))
    expect(other).toMatchObject({
      _tag: "Mend",
      parts: [{ _tag: "Assistant" }, { id: "call_0", failed: true }, { id: "call_1", failed: true }]
    })
    const cut = heard(changeId, answer([call(null, { raw: '{"tasks":[' })], { stop: "length" }))
    expect(cut).toMatchObject({ _tag: "Mend", problems: expect.stringContaining("fewer Tasks") })
  })

  it("takes the last plan that can be used, whatever else was called", () => {
    const calls = [call({ tasks: [] }), call({ tasks: [task] }, { id: "call_1" }), call({}, { id: "c", name: "read" })]
    expect(heard(changeId, answer(calls))).toMatchObject({ _tag: "Plan" })
  })

  it("is the end when the model would not plan it", () =>
    expect(heard(changeId, answer([], { stop: "refused", text: "no" }))).toEqual({ _tag: "Refused", reason: "no" }))

  it("offers one tool whose input stands in one piece, and tells the rule of identity", () => {
    expect(JSON.stringify(proposeTool.parameters)).not.toContain("$ref")
    expect(proposeTool.parameters).toMatchObject({ type: "object", properties: { tasks: { type: "array" } } })
    expect(plannerWords(["left-pad"])).toContain(identityRule)
    expect(plannerWords(["left-pad"])).toContain("left-pad")
  })
})
