/**
 * What the statement of a promotion says: a pure function of the records that it stood on, so that an audit makes it anew
 * and compares it byte for byte.
 */
import type { Approval } from "../model/Approval.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { Change } from "../model/Change.ts"
import type { Evidence } from "../model/Evidence.ts"
import type { Generation } from "../model/Generation.ts"
import type { Made } from "../model/Made.ts"
import type { Plan } from "../model/Plan.ts"
import type { Policy } from "../model/Policy.ts"
import type { Grounds } from "../approval/Grounds.ts"
import { isApprovalOwed } from "../approval/OwedApproval.ts"
import { canonicalJson, sha256AtOnce, utf8 } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import { planDigest } from "../provenance/ApprovalText.ts"
import { type AdoptedAt, bundleSubject, policyRef, sha, sourceDigest, sourceSubject } from "../provenance/Facts.ts"
import type { ApprovedFact, CheckedFact } from "../provenance/Predicates.ts"
import { recordDigest } from "../provenance/RecordDigest.ts"
import type { Fact } from "../provenance/Statements.ts"
import { judge, riskAfter } from "../verification/Gate.ts"

/** All that a promotion's statement is made of. */
export interface Promoted {
  /** The generation that it makes. */
  readonly step: Generation
  /** As it was composed and planned. */
  readonly candidate: Candidate
  readonly change: Pick<Change, "id" | "createdBy" | "rollbackTarget">
  /** Who made its ChangeSets: of the Candidate, or for one of an earlier version `madeOf`. */
  readonly made: ReadonlyArray<Made>
  /** In force when it was promoted. */
  readonly policy: Policy
  /** All rows of the Candidate, oldest first. */
  readonly evidence: ReadonlyArray<Evidence>
  /** The rows of other Candidates that rows of it repeat. Absent where none does. */
  readonly repeated?: ReadonlyArray<Evidence>
  /** Those that counted, oldest first. */
  readonly approvals: ReadonlyArray<Approval>
  /** What those stand on that were carried over, by their ids. */
  readonly grounds: Grounds["of"]
}

/** Of a retry: the failure that it is of. */
const retried = ({ retryOf }: Evidence, evidence: ReadonlyArray<Evidence>): Pick<CheckedFact, "retryOf"> => {
  const failure = retryOf === undefined ? undefined : evidence.find(({ id }) => id === retryOf)
  return failure === undefined ? {} : { retryOf: { id: failure.id, record: sha(recordDigest("evidence", failure)) } }
}

/** Every check of the plan that left a row, in the order of the plan. */
const checkedOf = ({ evidence, repeated = [], step }: Promoted, plan: Plan): ReadonlyArray<CheckedFact> =>
  judge(plan, step, evidence, step.promotedAt).checks.flatMap((verdict, index) => {
    const row = evidence.find(({ id }) => id === verdict.evidenceId)
    const check = plan.checks[index]
    if (row === undefined || check === undefined) return []
    const earlier = repeated.find(({ id }) => id === row.reuses)
    const isWaived = check.required && !verdict.required && verdict.verdict !== "pass"
    return [
      {
        check: check.id,
        id: row.id,
        required: check.required,
        result: row.result,
        runner: row.runner.isolation,
        attempt: row.attempt,
        ...retried(row, evidence),
        ...(isWaived && check.waived !== undefined ? { waived: { until: check.waived.until } } : {}),
        record: sha(recordDigest("evidence", row)),
        output: row.outputDigest === null ? null : sha(row.outputDigest),
        ...(earlier === undefined ? {} : { reuses: { id: earlier.id, record: sha(recordDigest("evidence", earlier)) } })
      }
    ]
  })

/** Of one that was carried over, what the person granted: the row that a passkey may have signed. */
const approvedOf = ({ approvals, grounds }: Promoted): ReadonlyArray<ApprovedFact> =>
  approvals.map((approval) => {
    const given = grounds.get(approval.id)?.original ?? approval
    return {
      id: given.id,
      approver: given.approver,
      tree: given.tree,
      record: sha(recordDigest("approval", given)),
      ...(approval.basis === undefined ? {} : { carriedFrom: { tree: given.tree, diff: sha(approval.basis) } })
    }
  })

/** The row of the build that counted; undefined where none was owed. */
const builtOf = ({ evidence, step }: Promoted, plan: Plan): Evidence | undefined => {
  const passed = judge(plan, step, evidence, step.promotedAt).checks
  const ids = passed.flatMap(({ evidenceId, verdict }) => (verdict === "pass" ? [evidenceId] : []))
  return evidence.find((row) => row.bundleDigest !== undefined && ids.includes(row.id))
}

/** The ChangeSets, or their digest where the statement would get too long with them. */
const madeIn = (made: ReadonlyArray<Made>, checks: ReadonlyArray<CheckedFact>) => {
  // Of a few nobody need know how long they are: 1 KiB is more than either takes.
  if ((made.length + checks.length) * 1024 <= Limits.statementListBytes) return { made }
  const text = canonicalJson(made)
  const bytes = utf8(text).length + utf8(canonicalJson(checks)).length
  return bytes <= Limits.statementListBytes
    ? { made }
    : { made: [], madeOf: { count: made.length, sha256: sha256AtOnce(text) } }
}

/** That a Candidate became a generation. */
export const promotionFact = (promoted: Promoted, plan: Plan, adopted: AdoptedAt = {}): Fact<"promotion"> => {
  const { candidate, change, evidence, made, policy, step } = promoted
  const checks = checkedOf(promoted, plan)
  const built = builtOf(promoted, plan)
  const owes = isApprovalOwed(plan, step, evidence, policy)
  return {
    kind: "promotion",
    generation: step.generation,
    subject: [sourceSubject(step), ...(built?.bundleDigest === undefined ? [] : [bundleSubject(built.bundleDigest)])],
    facts: {
      generation: step.generation,
      trigger: step.trigger,
      actor: { type: step.actor.type, id: step.actor.id },
      candidate: {
        id: candidate.id,
        change: change.id,
        openedBy: change.createdBy.id,
        risk: riskAfter(plan, step, evidence),
        recomposition: candidate.recomposition,
        ...(candidate.diff === undefined ? {} : { diff: sha(candidate.diff) })
      },
      base: {
        generation: candidate.baseGeneration,
        digest: sourceDigest({ commit: candidate.baseCommit, tree: candidate.baseTree })
      },
      ...madeIn(made, checks),
      policy: policyRef(policy),
      plan: sha(planDigest(plan)),
      checks,
      approvals: approvedOf(promoted),
      approvalsRequired: owes ? policy.approvalsRequired : 0,
      packages: built?.sbom === undefined ? null : { sbom: sha(built.sbom) },
      ...(change.rollbackTarget === undefined ? {} : { rollbackTo: change.rollbackTarget }),
      ...adopted
    }
  }
}
