import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as KnownTexts from "@pawl/sql/KnownTexts"
import { table } from "@pawl/sql/Tables"

const head = { projectId: "proj_00000000-0000-4000-8000-000000000001", generation: 1, commit: "a".repeat(40) }
const text = JSON.stringify({ ...head, tree: "b".repeat(40), syncedGeneration: 0 })

describe("a text that was read before", () => {
  it("is the same record, which nobody can change", () => {
    const { decode } = table("head")
    const first = Result.getOrThrow(decode(text)) as { generation: number }
    expect(Result.getOrThrow(decode(text))).toBe(first)
    expect(() => (first.generation = 2)).toThrow(TypeError)
    expect(Result.getOrThrow(decode(text.replace('"generation":1', '"generation":2')))).toMatchObject({ generation: 2 })
  })

  it("is no record of another kind", () => {
    Result.getOrThrow(table("head").decode(text))
    expect(Result.isFailure(table("change").decode(text))).toBe(true)
    expect(Result.isSuccess(table("head").decode(text))).toBe(true)
  })

  it("is forgotten when it was not read while many others were, and is kept while it is read", () => {
    const known = KnownTexts.make<object>()
    const kept = {}
    known.keep("kept", kept)
    known.keep("left", {})
    for (let n = 0; n < 1000; n++) {
      known.keep(`${n}${"x".repeat(10_000)}`, {})
      expect(known.get("kept")).toBe(kept)
    }
    expect(known.get("left")).toBeUndefined()
  })
})
