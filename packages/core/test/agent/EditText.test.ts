import { edited } from "@pawl/core/agent/EditText"
import { Result } from "effect"
import { describe, expect, it } from "vitest"

const text = (of: string, edit: Parameters<typeof edited>[1]) => Result.getOrThrow(edited(of, edit)).text
const refusal = (of: string, edit: Parameters<typeof edited>[1]) =>
  Result.match(edited(of, edit), { onSuccess: () => null, onFailure: (refused) => refused })

describe("An edit", () => {
  it("replaces words that stand there exactly and once", () => {
    expect(text("let a = 1\nlet b = 2\n", { old: "b = 2", new: "b = 3" })).toBe("let a = 1\nlet b = 3\n")
  })

  it("takes what stands in `new` as it is, dollars and all", () => {
    expect(text("a b c", { old: "b", new: "$& $1 $$ $`" })).toBe("a $& $1 $$ $` c")
  })

  it("may take words away", () => {
    expect(text("a\nb\nc\n", { old: "b\n", new: "" })).toBe("a\nc\n")
  })

  it("is refused where the words stand more than once, with their lines", () => {
    expect(refusal("x\ny\nx\n", { old: "x", new: "z" })).toEqual({
      code: "ambiguous",
      reason: "it stands there 2 times, at lines 1, 3: take more lines around it, or say all"
    })
  })

  it("counts places that overlap: it could be meant for either", () => {
    expect(refusal("aaa", { old: "aa", new: "b" })?.code).toBe("ambiguous")
  })

  it("replaces them all where that is said, each once", () => {
    expect(text("aaa x aa", { old: "aa", new: "b", all: true })).toBe("ba x b")
  })

  it("is refused where the words do not stand, with the lines that are nearest", () => {
    const refused = refusal("one\n  const price = total(cart)\nthree\n", { old: "const price = total(card)", new: "x" })
    expect(refused?.code).toBe("missing")
    expect(refused?.reason).toBe(
      "it does not stand there; nearest to it is:\n1 one\n2   const price = total(cart)\n3 three\n4 "
    )
  })

  it("never guesses a different indentation", () => {
    expect(refusal("if (a) {\n    b()\n}\n", { old: "if (a) {\n  b()\n}", new: "x" })?.code).toBe("missing")
  })

  it("is refused when it is empty, or changes nothing", () => {
    expect(refusal("a", { old: "", new: "b" })?.code).toBe("empty")
    expect(refusal("a", { old: "a", new: "a" })?.code).toBe("same")
    expect(refusal("a \nb\n", { old: "a\nb\n", new: "a \nb" })?.code).toBe("same")
  })
})

describe("Where the words do not stand exactly, an edit", () => {
  it("forgives line ends, and keeps those of the file", () => {
    expect(text("a\r\nb\r\nc\r\n", { old: "a\nb\n", new: "x\ny\nz\n" })).toBe("x\r\ny\r\nz\r\nc\r\n")
    expect(text("a\nb\nc\n", { old: "a\r\nb\r\n", new: "x\n" })).toBe("x\nc\n")
  })

  it("gives new lines the line ends of the file also where the words stood exactly", () => {
    expect(text("a\r\nb\r\n", { old: "b", new: "c\nd" })).toBe("a\r\nc\r\nd\r\n")
  })

  it("leaves line ends alone in a file that mixes them", () => {
    expect(text("a\r\nb\nc\n", { old: "c", new: "d\ne" })).toBe("a\r\nb\nd\ne\n")
  })

  it("forgives blanks at the ends of lines", () => {
    expect(text("a  \nb\t\nc\n", { old: "a\nb", new: "x" })).toBe("x\nc\n")
    expect(text("a\nb\nc\n", { old: "a  \nb", new: "x" })).toBe("x\nc\n")
  })

  it("is refused where the forgiven lines stand more than once", () => {
    expect(refusal("a \nb\na\t\nb\n", { old: "a\nb\n", new: "x" })?.code).toBe("ambiguous")
  })

  it("looks for blank lines nowhere", () => {
    expect(refusal("a\n \nb\n", { old: "\t\n", new: "x\n" })?.code).toBe("missing")
  })

  it("takes whole lines only", () => {
    expect(refusal("let abc  \nd\n", { old: "abc\nd", new: "x" })?.code).toBe("missing")
  })
})
