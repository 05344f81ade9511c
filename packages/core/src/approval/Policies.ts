/** A Project's Policy is versioned: each change is a new version, and older ones stay readable. */
import { Effect, Schema } from "effect"
import { refuseAgents } from "../access/Access.ts"
import { type Actor, system } from "../model/Actor.ts"
import { hasFlake } from "../verification/Flakes.ts"
import { buildCheck } from "../verification/PlanRules.ts"
import { RiskTier } from "../model/Change.ts"
import { laneStep } from "../work/LaneWork.ts"
import * as Draft from "../ledger/Draft.ts"
import { decideAndCommit, demand } from "../ledger/Decision.ts"
import { InvalidField } from "../ledger/Refusals.ts"
import { entityTag, namesStrongly } from "../primitives/Conditional.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { demandActive, unchangedProject } from "../project/ArchivedProject.ts"
import { short } from "../primitives/ShortText.ts"
import { chainOf, say } from "../provenance/Chains.ts"
import { policyFact } from "../provenance/Facts.ts"
import {
  defaultPolicy,
  type Freeze,
  type LanePolicy,
  type PackagePolicy,
  type Policy,
  type PolicyFields
} from "../model/Policy.ts"

/** Somebody else changed the Policy meanwhile: another version than the expected one is in force. Nothing was stored. */
export class PolicyStale extends Schema.TaggedError<PolicyStale>()("PolicyStale", {
  expectedVersion: Schema.Finite,
  version: Schema.Finite
}) {
  override get message() {
    return `The Policy in force is version ${this.version}, and you changed version ${this.expectedVersion}. Look at the one in force, and send yours again on top of it.`
  }
}

/** The Policy in force is none of those that the caller saw. Nothing was stored. */
export class PolicyChanged extends Schema.TaggedError<PolicyChanged>()("PolicyChanged", {
  /** The tag of the one in force. */
  tag: Schema.String,
  version: Schema.Finite
}) {
  override get message() {
    return `The Policy in force is version ${this.version}, ${this.tag}, and not the one that you saw. Look at it, and send yours again on top of it.`
  }
}

/** The entity tag of a Project's Policy: each version has its own. */
export const tagOfPolicy = (projectId: string, { version }: Pick<Policy, "version">): string =>
  entityTag(projectId, String(version))

const refuse = (field: string, reason: string): InvalidField =>
  new InvalidField({ code: "invalid_field", field, reason })

const repeated = (values: ReadonlyArray<string>): string | undefined =>
  values.find((value, index) => values.indexOf(value) !== index)

/** What is wrong with the lists of a Policy: each is bounded, and names a thing once. */
const listProblem = (fields: Partial<PolicyFields>): InvalidField | null => {
  const lists: ReadonlyArray<readonly [field: string, values: ReadonlyArray<string>, max: number]> = [
    ["autoPromoteRiskTiers", fields.autoPromoteRiskTiers ?? [], RiskTier.literals.length],
    ["approvalRiskTiers", fields.approvalRiskTiers ?? [], RiskTier.literals.length],
    ["approvalsSigned", fields.approvalsSigned ?? [], RiskTier.literals.length],
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

/** What is wrong with how a Policy has Changes land. */
const laneProblem = (lane: LanePolicy | undefined): InvalidField | null => {
  const depth = lane?.depth ?? 1
  if (Number.isInteger(depth) && depth >= 1 && depth <= Limits.laneDepth) return null
  return refuse("lane.depth", `a whole number from 1 to ${Limits.laneDepth}`)
}

/** The first risk whose approvals are to be signed although none is owed. */
const unapproved = ({
  approvalRiskTiers = defaultPolicy.approvalRiskTiers,
  approvalsSigned = []
}: Partial<PolicyFields>) => approvalsSigned.find((tier) => !approvalRiskTiers.includes(tier))

/** A build cannot be waived: nobody may count on a waiver that has no effect. One whose date has passed is only over. */
const checkFields = (fields: Partial<PolicyFields>): Effect.Effect<void, InvalidField> => {
  const problem =
    listProblem(fields) ??
    packagesProblem(fields.packages ?? {}) ??
    laneProblem(fields.lane) ??
    freezesProblem(fields.freezes ?? [])
  if (problem !== null) return problem
  const unasked = unapproved(fields)
  if (unasked !== undefined)
    return refuse("approvalsSigned", `${unasked} is not among approvalRiskTiers: no approval of it is owed`)
  const required = fields.approvalsRequired ?? 1
  if (!Number.isInteger(required) || required < 1 || required > Limits.approvalsRequiredMax)
    return refuse("approvalsRequired", `a whole number from 1 to ${Limits.approvalsRequiredMax}`)
  return (fields.waivedChecks ?? []).some(({ id }) => id === buildCheck.id)
    ? refuse("waivedChecks", `${buildCheck.id} cannot be waived: what does not build cannot be released`)
    : Effect.void
}

const isTimestamp = Schema.is(Time.Timestamp)

/** What is wrong with the freezes of a Policy. */
const freezesProblem = (freezes: ReadonlyArray<Freeze>): InvalidField | null => {
  if (freezes.length > Limits.freezesPerPolicy) return refuse("freezes", `at most ${Limits.freezesPerPolicy} entries`)
  for (const { except = [], from, reason, until } of freezes) {
    if (!isTimestamp(from) || !isTimestamp(until) || from >= until)
      return refuse("freezes", "each begins before it ends")
    if (reason.trim() === "" || reason.length > Limits.freezeReasonLength)
      return refuse("freezes", `each has a reason of at most ${Limits.freezeReasonLength} characters`)
    if (except.length > Limits.freezeExceptions)
      return refuse("freezes", `each excepts at most ${Limits.freezeExceptions} people`)
    const twice = repeated(except)
    if (twice !== undefined) return refuse("freezes", `${short(twice)} is named twice`)
  }
  return null
}

/** A quarantine is short, and stands on a flake that was seen. One whose date has passed is only over. */
const checkQuarantines = Effect.fnUntraced(function* (
  projectId: string,
  { waivedChecks = [] }: Partial<PolicyFields>,
  now: Time.Timestamp
) {
  const latest = Time.fromMillis(Time.toMillis(now) + Limits.quarantineDaysMax * Time.dayMs)
  for (const { because, id, until } of waivedChecks) {
    if (because === undefined || until <= now) continue
    if (until > latest)
      return yield* refuse("waivedChecks", `${id}: a quarantine ends within ${Limits.quarantineDaysMax} days`)
    if (!(yield* hasFlake(projectId, id)))
      return yield* refuse("waivedChecks", `${id} was not seen to fail and pass on one tree: there is no flake of it`)
  }
})

/** Refuses what no Policy of the Project may say, by itself or beside what was seen of its checks. */
export const checkDraft = Effect.fnUntraced(function* (
  projectId: string,
  fields: Partial<PolicyFields>,
  now: Time.Timestamp
) {
  yield* checkFields(fields)
  yield* checkQuarantines(projectId, fields, now)
})

/** The Policy that takes the place of another: all that is not sent is as it is in a new Project. */
export const drafted = (
  before: Policy,
  fields: Partial<PolicyFields>,
  by: Pick<Policy, "updatedAt" | "updatedBy">
) => ({
  ...before,
  ...defaultPolicy,
  // A key that is there cannot be taken away again.
  ...(before.approvalsSigned === undefined ? {} : { approvalsSigned: [] }),
  ...(before.lane === undefined ? {} : { lane: { mode: "off" as const } }),
  ...(before.flakeRetries === undefined ? {} : { flakeRetries: 0 as const }),
  ...(before.freezes === undefined ? {} : { freezes: [] }),
  ...(before.evidenceReuse === undefined ? {} : { evidenceReuse: "none" as const }),
  ...(before.outsideAgents === undefined ? {} : { outsideAgents: "also" as const }),
  ...fields,
  version: before.version + 1,
  ...by
})

/**
 * Stores a Policy as version + 1; a field that is not given is as in a new Project. Candidates planned under an older
 * version must be planned anew. With `expectedVersion` it fails with `PolicyStale` when another one is in force, and with
 * what If-Match says in `seen` with `PolicyChanged`.
 */
export const change = (
  actor: Actor,
  projectId: string,
  fields: Partial<PolicyFields>,
  expectedVersion: number | null = null,
  seen: string | null = null
) =>
  decideAndCommit(
    Effect.gen(function* () {
      yield* refuseAgents(actor, "admin")
      const project = yield* demandActive(projectId)
      const now = yield* Time.now
      yield* checkDraft(projectId, fields, now)
      const before = yield* demand("policy", projectId)
      const { version } = before.record
      if (expectedVersion !== null && expectedVersion !== version)
        return yield* new PolicyStale({ expectedVersion, version })
      const tag = tagOfPolicy(projectId, before.record)
      if (seen !== null && !namesStrongly(seen, tag)) return yield* new PolicyChanged({ tag, version })
      const policy: Policy = drafted(before.record, fields, { updatedAt: now, updatedBy: actor.id })
      const draft = Draft.begin(projectId, system("Policies.change"), policy.updatedAt)
      Draft.expect(draft, unchangedProject(project))
      Draft.update(draft, "policy", before, policy)
      Draft.insert(draft, "policyVersion", policy)
      say(draft, yield* chainOf(projectId), () => policyFact(policy))
      if ([before.record, policy].some(({ lane }) => lane?.mode === "on")) Draft.send(draft, laneStep(projectId))
      return { answer: policy, commit: Draft.end(draft, { name: "Policies.change" }) }
    })
  ).pipe(Effect.withSpan("Policies.change"))
