/**
 * What a rollback's Candidate is made of, and what it must show: one commit on the newest canonical commit with the
 * target generation's tree, and a check that it is that tree (specification, "Rollback", 6 to 8; decisions,
 * "Where the specification disagrees", 16).
 */
import { Effect, Schema } from "effect"
import type { Policy } from "../model/Policy.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { Check, Plan } from "../model/Plan.ts"
import { buildCheck } from "../verification/PlanRules.ts"
import type { Change, RiskTier } from "../model/Change.ts"
import type { ChangeSet } from "../model/ChangeSet.ts"
import { demand, find } from "../ledger/Decision.ts"
import { generationKey, pointerKey } from "../model/Entities.ts"
import { Records } from "../ledger/Records.ts"
import { candidateFork } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import { Settings } from "../primitives/Settings.ts"
import type { Timestamp } from "../primitives/Time.ts"
import { Repositories, type RepositoryRef, signedAt } from "../project/Repositories.ts"
import { keptBundle } from "../app/KeptBundle.ts"
import type { Generation } from "../model/Generation.ts"

/** Canonical is not, or no longer, at the generation that the rollback was asked on. Ask for it anew on the head. */
export class RollbackStale extends Schema.TaggedError<RollbackStale>()("RollbackStale", {
  expectedGeneration: Schema.Finite,
  canonicalGeneration: Schema.Finite
}) {
  override get message() {
    return `Canonical is at S${this.canonicalGeneration}, the rollback was asked on S${this.expectedGeneration}. Look at what is live now, and ask for it anew.`
  }
}

/** From the least risk to the most. What could not be told counts as the most. */
const byRisk: ReadonlyArray<RiskTier> = ["low", "medium", "high", "unknown"]

/** The riskiest of some tiers; `low` of none. */
export const riskiest = (tiers: Iterable<RiskTier>): RiskTier => {
  let most = 0
  for (const tier of tiers) most = Math.max(most, byRisk.indexOf(tier))
  return byRisk[most] ?? "unknown"
}

/** Whether undoing Changes of these tiers owes an approval. An unknown one is gated wherever a high one is. */
export const owesApproval = (tiers: Iterable<RiskTier>, policy: Pick<Policy, "approvalRiskTiers">): boolean =>
  [...tiers].some(
    (tier) =>
      policy.approvalRiskTiers.includes(tier) || (tier === "unknown" && policy.approvalRiskTiers.includes("high"))
  )

/** How risky one generation's Change was: what its Candidate was planned with, or the Change's own tier when that is higher. */
const tierOf = Effect.fnUntraced(function* (generation: Generation) {
  const change = generation.changeId === null ? null : yield* find("change", generation.changeId)
  const candidate = generation.candidateId === null ? null : yield* find("candidate", generation.candidateId)
  return riskiest([change?.record.riskTier ?? "unknown", candidate?.record.plan?.riskTier ?? "unknown"])
})

/** The distinct tiers of all Changes that a rollback undoes: those of the generations `target + 1` to `head`. */
export const tiersUndone = Effect.fnUntraced(function* (projectId: string, target: number, head: number) {
  const tiers = new Set<RiskTier>()
  for (let generation = target + 1; generation <= head; generation++)
    tiers.add(yield* tierOf((yield* demand("generation", generationKey(projectId, generation))).record))
  return tiers
})

/** Makes the commit of a rollback in a fork. Derived from the Change alone, so that a second time gives the same commit. */
export const commitBack = (
  into: RepositoryRef & { readonly fork: string },
  rollback: { readonly base: string; readonly target: Generation; readonly askedAt: Timestamp }
) =>
  Effect.flatMap(Repositories, (repositories) =>
    Effect.andThen(
      repositories.fork(into),
      repositories.commitTree({
        into,
        tree: rollback.target.tree,
        parents: [rollback.base],
        message: messageOf(rollback.target.generation),
        signature: signedAt(rollback.askedAt)
      })
    )
  )

/** The goal, the message and the title of a rollback. */
export const messageOf = (target: number): string => `Roll back to S${target}`

/** The generation that a rollback's Change goes back to. */
const targetOf = (change: Change) =>
  Effect.map(
    demand("generation", generationKey(change.projectId, change.rollbackTarget ?? -1)),
    (stored) => stored.record
  )

/** The commit of a rollback's Candidate in its own fork, or why there can be none. */
export const composeBack = Effect.fnUntraced(function* (candidate: Candidate, change: Change) {
  const own = (yield* demand("changeSet", candidate.changeSets[0] ?? "")).record
  const refused = (reason: string) => ({
    _tag: "Refused" as const,
    code: "rollback_refused" as const,
    reason,
    conflicts: [] as ReadonlyArray<string>
  })
  if (candidate.changeSets.length !== 1 || !isRollback(own))
    return refused("a rollback carries the tree of its target and nothing else")
  if (own.baseCommit !== candidate.baseCommit)
    return refused(`it was asked on S${own.baseGeneration}, and canonical moved on: ask for the rollback anew`)
  const made = yield* commitBack(
    { project: candidate.projectId, fork: candidateFork(candidate.id) },
    { base: candidate.baseCommit, target: yield* targetOf(change), askedAt: change.createdAt }
  )
  return { _tag: "Composed" as const, ...made }
})

/** Whether a ChangeSet is a rollback's own. */
const isRollback = (changeSet: Pick<ChangeSet, "author">): boolean => changeSet.author.id === "system:rollback"

const treeEquals = (target: Generation): Check => ({
  id: "tree-equals",
  kind: "tree-equals",
  title: `The tree is that of S${target.generation}`,
  tree: target.tree,
  required: true,
  timeoutMs: Limits.checkTimeoutMs
})

/**
 * Whether a rollback to this tree must be built: apps can be hosted here, and no whole bundle of the tree is stored.
 * Whether there is an app now does not matter: it may be deployed again before the rollback is promoted.
 */
export const mustBuild = Effect.fnUntraced(function* (projectId: string, tree: string) {
  if ((yield* Settings).appsDomain === null) return false
  const pointer = yield* find("pointer", pointerKey(projectId, "production"))
  // What was removed is being cleaned away: a bundle that is found now is about to be deleted.
  if (pointer?.record.leftovers === true) return true
  const same = yield* (yield* Records).list("generation", { projectId, where: { tree }, limit: "all" })
  for (const { record } of same.items) {
    if ((yield* keptBundle(record)) !== null) return false
  }
  return true
})

/**
 * The plan of a rollback from a head: that the tree is the target's, and a build only when there is no bundle to serve.
 * What the Changes that it undoes have risked decides whether people are asked.
 */
export const planFrom = Effect.fnUntraced(function* (target: Generation, head: number, policy: Policy) {
  const tiers = yield* tiersUndone(target.projectId, target.generation, head)
  const plan: Plan = {
    policyVersion: policy.version,
    riskTier: riskiest(tiers),
    approvalRequired: owesApproval(tiers, policy),
    checks: [treeEquals(target), ...((yield* mustBuild(target.projectId, target.tree)) ? [buildCheck] : [])]
  }
  return plan
})

/** The plan of a rollback's Candidate, as `planFrom`. */
export const planBack = Effect.fnUntraced(function* (candidate: Candidate, change: Change) {
  const target = yield* targetOf(change)
  const policy = (yield* demand("policy", change.projectId)).record
  return { _tag: "Planned" as const, plan: yield* planFrom(target, candidate.baseGeneration, policy) }
})
