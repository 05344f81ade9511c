import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as Draft from "@pawl/core/ledger/Draft"
import { addCandidate, candidateId, changeId, commit, must, newWorld, now, projectId } from "../promotion/World.ts"
import { person } from "../kit/MemoryPawl.ts"

const world = () => {
  const state = newWorld()
  addCandidate(state, { n: 1, status: "verifying" })
  return { state, candidate: must(state, "candidate", candidateId(1)), change: must(state, "change", changeId(1)) }
}
const rejected = { "candidate.rejected": { changeId: changeId(1), reason: "why" } }

describe("A Draft", () => {
  it("writes the status, the time and the fields of a step, and tells the events of its row", () => {
    const { candidate, state } = world()
    const draft = Draft.begin(projectId, person, now)
    Draft.step(draft, "candidate", candidate, "checksFailed", { reason: "why" }, rejected)
    const made = Draft.end(draft, { name: "test.reject" })
    expect(made.events).toEqual([
      { type: "candidate.rejected", subject: candidateId(1), data: rejected["candidate.rejected"], actor: person }
    ])
    expect(commit(state, made)).toBe(true)
    expect(must(state, "candidate", candidateId(1)).record).toMatchObject({ status: "rejected", reason: "why" })
  })

  it("builds a later step of a record on the one before", () => {
    const { change, state } = world()
    const draft = Draft.begin(projectId, person, now)
    Draft.step(draft, "change", change, "approvalNeeded", {})
    Draft.step(draft, "change", change, "noVerifiedCandidate", { reason: "again" })
    expect(commit(state, Draft.end(draft, { name: "test.steps" }))).toBe(true)
    expect(must(state, "change", changeId(1))).toMatchObject({
      revision: change.revision + 2,
      record: { status: "verifying", reason: "again" }
    })
  })

  it("dies of a step that the life lacks, and says before whether it has it", () => {
    const { candidate } = world()
    const draft = Draft.begin(projectId, person, now)
    expect(Draft.may(draft, "candidate", candidate, "checksFailed")).toBe(true)
    Draft.step(draft, "candidate", candidate, "checksFailed", { reason: "why" }, rejected)
    expect(Draft.may(draft, "candidate", candidate, "checksFailed")).toBe(false)
    expect(() => Draft.step(draft, "candidate", candidate, "checksFailed", {}, rejected)).toThrow(
      "checksFailed is not possible in state rejected"
    )
  })

  it("asks for the events of a row, as types", () => {
    const { candidate } = world()
    const draft = Draft.begin(projectId, person, now)
    // @ts-expect-error the row emits candidate.rejected
    const wordless = () => Draft.step(draft, "candidate", candidate, "checksFailed", {})
    // @ts-expect-error another event than the row's
    const other = () => Draft.step(draft, "candidate", candidate, "checksFailed", {}, { "candidate.stale": {} })
    // @ts-expect-error a status is never written by hand
    const byHand = () => Draft.update(draft, "candidate", candidate, { status: "rejected" })
    expect([wordless, other, byHand]).toHaveLength(3)
  })
})

/** The text from a call's name to its closing parenthesis. */
const callsOf = (text: string, name: string): ReadonlyArray<string> =>
  text
    .split(name)
    .slice(1)
    .map((rest) => {
      let depth = 0
      for (const [at, character] of [...rest].entries()) {
        if (character === "(") depth++
        if (character === ")" && --depth === 0) return rest.slice(0, at)
      }
      return rest
    })

const lifeless = /\(\s*"(?!change"|task"|candidate"|release"|pointer")/

describe("Lives", () => {
  it("move in a Draft and nowhere else", () => {
    const source = new URL("../../src/", import.meta.url)
    const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
    const found = files
      .filter((file) => !["ledger/Draft.ts", "model/Lifecycle.ts"].includes(file))
      .flatMap((file) => {
        const text = readFileSync(new URL(file, source), "utf8")
        const asked = /Lifecycle\.(next|rowOf)\b/.test(text)
        const written = callsOf(text, "Commit.update").some((call) => !lifeless.test(call) && /\bstatus\b/.test(call))
        return asked || written ? [file] : []
      })
    expect(found).toEqual([])
  })
})
