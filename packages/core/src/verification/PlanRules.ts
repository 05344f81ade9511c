/**
 * The verification plan. Checks come from the canonical base: a Candidate that alters or removes one still runs
 * the base's form, one that it adds runs too, and its risk becomes high (decisions, "Records", Plan).
 */
import type { Policy, PolicyFields } from "../model/Policy.ts"
import type { TaskKind } from "../model/Task.ts"
import { canonicalJson } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import { packageFile, type Scripts } from "../project/PackageScripts.ts"
import { pawlFile, type PawlCheck } from "../project/PawlFile.ts"
import { fitsGlob } from "../project/Globs.ts"
import { checkFiles, isReadBy, scriptsRun } from "./CheckFiles.ts"
import type { Check, Plan, PlannedPackages, Waiver } from "../model/Plan.ts"
import { refusedPackages } from "./PackageRules.ts"
import { riskOf } from "./Risk.ts"

const commandCheck = (check: PawlCheck): Check => ({
  id: check.id,
  kind: "command",
  title: check.title ?? check.id,
  command: check.command,
  required: check.required,
  timeoutMs: check.timeoutMs,
  ...(check.inputs === undefined ? {} : { inputs: check.inputs })
})

/** The check of every Project that has an app. */
export const buildCheck: Check = {
  id: "build",
  kind: "build",
  title: "The app builds",
  required: true,
  timeoutMs: Limits.buildTimeoutMs
}

/** The only check of a Candidate with packages that the Policy refuses: nothing of it is fetched, built or run. */
export const packagesCheck: Check = {
  id: "packages@policy",
  kind: "packages",
  title: "The Policy takes its packages",
  required: true,
  timeoutMs: Limits.checkTimeoutMs
}

const isRequired = (check: Pick<Check, "id" | "required">, policy: Policy): boolean =>
  check.required || policy.requiredChecks.includes(check.id)

const waiverOf = ({ because, reason, until }: PolicyFields["waivedChecks"][number]): Waiver => ({
  reason,
  until,
  ...(because === undefined ? {} : { because })
})

/** What the Policy makes of a check. A build is required of every Project with an app: no Policy waives it. */
export const underPolicy = (check: Check, policy: Policy, now: string): Check => {
  const required = isRequired(check, policy)
  const waived = policy.waivedChecks.find((each) => each.id === (check.base?.check ?? check.id) && each.until > now)
  if (waived === undefined || check.kind === "build") return { ...check, required }
  return { ...check, required, waived: waiverOf(waived) }
}

/** A check that the Policy requires and the source does not define: without a command it can only be a gap. */
export const undefinedCheck = (id: string): Check => ({
  id,
  kind: "command",
  title: `${id}, which the Policy requires`,
  required: true,
  timeoutMs: Limits.checkTimeoutMs
})

/** All that a plan is made from; nothing else is read. */
export interface PlanInput {
  readonly base: ReadonlyArray<PawlCheck>
  readonly candidate: ReadonlyArray<PawlCheck>
  /** Paths that the composed tree changes; null when they could not be read. */
  readonly paths: ReadonlyArray<string> | null
  /** Files of the base that it alters or deletes. */
  readonly altered: ReadonlyArray<string>
  /** Those paths that hold a script, before or after, or could not be looked at. */
  readonly scripted: ReadonlySet<string>
  /** The folder that the composed settings serve to anyone. */
  readonly assets: string | null
  /** Of the package.json of base and Candidate. */
  readonly scripts: { readonly base: Scripts; readonly candidate: Scripts }
  readonly taskKinds: ReadonlyArray<TaskKind>
  /** What was judged of the packages that it adds or moves; null for nothing. */
  readonly packages: PlannedPackages | null
  /** A Project with an app must build. */
  readonly hasApp: boolean
  readonly policy: Policy
  readonly now: string
}

/** The scripts of package.json that a check runs in the base, where the Candidate has others by their names. */
const scriptsTouched = ({ command }: PawlCheck, { scripts }: Pick<PlanInput, "scripts">): Scripts | null => {
  const before = Object.fromEntries(scriptsRun(command, scripts.base))
  const after = Object.fromEntries(scriptsRun(command, scripts.candidate))
  return canonicalJson(before) === canonicalJson(after) ? null : before
}

/**
 * A check that runs with the base's form of its files and scripts too, where the Candidate alters or deletes some. New
 * ones cost nothing.
 */
const baseChecksOf = (check: PawlCheck, input: PlanInput): ReadonlyArray<Check> => {
  const { altered, policy } = input
  if (altered.length > Limits.alteredFiles) return []
  const scripts = scriptsTouched(check, input)
  const globs = checkFiles(check, input.scripts.base).filter((glob) => altered.some((path) => fitsGlob(glob, path)))
  const found = altered.filter((path) => globs.some((glob) => fitsGlob(glob, path)))
  const paths = scripts === null || found.includes(packageFile) ? found : [packageFile, ...found]
  if (paths.length === 0) return []
  const named = paths.slice(0, Limits.baseFilesNamed)
  const again = {
    ...commandCheck(check),
    id: `${check.id}@base`,
    title: `${check.title ?? check.id}, with the base's form of ${named[0]}${paths.length > 1 ? ` and ${paths.length - 1} more` : ""}`,
    base: {
      check: check.id,
      globs: [...new Set(globs)],
      paths: named,
      count: paths.length,
      ...(scripts === null ? {} : { scripts: Object.entries(scripts).map(([name, command]) => ({ name, command })) })
    }
  }
  // Whether it is required is the Policy's to say, and no more than of the check itself.
  return [{ ...again, required: policy.baseChecksMustPass && isRequired(check, policy) }]
}

/** What of a tree is read by a check of the base or of the Candidate, each as its own package.json has it. */
export const readByChecks = ({
  base,
  candidate,
  scripts
}: Pick<PlanInput, "base" | "candidate" | "scripts">): ((path: string) => boolean) => {
  const [before, after] = [isReadBy(base, scripts.base), isReadBy(candidate, scripts.candidate)]
  return (path) => before(path) || after(path)
}

/** Whether a Candidate touches what says which inputs its checks have; what cannot be told counts as touched. */
export const touchesInputs = ({ paths }: Pick<PlanInput, "paths">): boolean =>
  paths === null || paths.includes(pawlFile)

/** Which evidence of before may count. A wrong glob can drop a test: whoever touches the globs stands on none. */
const reuseOf = (input: PlanInput): Pick<Plan, "reuse"> => {
  const { evidenceReuse = "none" } = input.policy
  if (evidenceReuse === "none" || (evidenceReuse === "inputs" && touchesInputs(input))) return {}
  return { reuse: evidenceReuse }
}

/** The plan of a Candidate, pure: its risk, its checks, and whether people must approve. */
export const planOf = (input: PlanInput): Plan => {
  const added = input.candidate.filter((check) => !input.base.some((each) => each.id === check.id))
  const checksTouched =
    canonicalJson(input.base) !== canonicalJson(input.candidate) ||
    input.base.some((check) => scriptsTouched(check, input) !== null)
  const riskTier = riskOf({ ...input, checksTouched, isRead: readByChecks(input) })
  const defined = [...(input.hasApp ? [buildCheck] : []), ...[...input.base, ...added].map(commandCheck)]
  const missing = input.policy.requiredChecks.filter((id) => !defined.some((check) => check.id === id))
  const again = input.base.flatMap((check) => baseChecksOf(check, input))
  const checks = [...defined, ...missing.map(undefinedCheck), ...again]
  const isRefused = refusedPackages(input.packages).length > 0
  return {
    policyVersion: input.policy.version,
    riskTier,
    approvalRequired:
      input.policy.approvalRiskTiers.includes(riskTier) ||
      (input.policy.evidenceReuse === "inputs" && touchesInputs(input)),
    checks: isRefused ? [packagesCheck] : checks.map((check) => underPolicy(check, input.policy, input.now)),
    ...(input.policy.flakeRetries === 1 ? { flakeRetries: 1 } : {}),
    ...(input.packages === null ? {} : { packages: input.packages }),
    ...reuseOf(input)
  }
}
