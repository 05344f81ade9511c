/** The plan that a Candidate would have had under another Policy. */
import { describe, expect, it } from "vitest"
import type { Check, ConcernedPackage, Plan } from "@pawl/core/model/Plan"
import { defaultPolicy, type Policy, type PolicyFields } from "@pawl/core/model/Policy"
import { planUnder } from "@pawl/core/verification/PlanUnder"

const at = "2026-01-01T00:00:00.000Z"
const policy = (fields: Partial<PolicyFields> = {}, version = 1): Policy => ({
  projectId: "proj_00000000-0000-4000-8000-000000000000",
  ...defaultPolicy,
  ...fields,
  version,
  updatedAt: at,
  updatedBy: "x"
})
const check = (id: string, more: Partial<Check> = {}): Check => ({
  id,
  kind: "command",
  title: id,
  command: "run",
  required: true,
  timeoutMs: 1,
  ...more
})
const plan = (fields: Partial<Plan> = {}): Plan => ({
  policyVersion: 1,
  riskTier: "medium",
  approvalRequired: false,
  checks: [check("test")],
  ...fields
})
const under = (
  fields: Partial<PolicyFields>,
  planned: Plan = plan(),
  { paths = ["a.txt"], before = {} }: { paths?: ReadonlyArray<string> | null; before?: Partial<PolicyFields> } = {}
) => planUnder({ plan: planned, madeUnder: policy(before), policy: policy(fields, 2), paths, at })
const concern = (more: Partial<ConcernedPackage>): ConcernedPackage => ({
  concern: "new_direct",
  name: "left",
  version: "1.0.0",
  file: null,
  line: null,
  ...more
})
const packages = (...concerns: ReadonlyArray<ConcernedPackage>) => ({ concerns, count: concerns.length })

describe("A plan under another Policy", () => {
  it("has the check that only the Policy asked for no more, and keeps the one that the source may ask for", () => {
    const planned = plan({
      checks: [check("test"), check("lint", { title: "lint, which the Policy requires" })].map((each) => {
        const { command: _command, ...gone } = each
        return each.id === "lint" ? gone : each
      })
    })
    const { plan: made, unsure } = under({}, planned, { before: { requiredChecks: ["test", "lint"] } })
    expect(made.checks.map(({ id, required }) => [id, required])).toEqual([["test", true]])
    expect(unsure).toEqual(["Whether the source itself requires test is not recorded: it is taken to."])
    expect(
      under({ requiredChecks: ["test"] }, planned, { before: { requiredChecks: ["test", "lint"] } }).unsure
    ).toEqual([])
  })

  it("requires a check's base's form when the Policy does and the check itself is required", () => {
    const base = { check: "test", globs: ["a"], paths: ["a"], count: 1 }
    const planned = plan({
      checks: [check("test", { required: false }), check("test@base", { required: false, base })]
    })
    const required = (fields: Partial<PolicyFields>) => under(fields, planned).plan.checks.map((each) => each.required)
    expect(required({ baseChecksMustPass: true })).toEqual([false, false])
    expect(required({ requiredChecks: ["test"], baseChecksMustPass: true })).toEqual([true, true])
    expect(required({ requiredChecks: ["test"] })).toEqual([true, false])
  })

  it("has the waivers of the other Policy, until their dates, and none of a build", () => {
    const waived = { reason: "old", until: "2027-01-01T00:00:00.000Z" }
    const planned = plan({ checks: [check("build", { kind: "build" }), check("test", { waived })] })
    expect(under({}, planned).plan.checks.map((each) => each.waived)).toEqual([undefined, undefined])
    const again = { id: "test", ...waived }
    expect(under({ waivedChecks: [again] }, planned).plan.checks[1]?.waived).toEqual(waived)
    expect(under({ waivedChecks: [{ ...again, until: at }] }, planned).plan.checks[1]?.waived).toBeUndefined()
  })

  it("refuses the packages that it denies, and says that others are not recorded", () => {
    const planned = plan({ packages: packages(concern({})) })
    const told = under({ packages: { deny: ["left"] } }, planned, { paths: ["package-lock.json"] })
    expect(told.plan.riskTier).toBe("high")
    expect(told.plan.checks.map(({ kind }) => kind)).toEqual(["packages"])
    expect(told.plan.packages?.concerns.map((each) => each.concern)).toEqual(["denied", "new_direct"])
    expect(told.unsure).toEqual([
      "Only packages that were named then are judged: which others it brought, and their ages, is not recorded."
    ])
    expect(under({ packages: { deny: ["left"] } }).unsure).toEqual([])
    expect(under({ packages: { allow: ["left"] } }, planned).plan.packages?.count).toBe(1)
  })

  it("counts a package's age anew, and says that the risk without it is not recorded", () => {
    const young = packages(concern({ concern: "too_young", ageDays: 3 }))
    const planned = plan({ riskTier: "high", packages: young })
    const before = { packages: { minAgeDays: 7 } }
    expect(under({ packages: { minAgeDays: 5 } }, planned, { before }).plan.packages?.count).toBe(1)
    const lower = under({ packages: { minAgeDays: 2 } }, planned, { before })
    expect([lower.plan.packages, lower.plan.riskTier]).toEqual([undefined, "high"])
    expect(lower.unsure).toContain(
      "Its packages made it risky then: whether it were less risky without that is not recorded."
    )
  })

  it("owes an approval where it says which inputs checks have and evidence is reused by them", () => {
    const reuse = { evidenceReuse: "inputs" } as const
    expect(under(reuse, plan(), { paths: ["pawl.json"] }).plan.approvalRequired).toBe(true)
    expect(under(reuse).plan.approvalRequired).toBe(false)
    expect(under({ approvalRiskTiers: ["medium"] }).plan.approvalRequired).toBe(true)
  })

  it("keeps an unknown risk, unless what it brings is known to be high", () => {
    const unknown = (which: ConcernedPackage["concern"]) =>
      under({}, plan({ riskTier: "unknown", packages: packages(concern({ concern: which })) })).plan.riskTier
    expect([unknown("new_direct"), unknown("install_script")]).toEqual(["unknown", "high"])
  })
})
