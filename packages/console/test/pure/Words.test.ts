import { describe, expect, it } from "vitest"
import { slugOf } from "../../src/project/Slug.ts"
import { readKey } from "../../src/shell/KeyBindings.ts"
import { isAt, labelIn } from "../../src/shell/Place.ts"
import { codeIn } from "../../src/signin/LoginCode.ts"
import { shortId } from "../../src/ui/ShortId.ts"
import { isOpen } from "../../src/ui/TabsOpen.ts"
import { lookOf } from "../../src/ui/StatusTone.ts"
import { timeWords } from "../../src/ui/TimeWords.ts"

describe("A moment", () => {
  const now = Date.parse("2026-03-01T12:00:00Z")
  it.each([
    [0, "just now"],
    [59_999, "just now"],
    [60_000, "1 min ago"],
    [3_599_999, "59 min ago"],
    [3_600_000, "1 h ago"],
    [86_400_000, "1 d ago"],
    [-7_200_000, "in 2 h"],
    [31 * 86_400_000, "2026-01-29"]
  ])("%i ms before now is %s", (before, words) => {
    expect(timeWords(now - before, now)).toBe(words)
  })
})

describe("An address", () => {
  it.each([
    ["/", "/", true],
    ["/", "/projects", false],
    ["/p/:label", "/p/shop", true],
    ["/p/:label", "/p/shop/", true],
    ["/p/:label", "/p/shop/lane", false],
    ["/p/:label", "/p/", false],
    ["/changes/:id/:tab?", "/changes/chg_1", true],
    ["/changes/:id/:tab?", "/changes/chg_1/diff", true],
    ["/changes/:id/:tab?", "/changes/chg_1/diff/more", false]
  ])("of the pattern %s: %s, %s", (pattern, path, is) => {
    expect(isAt(pattern, path)).toBe(is)
  })
})

describe("A slug", () => {
  it.each([
    ["Corner Shop", "corner-shop"],
    ["  Café — No. 1! ", "cafe-no-1"],
    ["日本", ""],
    ["x".repeat(80), "x".repeat(50)],
    [`${"x".repeat(49)} y`, "x".repeat(49)]
  ])("of %j is %j", (name, slug) => {
    expect(slugOf(name)).toBe(slug)
  })
})

describe("A key", () => {
  it("is a command by itself, or the beginning of one", () => {
    expect(readKey("", "?")).toEqual({ command: { open: "keys" } })
    expect(readKey("", "g")).toEqual({ pending: "g" })
    expect(readKey("g", "i")).toEqual({ command: { go: "/" } })
  })

  it("that does not go on begins anew, and others mean nothing", () => {
    expect(readKey("g", "?")).toEqual({ command: { open: "keys" } })
    expect(readKey("g", "g")).toEqual({ pending: "g" })
    expect(readKey("g", "x")).toBeNull()
    expect(readKey("", "z")).toBeNull()
  })
})

describe("An address", () => {
  it("says which Project it is in", () => {
    expect(["/", "/projects", "/p/shop", "/p/shop/changes", "/p/a%20b"].map(labelIn)).toEqual([
      null,
      null,
      "shop",
      "shop",
      "a b"
    ])
  })

  it("may bring the code of a printed link", () => {
    expect(["", "#login=abc-1", "#login=", "#other=1"].map(codeIn)).toEqual([null, "abc-1", null, null])
  })
})

describe("A tab", () => {
  it("is open at its own address and below it; a whole one at its own alone", () => {
    const tab = { to: "/p/shop", title: "Overview" }
    expect(["/p/shop", "/p/shop/lane", "/p/shopping"].map((path) => isOpen(tab, path))).toEqual([true, true, false])
    expect(["/p/shop", "/p/shop/lane"].map((path) => isOpen({ ...tab, whole: true }, path))).toEqual([true, false])
  })
})

describe("An id", () => {
  it("is short with its kind before it, and what it is of another one behind it", () => {
    expect(["cand_4be1a0c2d3e4", "cand_4be1a0c2d3e4/unit-tests", "0123456789abcdef", "req_1"].map(shortId)).toEqual([
      "cand_4be1a0c2",
      "cand_4be1a0c2/unit-tests",
      "01234567",
      "req_1"
    ])
  })
})

describe("A status", () => {
  it("that the console does not know is told by its own name", () => {
    expect(lookOf("half_done")).toEqual({ tone: "idle", icon: "dot", words: "Half done" })
    expect(lookOf("awaiting_approval").tone).toBe("warn")
  })
})
