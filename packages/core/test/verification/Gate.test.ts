import { describe, expect, it } from "vitest"
import type { Plan } from "@pawl/core/model/Plan"
import type { Evidence, EvidenceResult, EvidenceStatus } from "@pawl/core/model/Evidence"
import { judge } from "@pawl/core/verification/Gate"

const composed = { commit: "a".repeat(40), tree: "b".repeat(40) }
const plan: Plan = {
  policyVersion: 1,
  riskTier: "low",
  approvalRequired: false,
  checks: [{ id: "test", kind: "command", title: "test", command: "true", required: true, timeoutMs: 1 }]
}
const row = (status: EvidenceStatus, result: EvidenceResult, fields: Partial<Evidence> = {}): Evidence => ({
  id: "evd_00000000000000000000000000",
  projectId: "proj_00000000-0000-4000-8000-000000000000",
  subject: { candidateId: "cand_000000000000000000000000" },
  checkId: "test",
  status,
  result,
  ...composed,
  outputKey: null,
  outputDigest: null,
  startedAt: "2026-01-01T00:00:00.000Z",
  finishedAt: "2026-01-01T00:00:00.000Z",
  runner: { isolation: "x", version: "1", guarantees: [] },
  summary: "",
  attempt: 1,
  ...fields
})

const now = "2026-01-01T00:00:00.000Z"

describe("The gate", () => {
  it("is satisfied by checked_supported with pass and by nothing else", () => {
    for (const status of ["checked_supported", "checked_unsupported", "not_checked"] as const)
      for (const result of ["pass", "fail", "gap"] as const)
        expect(`${status} ${result} ${judge(plan, composed, [row(status, result)], now).passed}`).toBe(
          `${status} ${result} ${status === "checked_supported" && result === "pass"}`
        )
  })

  it("counts evidence of the exact commit and tree only, and of Candidates only", () => {
    const pass = (fields: Partial<Evidence>) =>
      judge(plan, composed, [row("checked_supported", "pass", fields)], now).passed
    expect(pass({})).toBe(true)
    expect(pass({ tree: "c".repeat(40) })).toBe(false)
    expect(pass({ commit: "c".repeat(40) })).toBe(false)
    expect(pass({ checkId: "other" })).toBe(false)
    expect(pass({ subject: { releaseId: "rel_proj_00000000-0000-4000-8000-000000000000_1" } })).toBe(false)
  })

  it("takes the last row of a check, and a check without a row as a gap", () => {
    expect(judge(plan, composed, [], now).checks).toEqual([
      { checkId: "test", required: true, verdict: "gap", evidenceId: null, summary: "no evidence" }
    ])
    expect(
      judge(plan, composed, [row("checked_supported", "pass"), row("checked_supported", "fail")], now).passed
    ).toBe(false)
    const gap = row("not_checked", "gap")
    expect(judge(plan, composed, [gap, row("checked_supported", "pass")], now).passed).toBe(true)
    expect(judge(plan, composed, [row("checked_supported", "pass"), gap], now).passed).toBe(false)
  })

  it("never lets a later row hide a failure that it is not the retry of", () => {
    const id = (n: number) => `evd_0000000000000000000000000${n}` as const
    const failure = row("checked_unsupported", "fail", { id: id(1) })
    const retry = row("checked_supported", "pass", { id: id(2), attempt: 2, retryOf: id(1) })
    const pass = row("checked_supported", "pass", { id: id(3), attempt: 2 })
    const allowed: Plan = { ...plan, flakeRetries: 1 }
    const counted = (rows: ReadonlyArray<Evidence>, under = allowed, of = composed) => {
      const { checks, flaky, passed } = judge(under, of, rows, now)
      return [passed, checks[0]?.verdict, checks[0]?.evidenceId, flaky ?? false]
    }
    const failed = [false, "fail", id(1), false]
    expect(counted([failure, retry])).toEqual([true, "pass", id(2), true])
    expect(counted([failure, pass])).toEqual(failed)
    // Nobody allowed it.
    expect(counted([failure, retry], plan)).toEqual(failed)
    // Of another failure.
    expect(counted([failure, { ...retry, retryOf: id(9) }])).toEqual(failed)
    // One retry, and not the better of two.
    expect(counted([failure, { ...retry, id: id(4), result: "fail" }, retry])[0]).toBe(false)
    expect(counted([failure, { ...retry, id: id(4) }, retry])).toEqual(failed)
    // What could not run shows nothing of the failure.
    expect(counted([failure, { ...retry, status: "not_checked", result: "gap" }])).toEqual(failed)
    // Nor does what ran on another tree, wherever it is counted.
    const elsewhere = { ...composed, tree: "c".repeat(40) }
    expect(counted([failure, { ...retry, tree: elsewhere.tree }])).toEqual(failed)
    expect(counted([failure, { ...retry, tree: elsewhere.tree }], allowed, elsewhere)).toEqual([
      false,
      "gap",
      null,
      false
    ])
    expect(counted([failure, retry, pass])).toEqual(failed)
    expect(counted([failure, retry, { ...failure, id: id(5) }])).toEqual([false, "fail", id(5), false])
  })

  it("lets an optional check fail, and never passes a plan without checks", () => {
    const optional = { ...plan, checks: [{ ...plan.checks[0]!, required: false }] }
    expect(judge(optional, composed, [row("checked_supported", "fail")], now).passed).toBe(true)
    expect(judge({ ...plan, checks: [] }, composed, [], now).passed).toBe(false)
  })
})
