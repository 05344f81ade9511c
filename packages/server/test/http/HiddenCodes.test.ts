/** Codes that decisions inside are taken by are no part of the API's records. */
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { Candidate } from "@pawl/core/model/Candidate"
import { Evidence } from "@pawl/core/model/Evidence"
import { CandidateRecord, EvidenceRecord } from "@pawl/server/api/RecordSchemas"

const at = "2026-11-22T10:00:00.000Z"
const digits = (n: number) => "0".repeat(n)

const stored = {
  id: `cand_${digits(24)}`,
  projectId: "proj_00000001-0000-4000-8000-000000000000",
  changeId: "chg_00000001-0000-4000-8000-000000000000",
  lineage: `cand_${digits(24)}`,
  recomposition: 0,
  attempt: 1,
  ahead: null,
  base_generation: 0,
  base_commit: digits(40),
  base_tree: digits(40),
  changeSets: [],
  commit: null,
  tree: null,
  status: "rejected",
  reason: "its verification was given up",
  rejection: "verification_given_up",
  conflicts: [],
  plan_json: null,
  score_json: null,
  fork_deleted_at: null,
  createdAt: at,
  updatedAt: at
}
const candidate = Schema.decodeUnknownSync(Candidate)(stored)

const evidence = Schema.decodeUnknownSync(Evidence)({
  id: `evd_${digits(26)}`,
  projectId: candidate.projectId,
  subject: { candidateId: candidate.id },
  checkId: "test",
  status: "not_checked",
  result: "gap",
  commit: digits(40),
  tree: digits(40),
  outputKey: null,
  outputDigest: null,
  startedAt: at,
  finishedAt: at,
  runner: { isolation: "none", version: "", guarantees: [] },
  summary: "no end after 1 ms",
  gap: "timed_out",
  attempt: 3
})

describe("A record of the API", () => {
  it("says in words why a Candidate was rejected or a check could not run, and holds no code of it", () => {
    const { rejection, ...shown } = stored
    expect(rejection).toBe("verification_given_up")
    expect(Schema.encodeSync(CandidateRecord)(candidate)).toEqual(shown)
    const { gap, ...seen } = evidence
    expect(gap).toBe("timed_out")
    expect(Schema.encodeSync(EvidenceRecord)(evidence)).toEqual(seen)
  })
})
