import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type Problem, problemStatuses } from "@pawl/server/api"
import { neverAnswered, rooms, rows } from "@pawl/server/http/answer/Problems"
import { describe, expect, it } from "vitest"

const core = join(import.meta.dirname, "../../../../core/src")

const tagsOfCore = (): ReadonlyArray<string> =>
  readdirSync(core, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) =>
      Array.from(
        readFileSync(join(core, file), "utf8").matchAll(/TaggedError<[A-Za-z]+>\(\)\(\s*"([A-Za-z]+)"/g),
        (match) => match[1] ?? ""
      )
    )

describe("The table of problems", () => {
  it("has a row for every refusal of the core, or a reason why none is needed", () => {
    const tags = tagsOfCore()
    expect(tags.length).toBeGreaterThan(30)
    const missing = tags.filter((tag) => !(tag in rows) && !neverAnswered.has(tag))
    expect(missing).toEqual([])
  })

  it("has each refusal in one room alone", () => {
    const tags = rooms.flatMap((room) => Object.keys(room))
    expect(tags.filter((tag, at) => tags.indexOf(tag) !== at)).toEqual([])
    expect(tags.toSorted()).toEqual(Object.keys(rows).toSorted())
  })

  it("names no refusal that the core does not have", () => {
    const known = new Set([
      ...tagsOfCore(),
      "BeyondTask",
      "CrossSite",
      "InsecureOrigin",
      "SignInElsewhere",
      "SignInRefused",
      "ProviderUnavailable",
      "DiffTooLarge",
      "NoSignInLink",
      "NotComposed"
    ])
    expect([...Object.keys(rows), ...neverAnswered].filter((tag) => !known.has(tag))).toEqual([])
    expect(Object.keys(rows).filter((tag) => neverAnswered.has(tag))).toEqual([])
  })

  it("answers each with a status that the contract names, a code, a short title and a detail", () => {
    const facts = {
      code: "a_code",
      field: "a",
      reason: "missing",
      path: "a",
      file: "src/a.ts",
      hunk: 1,
      line: 1,
      kind: "change",
      id: "a",
      held: ["read"],
      blocks: [],
      limit: "a",
      max: 1,
      actual: 2,
      status: "running",
      message: "What is wrong, and what to do."
    }
    for (const [tag, row] of Object.entries(rows)) {
      // Facts that a row does not use do no harm.
      const problem = Reflect.apply(row, undefined, [facts]) as Problem
      expect([tag, Object.keys(problemStatuses)]).toEqual([tag, expect.arrayContaining([String(problem.status)])])
      expect(problem.code).toMatch(/^[a-z]+(_[a-z]+)*$/)
      expect(problem.title.length).toBeLessThan(60)
      expect(problem.detail.length).toBeGreaterThan(problem.code === "blocked" ? -1 : 10)
    }
  })
})
