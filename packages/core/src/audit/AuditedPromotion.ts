/** The statement of a promotion, made anew from the records of today. */
import { Effect } from "effect"
import { groundsOf } from "../approval/Grounds.ts"
import { approvalsOf } from "../approval/Standing.ts"
import { madeBefore } from "../candidate/Origin.ts"
import { approvalIdsOf, type Generation } from "../model/Generation.ts"
import { find } from "../ledger/Decision.ts"
import { promotionFact } from "../promotion/PromotionFacts.ts"
import type { AdoptedAt } from "../provenance/Facts.ts"
import { evidenceOf, repeatedBy } from "../verification/CandidateEvidence.ts"

/** What the statement of a promoted generation must say; null where records of it are missing. */
export const promotionOf = Effect.fnUntraced(function* (step: Generation, adopted: AdoptedAt) {
  const { candidateId, changeId, policyVersion, projectId } = step
  if (candidateId === null || changeId === null) return null
  const candidate = yield* find("candidate", candidateId)
  const change = yield* find("change", changeId)
  const policy = yield* find("policyVersion", `${projectId}/${policyVersion}`)
  if (candidate === null || change === null || policy === null || candidate.record.plan === null) return null
  const stored = yield* approvalsOf(candidateId)
  const approvals = stored.map(({ record }) => record)
  const evidence = yield* evidenceOf(candidateId)
  const promoted = {
    step,
    candidate: candidate.record,
    change: change.record,
    made: candidate.record.made ?? (yield* madeBefore(candidate.record, change.record)),
    policy: policy.record,
    evidence,
    repeated: yield* repeatedBy(evidence),
    approvals: approvalIdsOf(step).flatMap((id) => approvals.find((each) => each.id === id) ?? []),
    grounds: (yield* groundsOf(stored, candidate.record)).of
  }
  return promotionFact(promoted, candidate.record.plan, adopted)
})
