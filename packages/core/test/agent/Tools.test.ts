import { definition, requested, toolNames } from "@pawl/core/agent/Tools"
import { TaskKind } from "@pawl/core/model/Task"
import { Result } from "effect"
import { describe, expect, it } from "vitest"

const call = (name: string, input: unknown) => ({ id: "c1", name, input, raw: "" })
const failure = (name: string, input: unknown) =>
  Result.match(requested(call(name, input), toolNames("implement", false)), {
    onFailure: (words) => words,
    onSuccess: () => null
  })

describe("An agent's tools", () => {
  it("write only where its Task may", () => {
    for (const kind of TaskKind.literals) {
      const writes = toolNames(kind, false).filter((name) =>
        ["edit", "write", "remove", "add_package", "done"].includes(name)
      )
      expect([kind, writes.length]).toEqual([kind, ["implement", "migrate", "test"].includes(kind) ? 5 : 0])
    }
  })

  it("are only those that end the work, at the last call", () => {
    expect(toolNames("implement", true)).toEqual(["done", "give_up"])
    expect(toolNames("review", true)).toEqual(["answer", "give_up"])
  })

  it("are told with the JSON Schema of what they take", () => {
    expect(definition("edit").parameters).toMatchObject({
      type: "object",
      properties: {
        path: { type: "string" },
        old: { type: "string" },
        new: { type: "string" },
        all: { type: "boolean" }
      },
      required: ["path", "old", "new"]
    })
    expect(definition("check").parameters).toEqual({ type: "object", properties: {} })
  })

  it("take a call that is as they want it", () => {
    expect(requested(call("read", { path: "a", from: 2 }), toolNames("review", false))).toEqual(
      Result.succeed({ name: "read", input: { path: "a", from: 2 } })
    )
  })

  it.each([
    ["rm_rf", {}, 'there is no tool "rm_rf"'],
    ["constructor", {}, 'there is no tool "constructor"'],
    ["answer", { text: "" }, 'there is no tool "answer"'],
    ["read", null, "the arguments of read are no JSON"],
    ["read", { file: 3 }, "read: path: is missing"],
    ["read", { path: "a", from: 0 }, "read: from: "],
    ["read", [], "read: "],
    ["edit", { path: 1, old: 2 }, "edit: path: "]
  ])("say what is wrong with a call of %s with %j", (name, input, words) => {
    expect(failure(name, input)).toContain(words)
  })
})
