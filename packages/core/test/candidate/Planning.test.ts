import { describe, expect, it } from "vitest"
import { defaultPolicy, type Policy } from "@pawl/core/approval/Policy"
import { planOf, type PlanInput } from "@pawl/core/candidate/Planning"
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

  it("draws risk from what is touched: low, medium, high, or unknown without a diff", () => {
    const risk = (paths: ReadonlyArray<string> | null, taskKinds: PlanInput["taskKinds"] = ["implement"]) =>
      planOf({ ...input, paths, taskKinds }).riskTier
    expect(risk(["public/a.png", "README.md", "src/style.css"])).toBe("low")
    expect(risk(["public/a.png", "src/a.ts"])).toBe("medium")
    for (const path of ["pawl.json", "wrangler.jsonc", "migrations/1.sql", "db/migrations/2.sql"])
      expect(risk([path])).toBe("high")
    expect(risk(["README.md"], ["migrate"])).toBe("high")
    expect(risk(null)).toBe("unknown")
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
