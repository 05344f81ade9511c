import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { Approval } from "@pawl/core/model/Approval"
import { Policy } from "@pawl/core/model/Policy"
import { entityOf } from "@pawl/core/model/Entities"
import { approvalIdsOf, Generation } from "@pawl/core/model/Generation"

const projectId = "proj_00000000-0000-4000-8000-000000000000"
const at = "2026-01-01T00:00:00.000Z"
const id = "a".repeat(40)
const approvalId = "apr_00000000000000000000000000"
const candidateId = "cand_000000000000000000000000"

describe("Rows of an older Pawl", () => {
  it("stay the decisions that they were: the first on its Candidate, under its own key", () => {
    const old = Schema.decodeUnknownSync(Approval)({
      id: approvalId,
      projectId,
      candidateId,
      changeId: "chg_00000000-0000-4000-8000-000000000000",
      tree: id,
      decision: "granted",
      approver: "usr_00000000-0000-4000-8000-000000000001",
      decidedAt: at
    })
    expect(entityOf("approval").id(old)).toBe(candidateId)
    expect(entityOf("approval").id({ ...old, nth: 2 })).toBe(`${candidateId}/2`)
  })

  it("are Policies that ask for one approval, and for nothing of the base's checks or of packages", () => {
    const old = {
      projectId,
      version: 3,
      autoPromoteRiskTiers: [],
      approvalRiskTiers: ["high"],
      requiredChecks: [],
      allowSelfApproval: true,
      waivedChecks: [],
      updatedAt: at,
      updatedBy: "x"
    }
    expect(Schema.decodeUnknownSync(Policy)(old)).toMatchObject({
      approvalsRequired: 1,
      baseChecksMustPass: false,
      packages: {}
    })
  })

  it("are generations that stood on the one approval that they name", () => {
    const old = Schema.decodeUnknownSync(Generation)({
      projectId,
      generation: 1,
      commit: id,
      tree: id,
      candidateId: null,
      changeId: null,
      actor: { type: "user", id: "x" },
      trigger: "user",
      policyVersion: 1,
      evidenceIds: [],
      approvalId,
      promotedAt: at
    })
    expect(approvalIdsOf(old)).toEqual([approvalId])
    expect(approvalIdsOf({ ...old, approvalId: null })).toEqual([])
  })
})
