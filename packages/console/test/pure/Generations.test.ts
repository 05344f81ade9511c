import { describe, expect, it } from "vitest"
import { linesFor } from "../../src/generation/CheckLines.ts"
import { toldBy } from "../../src/generation/Envelope.ts"
import { askedFor, chunkOf, generationIn, rowOf } from "../../src/generation/Window.ts"
import { isOver, stepsOf } from "../../src/rollback/RollbackSteps.ts"
import { gateWords, undoneWords, unnamed } from "../../src/rollback/Undone.ts"

describe("Generations in pieces", () => {
  it("come a hundred at a time, each in the piece that its number says", () => {
    for (const n of [0, 1, 99, 100, 101, 9999]) {
      const { before, limit } = askedFor(chunkOf(n))
      expect(n).toBeLessThan(before)
      expect(n).toBeGreaterThanOrEqual(before - limit)
    }
    expect(rowOf(9999, 9999)).toBe(0)
    expect(rowOf(9999, 0)).toBe(9999)
  })

  it("are read as people write them, and nothing else is", () => {
    expect(["12", "S12", " s12 ", "0"].map((typed) => generationIn(typed, 12))).toEqual([12, 12, 12, 0])
    for (const typed of ["13", "", "-1", "1.5", "S", "twelve", "9999999999"]) expect(generationIn(typed, 12)).toBeNull()
  })
})

describe("The lines that check a generation", () => {
  it("name it, and bring no token into an address, which clones keep and lists of processes show", () => {
    const lines = linesFor("https://pawl.test", "proj_1", { generation: 7, commit: "c0ffee" })
    expect(lines.git).toContain("pawl clone proj_1 checked --url https://pawl.test\n")
    for (const line of Object.values(lines)) expect(line).not.toMatch(/TOKEN[^ ]*@/)
    expect(lines.git).toContain('"c0ffee^{tree}"')
    expect(lines.curl).toContain("https://pawl.test/v1/projects/proj_1/versions/7/statement")
    expect(lines.verify).toContain("--project proj_1 --generation 7")
  })
})

describe("A signed statement", () => {
  const envelope = (statement: unknown) => ({
    payload: btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(statement)))),
    signatures: [{ keyid: "SHA256:abc", sig: "x" }]
  })

  it("is told by its keys and in its words, whatever letters they have", () => {
    const told = toldBy(envelope({ predicateType: "urn:x", subject: "Öffnungszeiten" }))
    expect(told).toMatchObject({ keyIds: ["SHA256:abc"], predicateType: "urn:x" })
    expect(told?.text).toContain("Öffnungszeiten")
  })

  it("that is none is no statement", () => {
    for (const none of [null, "text", {}, { payload: "%", signatures: [] }, { payload: "e30", signatures: 1 }])
      expect(toldBy(none)).toBeNull()
  })
})

describe("A rollback in words", () => {
  it("is as far as the server has said, and never further", () => {
    const states = (status: Parameters<typeof isOver>[0], candidate: Parameters<typeof stepsOf>[1]) =>
      stepsOf({ status }, candidate, 1)
        .map(({ state }) => state[0])
        .join("")
    expect(states("verifying", null)).toBe("dnlll")
    expect(states("verifying", { status: "verifying" })).toBe("ddnll")
    expect(states("verifying", { status: "verified" })).toBe("dddnl")
    expect(states("releasing", { status: "promoted" })).toBe("ddddn")
    expect(states("completed", { status: "promoted" })).toBe("ddddd")
    expect(states("verifying", { status: "rejected" })).toBe("ddfll")
    expect(states("failed", { status: "promoted" })).toBe("ddddf")
    expect(isOver("completed")).toBe(true)
    expect(isOver("releasing")).toBe(false)
  })

  it("undoes generations by a count, and counts those that are not named", () => {
    expect(undoneWords({ undoneTotal: 1 })).toBe("It undoes 1 generation")
    expect(undoneWords({ undoneTotal: 9 })).toBe("It undoes 9 generations")
    expect(unnamed({ undone: [{}, {}] as never, undoneTotal: 9 })).toBe(7)
  })

  it("says which risk owes an approval, of how many, how, and of whom", () => {
    const gate = (owed: number, more: object = {}) =>
      gateWords({ riskTier: "high", approval: { owed, signed: false, self: true, ...more } })
    expect(gate(0)).toBe("What it undoes is of high risk: no approval is owed.")
    expect(gate(1)).toBe("What it undoes is of high risk: it waits until one person approves.")
    expect(gate(2, { signed: true, self: false })).toBe(
      "What it undoes is of high risk: it waits until 2 people approve, each with a passkey. Who asks for it may not be one of them."
    )
  })
})
