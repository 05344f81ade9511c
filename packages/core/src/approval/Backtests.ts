/** What a draft of a Policy would have done to the newest Changes. Nothing is stored. */
import { Effect } from "effect"
import { refuseAgents } from "../access/Access.ts"
import { tiersUndone } from "../candidate/RollbackPlan.ts"
import { demand, find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import type { Actor } from "../model/Actor.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { Change, RiskTier } from "../model/Change.ts"
import type { Policy, PolicyFields } from "../model/Policy.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { demandActive } from "../project/ArchivedProject.ts"
import { evidenceOf } from "../verification/CandidateEvidence.ts"
import { type Difference, differencesOf, type Outcome, outcomesOf, type PastWork } from "./PastOutcome.ts"
import { checkDraft, drafted } from "./Policies.ts"
import { decisionsOn } from "./Standing.ts"

/** What it would have done to one Change. */
export interface Tried {
  readonly change: Change
  /** Null for a Change without a Candidate that the gate has judged: then nothing is said of it. */
  readonly candidateId: Candidate["id"] | null
  /** What it became; null while it is not promoted. */
  readonly generation: number | null
  /** Under the Policy that it was planned by. */
  readonly was: Outcome | null
  /** Under the draft. */
  readonly would: Outcome | null
  /** Empty where it makes none. */
  readonly differences: ReadonlyArray<Difference>
  /** In words, what of it is not recorded. */
  readonly unsure: ReadonlyArray<string>
}

const candidatesOf = Effect.fnUntraced(function* (changeId: string) {
  const page = yield* (yield* Records).list("candidate", { where: { changeId }, order: "newest", limit: "all" })
  return page.items.map(({ record }) => record)
})

/** The generation that a Candidate became. Of its tree there may be several. */
const generationOf = Effect.fnUntraced(function* ({ id, projectId, tree }: Candidate) {
  if (tree === null) return null
  const page = yield* (yield* Records).list("generation", { projectId, where: { tree }, limit: "all" })
  return page.items.find(({ record }) => record.candidateId === id)?.record ?? null
})

const pathsOf = Effect.fnUntraced(function* ({ changeSets }: Candidate) {
  const found = yield* (yield* Records).many("changeSet", changeSets)
  const paths = new Set<string>()
  for (const { record } of found.values()) {
    if (record.cut !== undefined) return null
    for (const { path } of record.files) paths.add(path)
  }
  return [...paths]
})

const undoneBy = ({ projectId, rollbackTarget }: Change, { baseGeneration }: Candidate) =>
  rollbackTarget === undefined
    ? Effect.succeed<ReadonlySet<RiskTier>>(new Set())
    : tiersUndone(projectId, rollbackTarget, baseGeneration)

/** All that was stored of a Change; null where none of its Candidates was judged. */
const workOf = Effect.fnUntraced(function* (change: Change) {
  const judged = (yield* candidatesOf(change.id)).filter(({ score }) => score !== null)
  const candidate = judged.find(({ status }) => status === "promoted") ?? judged[0]
  if (candidate === undefined || candidate.plan === null || candidate.commit === null || candidate.tree === null)
    return null
  return {
    change,
    candidate,
    composed: { commit: candidate.commit, tree: candidate.tree, plan: candidate.plan },
    generation: candidate.status === "promoted" ? yield* generationOf(candidate) : null,
    evidence: yield* evidenceOf(candidate.id),
    paths: yield* pathsOf(candidate),
    undone: yield* undoneBy(change, candidate)
  } satisfies PastWork
})

const tried = Effect.fnUntraced(function* (change: Change, inForce: Policy, draft: Policy) {
  const work = yield* workOf(change)
  const unjudged = { change, candidateId: null, generation: null, was: null, would: null, differences: [], unsure: [] }
  if (work === null) return unjudged satisfies Tried
  const { candidate, generation } = work
  const kept = yield* find("policyVersion", `${change.projectId}/${work.composed.plan.policyVersion}`)
  const then = kept?.record ?? inForce
  const outcomes = outcomesOf(
    work,
    { policy: then, decisions: yield* decisionsOn(candidate, change, then) },
    { policy: draft, decisions: yield* decisionsOn(candidate, change, draft) }
  )
  return {
    change,
    candidateId: candidate.id,
    generation: generation?.generation ?? null,
    ...outcomes,
    differences: differencesOf(outcomes.was, outcomes.would, draft)
  } satisfies Tried
})

/**
 * The newest `Limits.backtestChanges` Changes, newest first, each under the Policy that it was planned by and under the
 * draft, in which a field that is not given is as in a new Project. Refuses what `change` of `Policies` would refuse.
 */
export const backtest = Effect.fnUntraced(
  function* (actor: Actor, projectId: string, fields: Partial<PolicyFields>) {
    yield* refuseAgents(actor, "admin")
    yield* demandActive(projectId)
    const now = yield* Time.now
    yield* checkDraft(projectId, fields, now)
    const inForce = (yield* demand("policy", projectId)).record
    const draft: Policy = drafted(inForce, fields, { updatedAt: now, updatedBy: actor.id })
    const listing = { projectId, order: "newest", limit: Limits.backtestChanges } as const
    const changes = yield* (yield* Records).list("change", listing)
    const items = yield* Effect.forEach(changes.items, ({ record }) => tried(record, inForce, draft))
    return { policyVersion: inForce.version, items: items as ReadonlyArray<Tried> }
  },
  (effect, _actor, projectId) => effect.pipe(Effect.withSpan("Policies.backtest", { attributes: { projectId } }))
)
