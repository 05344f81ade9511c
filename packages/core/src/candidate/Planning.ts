/**
 * The verification plan. Checks come from the canonical base: a Candidate that alters or removes one still runs
 * the base's form, one that it adds runs too, and its risk becomes high (decisions, "Records", Plan).
 */
import type { Policy } from "../approval/Policy.ts"
import type { TaskKind } from "../task/Task.ts"
import { canonicalJson } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import type { PawlCheck } from "../project/PawlFile.ts"
import type { Check, Plan } from "./Plan.ts"
import { riskOf } from "./Risk.ts"

const commandCheck = (check: PawlCheck): Check => ({
  id: check.id,
  kind: "command",
  title: check.title ?? check.id,
  command: check.command,
  required: check.required,
  timeoutMs: check.timeoutMs
})

export const buildCheck: Check = {
  id: "build",
  kind: "build",
  title: "The app builds",
  required: true,
  timeoutMs: Limits.buildTimeoutMs
}

/** What the Policy makes of a check. A build is required of every Project with an app: no Policy waives it. */
const underPolicy = (check: Check, policy: Policy, now: string): Check => {
  const required = check.required || policy.requiredChecks.includes(check.id)
  const waived = policy.waivedChecks.find((each) => each.id === check.id && each.until > now)
  if (waived === undefined || check.kind === "build") return { ...check, required }
  return { ...check, required, waived: { reason: waived.reason, until: waived.until } }
}

/** A check that the Policy requires and the source does not define: without a command it can only be a gap. */
const undefinedCheck = (id: string): Check => ({
  id,
  kind: "command",
  title: `${id}, which the Policy requires`,
  required: true,
  timeoutMs: Limits.checkTimeoutMs
})

export interface PlanInput {
  readonly base: ReadonlyArray<PawlCheck>
  readonly candidate: ReadonlyArray<PawlCheck>
  /** Paths that the composed tree changes; null when they could not be read. */
  readonly paths: ReadonlyArray<string> | null
  readonly taskKinds: ReadonlyArray<TaskKind>
  /** A Project with an app must build. */
  readonly hasApp: boolean
  readonly policy: Policy
  readonly now: string
}

export const planOf = (input: PlanInput): Plan => {
  const added = input.candidate.filter((check) => !input.base.some((each) => each.id === check.id))
  const checksTouched = canonicalJson(input.base) !== canonicalJson(input.candidate)
  const riskTier = riskOf({ paths: input.paths, taskKinds: input.taskKinds, checksTouched })
  const defined = [...(input.hasApp ? [buildCheck] : []), ...[...input.base, ...added].map(commandCheck)]
  const missing = input.policy.requiredChecks.filter((id) => !defined.some((check) => check.id === id))
  const checks = [...defined, ...missing.map(undefinedCheck)]
  return {
    policyVersion: input.policy.version,
    riskTier,
    approvalRequired: input.policy.approvalRiskTiers.includes(riskTier),
    checks: checks.map((check) => underPolicy(check, input.policy, input.now))
  }
}
