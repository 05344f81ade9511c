/** What somebody might do to the records of retries, waivers and freezes. */
import { alter, type Crime } from "./AuditCrimes.ts"

export const policyCrimes: ReadonlyArray<Crime> = [
  {
    what: "a plan retries what failed, and its Policy does not",
    tamper: alter(
      "candidate",
      (made) => made.one,
      (row) => ({ ...row, plan: { ...row.plan!, flakeRetries: 1 } })
    ),
    generation: 1,
    code: "plan_weakened"
  },
  {
    what: "a plan waives a check, and its Policy does not",
    tamper: alter(
      "candidate",
      (made) => made.one,
      (row) => ({
        ...row,
        plan: {
          ...row.plan!,
          checks: row.plan!.checks.map((check) => ({
            ...check,
            waived: { reason: "flaky", until: "2999-01-01T00:00:00.000Z", because: "flaky" as const }
          }))
        }
      })
    ),
    generation: 1,
    code: "plan_weakened"
  },
  {
    what: "a failure is followed by a pass on another tree that is said to be its retry",
    tamper: () => (kind, record) =>
      kind === "evidence" && "checkId" in record && record.checkId === "test"
        ? { ...record, retryOf: "evd_00000000000000000000000000" }
        : record,
    generation: 1,
    code: "check_unsatisfied"
  },
  {
    what: "a freeze is put around a promotion",
    tamper: () => (kind, record) =>
      kind === "policyVersion"
        ? {
            ...record,
            freezes: [{ from: "1970-01-01T00:00:00.000Z", until: "2999-01-01T00:00:00.000Z", reason: "for ever" }]
          }
        : record,
    generation: 1,
    code: "promoted_while_frozen"
  }
]
