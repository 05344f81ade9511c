import { Cause, Redacted, Schema } from "effect"
import { describe, expect, it } from "vitest"
import * as Words from "@pawl/core/primitives/Words"

class Away extends Schema.TaggedError<Away>()("Away", {
  reason: Schema.String,
  secret: Schema.Redacted(Schema.String)
}) {}
class Worded extends Schema.TaggedError<Worded>()("Worded", { id: Schema.String }) {
  override get message(): string {
    return `there is no ${this.id}`
  }
}
const away = new Away({ reason: "the disk is full", secret: Redacted.make("hush") })

describe("What went wrong", () => {
  it("is told by its fields when it has no words of its own, and what is redacted stays so", () => {
    expect(Words.describe(away)).toBe(`Away: {"reason":"the disk is full","secret":"<redacted>"}`)
  })

  it("is told by its own words where it has some", () => {
    expect(Words.describe(new Worded({ id: "x" }))).toBe("Worded: there is no x")
    expect(Words.describe("no")).toBe("no")
  })

  it("is told whatever its fields hold: themselves, or what JSON does not know", () => {
    const error = Object.assign(new Error(""), { code: "EAWAY", size: 10n })
    expect(Words.describe(Object.assign(error, { self: error, fields: [error] }))).toMatch(/^Error: \{"code":"EAWAY",/)
  })

  it("names every failure and every defect of a cause, with stacks", () => {
    const cause = Cause.combine(Cause.fail(away), Cause.die(new Error("broken")))
    const text = Words.describeCause(cause)
    expect(text).toContain(`Away: {"reason":"the disk is full","secret":"<redacted>"}\n    at `)
    expect(text).toContain("Error: broken\n    at ")
    expect(Words.describe(cause)).toContain("the disk is full")
    expect(text).not.toContain("hush")
  })

  it("is cut to its bound", () => {
    expect(Words.describe(new Error("x".repeat(5000)))).toHaveLength(2000)
  })
})
