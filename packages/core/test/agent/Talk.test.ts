import type { Answer, ToolCall } from "@pawl/core/agent/Models"
import { answered, begun, type Called, type Heard, heard, pruned, type Talk, toolsNow } from "@pawl/core/agent/Talk"
import { Result } from "effect"
import { describe, expect, it } from "vitest"

const call = (name: string, input: unknown, id = "c1"): ToolCall => ({ id, name, input, raw: JSON.stringify(input) })
const answer = (calls: ReadonlyArray<ToolCall>, fields: Partial<Answer> = {}): Answer => ({
  text: "",
  calls,
  stop: calls.length > 0 ? "tools" : "end",
  usage: { input: 1, cacheRead: 0, cacheWrite: 0, output: 1, known: true },
  requestId: null,
  ...fields
})
const start = (complexity: "small" | "large" = "small") => begun("implement", complexity, "Make it blue.")
const again = (said: Heard): Talk => (said._tag === "Again" ? said.talk : expect.fail(JSON.stringify(said)))
const calls = (said: Heard) => (said._tag === "Calls" ? said : expect.fail(JSON.stringify(said)))
/** A turn in which one tool is called, and answers. */
const turn = (talk: Talk, input: unknown, result: string): Heard => {
  const said = calls(heard(talk, answer([call("read", input)])))
  return answered(
    said.talk,
    said.called.map((called: Called) => ({ called, text: result, failed: false }))
  )
}

describe("A talk", () => {
  it("goes on with the results of the calls, in their order", () => {
    const said = calls(heard(start(), answer([call("read", { path: "a" }, "c1"), call("list", {}, "c2")])))
    expect(said.called.map(({ id, request }) => [id, Result.isSuccess(request)])).toEqual([
      ["c1", true],
      ["c2", true]
    ])
    const next = again(
      answered(
        said.talk,
        said.called.map((called) => ({ called, text: called.id, failed: false }))
      )
    )
    expect(next.parts.map((part) => part._tag)).toEqual(["User", "Assistant", "ToolResult", "ToolResult"])
    expect(next.turns).toBe(1)
  })

  it.each([
    ["small", 16],
    ["large", 32]
  ] as const)(
    "of a %s Task ends after %i calls, told when two are left, the last only with what ends it",
    (size, most) => {
      let talk = start(size)
      for (let at = 1; at < most; at++) {
        expect(toolsNow(talk).includes("edit")).toBe(true)
        talk = again(turn(talk, { path: `${at}` }, `${at}`))
        const last = talk.parts.at(-1)
        if (at === most - 2) expect(last).toEqual({ _tag: "User", text: "You have 2 calls left. Come to an end." })
      }
      expect(toolsNow(talk)).toEqual(["done", "give_up"])
      const said = calls(heard(talk, answer([call("read", { path: "a" })])))
      expect(said.called.every(({ request }) => Result.isFailure(request))).toBe(true)
      const over = answered(
        said.talk,
        said.called.map((called) => ({ called, text: "no", failed: true }))
      )
      expect(over).toEqual({ _tag: "Over", reason: `it did not end within ${most} calls` })
    }
  )

  it("reminds once of its tools, then is over", () => {
    const once = again(heard(start(), answer([], { text: "All done!" })))
    expect(once.parts.at(-1)).toMatchObject({ _tag: "User", text: expect.stringContaining("done or give_up") })
    expect(heard(once, answer([]))).toEqual({ _tag: "Over", reason: "the model calls no tool" })
    const between = again(turn(once, { path: "a" }, "1"))
    expect(heard(between, answer([]))._tag).toBe("Again")
  })

  it("is over when the model refuses", () => {
    expect(heard(start(), answer([], { stop: "refused" }))).toMatchObject({ _tag: "Over" })
  })

  it("tells what is wrong with a call, and is over after three answers of nothing else", () => {
    let talk = start()
    for (let at = 1; at <= 2; at++) {
      const said = calls(heard(talk, answer([call("rm_rf", { at })])))
      talk = again(
        answered(
          said.talk,
          said.called.map((called) => ({ called, text: "there is no tool", failed: true }))
        )
      )
    }
    expect(heard(talk, answer([call("read", null)]))._tag).toBe("Over")
    expect(heard(talk, answer([call("read", null), call("list", {})]))._tag).toBe("Calls")
  })

  it("warns when the same calls have the same results for the third time, and is over at the fifth", () => {
    let talk = start()
    for (let at = 1; at <= 4; at++) {
      talk = again(turn(talk, { path: "a" }, "1"))
      expect(talk.parts.at(-1)?._tag).toBe(at === 3 ? "User" : "ToolResult")
    }
    expect(turn(talk, { path: "a" }, "1")).toMatchObject({ _tag: "Over" })
    expect(turn(talk, { path: "a" }, "2")._tag).toBe("Again")
  })

  it("looks at so many calls of one answer, and answers all of them", () => {
    const many = Array.from({ length: 20 }, (_, at) => call("list", { folder: `${at}` }, `c${at}`))
    const { called } = calls(heard(start(), answer(many)))
    expect(called.length).toBe(20)
    expect(called.filter(({ request }) => Result.isSuccess(request)).length).toBe(16)
  })
})

describe("pruned", () => {
  const long = (talk: Talk, at: number) => again(turn(talk, { path: `${at}` }, `${at}`.repeat(1000)))
  const talk = [1, 2, 3, 4].reduce(long, start())
  const sizes = (of: Talk) => of.parts.flatMap((part) => (part._tag === "ToolResult" ? [part.text.length] : []))

  it("keeps the newest results, and every call its result", () => {
    const less = pruned(talk, 2000, 1000)
    expect(less.parts.length).toBe(talk.parts.length)
    expect(sizes(less).slice(2)).toEqual([1000, 1000])
    expect(Math.max(...sizes(less).slice(0, 2))).toBeLessThan(100)
  })

  it("changes nothing where that would free little", () => {
    expect(pruned(talk, 2000, 3000)).toBe(talk)
    expect(pruned(talk, 10_000, 0)).toEqual(talk)
  })
})
