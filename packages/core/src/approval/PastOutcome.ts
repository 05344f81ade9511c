/** What a Policy makes of work that was done: pure, over what is stored of it. */
import { promotesItself } from "../candidate/AutoPromotion.ts"
import { owesApproval } from "../candidate/RollbackPlan.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { Change, RiskTier } from "../model/Change.ts"
import type { Evidence } from "../model/Evidence.ts"
import type { Generation } from "../model/Generation.ts"
import type { Plan } from "../model/Plan.ts"
import type { Policy } from "../model/Policy.ts"
import type { Score } from "../model/Score.ts"
import { judge, riskAfter } from "../verification/Gate.ts"
import { concernInWords, refusedPackages } from "../verification/PackageRules.ts"
import { planUnder } from "../verification/PlanUnder.ts"
import { riskier } from "../verification/Risk.ts"
import { frozenBy } from "./Freezes.ts"
import { isApprovalOwed } from "./OwedApproval.ts"
import { type Decisions, standingOf } from "./Standing.ts"

/** One Change whose Candidate was judged, and all that was stored of it. */
export interface PastWork {
  readonly change: Change
  /** The one that was promoted, else the newest that the gate has judged. */
  readonly candidate: Candidate
  readonly composed: { readonly commit: string; readonly tree: string; readonly plan: Plan }
  /** The generation that it became; null for none. */
  readonly generation: Generation | null
  readonly evidence: ReadonlyArray<Evidence>
  /** The paths of its ChangeSets; null where they are too many to be listed. */
  readonly paths: ReadonlyArray<string> | null
  /** Of a rollback: the tiers of the Changes that it undoes. */
  readonly undone: ReadonlySet<RiskTier>
}

/** A Policy, and the decisions as it counts them. */
export interface Under {
  readonly policy: Policy
  readonly decisions: Decisions
}

/** Why it is not promoted, whoever approves it. */
export interface PastBlock {
  readonly code: "check_gap" | "packages_refused" | "frozen"
  readonly detail: string
}

/** What becomes of it under one Policy. */
export interface Outcome {
  readonly policyVersion: number
  /** Once the checks have run. */
  readonly riskTier: RiskTier
  /** How many people must approve, 0 for none; and how many of those who did would count. */
  readonly approvals: { readonly owed: number; readonly given: number }
  /** Ids of the checks that must pass. */
  readonly checks: ReadonlyArray<string>
  readonly blocks: ReadonlyArray<PastBlock>
  /** Whether it goes out without a person. */
  readonly promotesItself: boolean
}

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? ""

/** What keeps it from being promoted whoever approves: the checks, and a freeze at the time when it was promoted. */
const blocksUnder = (
  { change, generation }: PastWork,
  plan: Plan,
  required: Score["checks"],
  policy: Policy
): { readonly checks: ReadonlyArray<PastBlock>; readonly frozen: ReadonlyArray<PastBlock> } => {
  const refused = refusedPackages(plan.packages ?? null)
  const failed = required.filter(({ verdict }) => verdict !== "pass")
  const frozen =
    generation === null
      ? null
      : frozenBy(policy, { kind: change.kind, promoter: generation.actor.id, now: generation.promotedAt })
  return {
    checks:
      refused.length > 0
        ? refused.map((each) => ({ code: "packages_refused", detail: concernInWords(each, plan) }))
        : failed.map(({ checkId, summary, verdict }) => ({
            code: "check_gap",
            detail: `${checkId}: ${verdict} (${firstLine(summary)})`
          })),
    frozen: frozen === null ? [] : [{ code: "frozen", detail: `frozen until ${frozen.until}: ${frozen.reason}` }]
  }
}

/** Who approved then could: that somebody has left since says nothing of the Policy. */
const asThen = (decisions: Decisions): Decisions => ({
  ...decisions,
  here: new Set(decisions.approvals.map(({ record }) => record.approver))
})

/** What becomes of it with a plan, under the Policy that this is made under. */
const outcomeOf = (work: PastWork, plan: Plan, { decisions, policy }: Under): Outcome => {
  const { candidate, change, composed, evidence } = work
  const required = judge(plan, composed, evidence, candidate.createdAt).checks.filter((each) => each.required)
  const blocks = blocksUnder(work, plan, required, policy)
  const riskTier = riskAfter(plan, composed, evidence)
  const isOwed = isApprovalOwed(plan, composed, evidence, policy)
  const judged = { plan: { ...plan, riskTier, approvalRequired: isOwed } }
  return {
    policyVersion: policy.version,
    riskTier,
    approvals: {
      owed: isOwed ? policy.approvalsRequired : 0,
      given: standingOf(asThen(decisions), composed.tree, policy).granted.length
    },
    checks: required.map(({ checkId }) => checkId),
    blocks: [...blocks.checks, ...blocks.frozen],
    promotesItself:
      blocks.checks.length === 0 &&
      plan.checks.length > 0 &&
      promotesItself(judged, { riskTier: riskier(change.riskTier, riskTier) }, policy)
  }
}

/** A rollback's checks are no Policy's; what it undoes says whether people are asked. */
const planOfRollback = ({ composed, undone }: PastWork, policy: Policy): Plan => ({
  ...composed.plan,
  policyVersion: policy.version,
  approvalRequired: owesApproval(undone, policy)
})

/** What became of it under the Policy of its plan, and what would under another. */
export const outcomesOf = (work: PastWork, then: Under, draft: Under) => {
  const { candidate, change, composed, paths } = work
  const anew =
    change.kind === "rollback"
      ? { plan: planOfRollback(work, draft.policy), unsure: [] }
      : planUnder({ plan: composed.plan, madeUnder: then.policy, policy: draft.policy, paths, at: candidate.createdAt })
  return {
    was: outcomeOf(work, composed.plan, then),
    would: outcomeOf(work, anew.plan, draft),
    unsure: anew.unsure
  }
}

/** In what an outcome differs from another, and why, in words. */
export interface Difference {
  readonly code: "approvals" | "checks" | "blocked" | "not_blocked" | "auto_promoted" | "not_auto_promoted"
  readonly reason: string
}

const people = (count: number): string => (count === 1 ? "1 person" : `${count} people`)

const approvalDifference = (was: Outcome, would: Outcome, policy: Policy): ReadonlyArray<Difference> => {
  const [before, after] = [was.approvals, would.approvals]
  if (before.owed === after.owed && (after.owed === 0 || before.given === after.given)) return []
  if (after.owed === 0)
    return [
      {
        code: "approvals",
        reason: `No approval would be owed at risk ${would.riskTier}; ${people(before.owed)} had to approve.`
      }
    ]
  const why = policy.approvalRiskTiers.includes(would.riskTier)
    ? `At risk ${would.riskTier}`
    : "For what it touches or undoes"
  const earlier = before.owed === 0 ? "nobody had to" : `${people(before.owed)} had to`
  const given = after.given === 0 ? "None was given that would count." : `${after.given} of those given would count.`
  return [{ code: "approvals", reason: `${why} ${people(after.owed)} would have to approve; ${earlier}. ${given}` }]
}

const checkDifference = (was: Outcome, would: Outcome): ReadonlyArray<Difference> => {
  const more = would.checks.filter((id) => !was.checks.includes(id))
  const fewer = was.checks.filter((id) => !would.checks.includes(id))
  const said = [
    ...(more.length === 0 ? [] : [`Would have to pass too: ${more.join(", ")}.`]),
    ...(fewer.length === 0 ? [] : [`Would not have to pass: ${fewer.join(", ")}.`])
  ]
  return said.length === 0 ? [] : [{ code: "checks", reason: said.join(" ") }]
}

const blockDifference = (was: Outcome, would: Outcome): ReadonlyArray<Difference> => {
  const news = would.blocks.filter(
    ({ code, detail }) => !was.blocks.some((each) => each.code === code && each.detail === detail)
  )
  if (news.length > 0) return [{ code: "blocked", reason: news.map(({ detail }) => detail).join("; ") }]
  if (was.blocks.length === 0 || would.blocks.length > 0) return []
  return [
    { code: "not_blocked", reason: `Would not stand in its way: ${was.blocks.map(({ detail }) => detail).join("; ")}` }
  ]
}

const automaticDifference = (was: Outcome, would: Outcome): ReadonlyArray<Difference> => {
  if (was.promotesItself === would.promotesItself) return []
  return would.promotesItself
    ? [{ code: "auto_promoted", reason: `It would go out by itself at risk ${would.riskTier}.` }]
    : [{ code: "not_auto_promoted", reason: "It would wait for a person to promote it." }]
}

/** All differences that the draft of a Policy makes, none where it makes none. */
export const differencesOf = (was: Outcome, would: Outcome, policy: Policy): ReadonlyArray<Difference> => [
  ...approvalDifference(was, would, policy),
  ...checkDifference(was, would),
  ...blockDifference(was, would),
  ...automaticDifference(was, would)
]
