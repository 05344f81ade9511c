/** A Project's Policy is versioned: each change is a new version, and older ones stay readable. */
import { Effect } from "effect"
import { refuseAgents } from "../access/Access.ts"
import type { Actor } from "../model/Actor.ts"
import { buildCheck } from "../verification/PlanRules.ts"
import { RiskTier } from "../model/Change.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand } from "../ledger/Decision.ts"
import { InvalidField } from "../ledger/Refusals.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { demandActive, unchangedProject } from "../project/ArchivedProject.ts"
import { short } from "../primitives/Words.ts"
import { defaultPolicy, type PackagePolicy, type Policy, type PolicyFields } from "../model/Policy.ts"

const refuse = (field: string, reason: string): InvalidField =>
  new InvalidField({ code: "invalid_field", field, reason })

const repeated = (values: ReadonlyArray<string>): string | undefined =>
  values.find((value, index) => values.indexOf(value) !== index)

/** What is wrong with the lists of a Policy: each is bounded, and names a thing once. */
const listProblem = (fields: Partial<PolicyFields>): InvalidField | null => {
  const lists: ReadonlyArray<readonly [field: string, values: ReadonlyArray<string>, max: number]> = [
    ["autoPromoteRiskTiers", fields.autoPromoteRiskTiers ?? [], RiskTier.literals.length],
    ["approvalRiskTiers", fields.approvalRiskTiers ?? [], RiskTier.literals.length],
    ["requiredChecks", fields.requiredChecks ?? [], Limits.checksPerPlan],
    ["waivedChecks", (fields.waivedChecks ?? []).map(({ id }) => id), Limits.checksPerPlan]
  ]
  for (const [field, values, max] of lists) {
    if (values.length > max) return refuse(field, `at most ${max} entries`)
    const twice = repeated(values)
    if (twice !== undefined) return refuse(field, `${twice} is named twice`)
  }
  return null
}

/** What a registry could take as a name, with `*` for any run of characters. */
const packageNames = /^(?:@[A-Za-z0-9*~._-]+\/)?[A-Za-z0-9*~._-]+$/

const isOdd = (name: string): boolean => name.length > Limits.packageNameLength || !packageNames.test(name)

/** What is wrong with what a Policy asks of packages. */
const packagesProblem = ({ allow, deny, minAgeDays }: PackagePolicy): InvalidField | null => {
  const most = Limits.packageAgeDaysMax
  if (minAgeDays !== undefined && !(Number.isInteger(minAgeDays) && minAgeDays >= 0 && minAgeDays <= most))
    return refuse("packages.minAgeDays", `a whole number of days from 0 to ${most}`)
  for (const [field, names] of [
    ["packages.deny", deny ?? []],
    ["packages.allow", allow ?? []]
  ] as const) {
    if (names.length > Limits.packagesPerPolicy) return refuse(field, `at most ${Limits.packagesPerPolicy} entries`)
    const twice = repeated(names)
    if (twice !== undefined) return refuse(field, `${short(twice)} is named twice`)
    const odd = names.find(isOdd)
    if (odd !== undefined)
      return refuse(
        field,
        `${JSON.stringify(short(odd))} is no name of a package: name, @scope/name, * for any characters`
      )
  }
  return null
}

/** A build cannot be waived: nobody may count on a waiver that has no effect. One whose date has passed is only over. */
const checkFields = (fields: Partial<PolicyFields>): Effect.Effect<void, InvalidField> => {
  const problem = listProblem(fields) ?? packagesProblem(fields.packages ?? {})
  if (problem !== null) return problem
  const required = fields.approvalsRequired ?? 1
  if (!Number.isInteger(required) || required < 1 || required > Limits.approvalsRequiredMax)
    return refuse("approvalsRequired", `a whole number from 1 to ${Limits.approvalsRequiredMax}`)
  return (fields.waivedChecks ?? []).some(({ id }) => id === buildCheck.id)
    ? refuse("waivedChecks", `${buildCheck.id} cannot be waived: what does not build cannot be released`)
    : Effect.void
}

/** Stores a Policy as version + 1; a field that is not given is as in a new Project. Candidates planned under an older version must be planned anew. */
export const change = (actor: Actor, projectId: string, fields: Partial<PolicyFields>) =>
  decideAndCommit(
    Effect.gen(function* () {
      yield* refuseAgents(actor, "admin")
      const project = yield* demandActive(projectId)
      yield* checkFields(fields)
      const before = yield* demand("policy", projectId)
      const policy: Policy = {
        ...before.record,
        // The whole Policy is replaced: what is not sent is as it is in a new Project.
        ...defaultPolicy,
        ...fields,
        version: before.record.version + 1,
        updatedAt: yield* Time.now,
        updatedBy: actor.id
      }
      return {
        answer: policy,
        commit: {
          name: "Policies.change",
          projectId,
          expects: [unchangedProject(project)],
          writes: [Commit.update("policy", before, policy), Commit.insert("policyVersion", policy)]
        }
      }
    })
  ).pipe(Effect.withSpan("Policies.change"))
