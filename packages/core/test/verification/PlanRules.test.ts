import { describe, expect, it } from "vitest"
import { defaultPolicy, type Policy } from "@pawl/core/model/Policy"
import { planOf, type PlanInput } from "@pawl/core/verification/PlanRules"
import type { PawlCheck } from "@pawl/core/project/PawlFile"

const check = (id: string, command = "true", required = true): PawlCheck => ({ id, command, required, timeoutMs: 1000 })
const policy: Policy = {
  projectId: "proj_00000000-0000-4000-8000-000000000000",
  version: 3,
  ...defaultPolicy,
  updatedAt: "2026-01-01T00:00:00.000Z",
  updatedBy: "x"
}
const input: PlanInput = {
  base: [check("test")],
  candidate: [check("test")],
  paths: ["src/a.ts"],
  altered: [],
  scripted: new Set(),
  assets: "public",
  scripts: { base: {}, candidate: {} },
  packages: null,
  taskKinds: ["implement"],
  hasApp: true,
  policy,
  now: "2026-06-01T00:00:00.000Z"
}
const summary = (plan: ReturnType<typeof planOf>) => plan.checks.map((each) => [each.id, each.command, each.required])

describe("A verification plan", () => {
  it("takes its checks from the base, and requires the build of a Project with an app", () => {
    expect(planOf(input)).toMatchObject({ policyVersion: 3, riskTier: "medium", approvalRequired: false })
    expect(summary(planOf(input))).toEqual([
      ["build", undefined, true],
      ["test", "true", true]
    ])
    expect(summary(planOf({ ...input, hasApp: false }))).toEqual([["test", "true", true]])
  })

  it("runs the base's form of a check that the Candidate weakens or removes, and takes it as high risk", () => {
    for (const candidate of [[], [check("test", "exit 0")], [check("test", "true", false)]]) {
      const plan = planOf({ ...input, candidate })
      expect(summary(plan)[1]).toEqual(["test", "true", true])
      expect(plan).toMatchObject({ riskTier: "high", approvalRequired: true })
    }
  })

  it("runs a check that the Candidate adds too, at high risk", () => {
    const plan = planOf({ ...input, candidate: [check("test"), check("more")] })
    expect(plan.checks.map((each) => each.id)).toEqual(["build", "test", "more"])
    expect(plan.riskTier).toBe("high")
  })

  it("draws risk from what the touched files do: low, medium, high, or unknown without a diff", () => {
    const risk = (paths: ReadonlyArray<string> | null, fields: Partial<PlanInput> = {}) =>
      planOf({ ...input, paths, ...fields }).riskTier
    expect(risk(["public/a.png", "README.md", "public/style.css", "public/index.html"])).toBe("low")
    expect(risk(["public/a.png", "src/a.ts"])).toBe("medium")
    for (const path of ["pawl.json", "wrangler.jsonc", "migrations/1.sql", "db/migrations/2.sql"])
      expect(risk([path])).toBe("high")
    expect(risk(["README.md"], { taskKinds: ["migrate"] })).toBe("high")
    expect(risk(null)).toBe("unknown")
  })

  it("takes nothing as low that somebody runs, wherever it lies", () => {
    const risk = (path: string, fields: Partial<PlanInput> = {}) =>
      planOf({ ...input, paths: [path], ...fields }).riskTier
    for (const path of ["public/app.js", "static/worker.js", "docs/check.mjs", "public/sw.ts", "public/a.wasm"])
      expect(`${path} ${risk(path)}`).toBe(`${path} medium`)
    for (const path of ["public/_headers", "public/_redirects", "public/.assetsignore", "public/app.webmanifest"])
      expect(`${path} ${risk(path)}`).toBe(`${path} medium`)
    // Only what the settings name is served.
    expect(risk("static/style.css")).toBe("medium")
    expect(risk("static/style.css", { assets: "static" })).toBe("low")
    expect(risk("public/style.css", { assets: null })).toBe("medium")
    expect(risk("src/style.css")).toBe("medium")
    expect(risk("public/index.html", { scripted: new Set(["public/index.html"]) })).toBe("medium")
  })

  it("takes nothing as low that a check names or is declared to read, in its base's form or the Candidate's", () => {
    const named = (command: string, files?: ReadonlyArray<string>): ReadonlyArray<PawlCheck> => [
      { ...check("test", command), ...(files === undefined ? {} : { files }) }
    ]
    const risk = (path: string, checks: ReadonlyArray<PawlCheck>, scripts = input.scripts) =>
      planOf({ ...input, base: checks, candidate: checks, paths: [path], scripts }).riskTier
    for (const command of ["sh ./docs/run.txt", "cd docs && sh run.txt", "node all.js --list=docs", "cat 'docs/*.txt'"])
      expect(`${command} ${risk("docs/run.txt", named(command))}`).toBe(`${command} medium`)
    expect(risk("docs/other.txt", named("sh docs/run.txt"))).toBe("low")
    expect(risk("test/fixtures/page.txt", named("node all.js"))).toBe("medium")
    expect(risk("test/fixtures/page.txt", named("node all.js", ["docs/**"]))).toBe("low")
    expect(risk("docs/page.md", named("node all.js", ["docs/**"]))).toBe("medium")
    for (const command of ["npm run -s all", "npm test", "node --run all"])
      for (const scripts of [{ all: "sh docs/run.txt", test: "npm run all" }]) {
        expect(risk("docs/run.txt", named(command), { base: scripts, candidate: scripts })).toBe("medium")
        // The script is the check.
        expect(risk("docs/run.txt", named(command), { base: scripts, candidate: {} })).toBe("high")
      }
    const tools = { base: {}, candidate: {} }
    for (const [command, path] of [
      ["tsc -p .", "docs/tsconfig.json"],
      ["make all", "Makefile"]
    ] as const)
      expect(
        planOf({
          ...input,
          base: named(command),
          candidate: named(command),
          altered: [path],
          paths: [path],
          scripts: tools
        }).checks.map(({ id }) => id)
      ).toContain("test@base")
  })

  it("runs a check with the base's form of its files too when they are altered or deleted, and not for new ones", () => {
    const again = (altered: ReadonlyArray<string>, fields: Partial<PlanInput> = {}) =>
      planOf({ ...input, altered, ...fields }).checks.filter((each) => each.base !== undefined)
    expect(again([])).toEqual([])
    expect(again(["src/a.ts"])).toEqual([])
    expect(again(["src/a.ts", "test/a.js", "src/b.test.ts"])).toMatchObject([
      {
        id: "test@base",
        command: "true",
        required: false,
        base: { check: "test", globs: ["test/**", "**/*.test.*"], paths: ["test/a.js", "src/b.test.ts"], count: 2 }
      }
    ])
    const command = "node checks/run.mjs"
    expect(again(["checks/run.mjs"], { base: [check("test", command)] })).toHaveLength(1)
    const declared = { ...check("test"), files: ["spec/*.js"] }
    expect(again(["test/a.js", "spec/deep/a.js"], { base: [declared] })).toEqual([])
    expect(again(["spec/a.js"], { base: [declared] })).toHaveLength(1)
    const many = Array.from({ length: 2001 }, (_, n) => `test/${n}.js`)
    expect(planOf({ ...input, altered: many, paths: many }).riskTier).toBe("high")
    expect(again(many.slice(1))[0]?.base).toMatchObject({ count: 2000, paths: many.slice(1, 11) })
    // A check that the Candidate adds has no older form.
    expect(again(["test/a.js"], { base: [], candidate: [check("more")] })).toEqual([])
  })

  it("requires the base's form where the Policy does and the check itself is required, and waives it with the check", () => {
    const again = (fields: Partial<PlanInput>) =>
      planOf({ ...input, altered: ["test/a.js"], ...fields }).checks.find((each) => each.base !== undefined)
    const must = { ...policy, baseChecksMustPass: true }
    expect(again({ policy: must })).toMatchObject({ required: true })
    expect(again({ policy: must, base: [check("test", "true", false)] })).toMatchObject({ required: false })
    const requiring = { ...must, requiredChecks: ["test"] }
    expect(again({ policy: requiring, base: [check("test", "true", false)] })).toMatchObject({ required: true })
    const waivedChecks = [{ id: "test", reason: "r", until: "2027-01-01T00:00:00.000Z" }]
    expect(again({ policy: { ...must, waivedChecks } })).toMatchObject({ waived: { reason: "r" } })
  })

  it("requires what the Policy requires, and waives what it waives until its date", () => {
    const under = (fields: Partial<Policy>, now = input.now) =>
      planOf({
        ...input,
        base: [check("test", "true", false)],
        candidate: [check("test", "true", false)],
        policy: { ...policy, ...fields },
        now
      }).checks[1]!
    expect(under({}).required).toBe(false)
    expect(under({ requiredChecks: ["test"] }).required).toBe(true)
    const waivedChecks = [{ id: "test", reason: "it is broken", until: "2026-07-01T00:00:00.000Z" }]
    // The gate lifts what is required while the waiver is in force, and looks at its date whenever it judges.
    expect(under({ requiredChecks: ["test"], waivedChecks })).toMatchObject({
      required: true,
      waived: { reason: "it is broken", until: "2026-07-01T00:00:00.000Z" }
    })
    const late = under({ requiredChecks: ["test"], waivedChecks }, "2026-08-01T00:00:00.000Z")
    expect(late).not.toHaveProperty("waived")
  })
})
