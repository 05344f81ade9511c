/**
 * The plan that a Candidate would have had under another Policy: the one that it had, with what the Policy says of it
 * put anew. Pure; what a plan does not tell is named.
 */
import type { Check, Plan } from "../model/Plan.ts"
import type { Policy } from "../model/Policy.ts"
import { canonicalJson } from "../primitives/Digest.ts"
import type { Timestamp } from "../primitives/Time.ts"
import { judgedAnew, packageRisk, refusedPackages } from "./PackageRules.ts"
import { packagesCheck, touchesInputs, undefinedCheck, underPolicy } from "./PlanRules.ts"
import { riskier } from "./Risk.ts"

/** What is asked: a plan, the Policy that it was made under, and another. */
export interface PlanQuestion {
  readonly plan: Plan
  /** The Policy of the plan. */
  readonly madeUnder: Policy
  /** The other one. */
  readonly policy: Policy
  /** The paths that the ChangeSets change; null where they are too many to be listed. */
  readonly paths: ReadonlyArray<string> | null
  /** When it was planned: a waiver counts until its date. */
  readonly at: Timestamp
}

const namesPackages = (path: string): boolean =>
  /(^|\/)(package\.json|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml)$|(^|\/)node_modules\//.test(path)

/** The check as the source defines it, as far as its plan tells: only its Policy had it required, or maybe also the source. */
const definition = (check: Check, { madeUnder }: PlanQuestion): { readonly check: Check; readonly isSure: boolean } => {
  const { waived: _waived, ...own } = check
  return { check: own, isSure: !madeUnder.requiredChecks.includes(check.id) || !check.required }
}

const checksUnder = (question: PlanQuestion) => {
  const { plan, policy } = question
  const defined = plan.checks.filter(
    ({ command, kind }) => kind !== "packages" && (kind !== "command" || command !== undefined)
  )
  const originals = new Map(
    defined.flatMap((check) => (check.base === undefined ? [[check.id, definition(check, question)]] : []))
  )
  const isRequired = (id: string) => originals.get(id)?.check.required === true || policy.requiredChecks.includes(id)
  const renewed = defined.map((check): Check => {
    const own = definition(check, question).check
    return check.base === undefined
      ? own
      : { ...own, required: policy.baseChecksMustPass && isRequired(check.base.check) }
  })
  const missing = policy.requiredChecks.filter((id) => !originals.has(id)).map(undefinedCheck)
  const unsure = [...originals].flatMap(([id, { isSure }]) =>
    isSure || policy.requiredChecks.includes(id)
      ? []
      : [`Whether the source itself requires ${id} is not recorded: it is taken to.`]
  )
  return { checks: [...renewed, ...missing].map((check) => underPolicy(check, policy, question.at)), unsure }
}

const packagesUnder = ({ madeUnder, paths, plan, policy }: PlanQuestion) => {
  const packages = judgedAnew(plan.packages, policy.packages)
  const differs = canonicalJson(policy.packages) !== canonicalJson(madeUnder.packages)
  const brings = paths === null || paths.some(namesPackages)
  return {
    packages,
    unsure:
      differs && brings
        ? ["Only packages that were named then are judged: which others it brought, and their ages, is not recorded."]
        : []
  }
}

/** The plan under the other Policy, and what of it could not be told. */
export const planUnder = (question: PlanQuestion): { readonly plan: Plan; readonly unsure: ReadonlyArray<string> } => {
  const { madeUnder, paths, plan, policy } = question
  const { packages, unsure: unsurePackages } = packagesUnder(question)
  const { checks, unsure: unsureChecks } = checksUnder(question)
  const isRefused = refusedPackages(packages).length > 0
  const wasRefused = plan.checks.some(({ kind }) => kind === "packages")
  const risk = packageRisk(packages)
  const isUnknown = plan.riskTier === "unknown" && risk !== "high"
  const riskTier = risk === null || isUnknown ? plan.riskTier : riskier(plan.riskTier, risk)
  const { flakeRetries: _retries, packages: _packages, reuse: _reuse, ...kept } = plan
  const unsure = [
    ...unsureChecks,
    ...unsurePackages,
    ...(wasRefused && !isRefused ? ["Its packages were refused then, and nothing else of it was checked."] : []),
    ...(packageRisk(plan.packages ?? null) === "high" && risk !== "high"
      ? ["Its packages made it risky then: whether it were less risky without that is not recorded."]
      : []),
    ...(policy.flakeRetries === 1 && madeUnder.flakeRetries !== 1
      ? ["A check that failed would have run once more: how that ends is not known."]
      : [])
  ]
  return {
    plan: {
      ...kept,
      policyVersion: policy.version,
      riskTier,
      approvalRequired:
        policy.approvalRiskTiers.includes(riskTier) || (policy.evidenceReuse === "inputs" && touchesInputs({ paths })),
      checks: isRefused ? [packagesCheck] : checks,
      ...(policy.flakeRetries === 1 ? { flakeRetries: 1 as const } : {}),
      ...(packages === null ? {} : { packages })
    },
    unsure
  }
}
