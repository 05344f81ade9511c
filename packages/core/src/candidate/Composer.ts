/** Composition: forks canonical, merges the ChangeSets in order, and records the plan. */
import { Effect, Schema } from "effect"
import { AppBuilder } from "../bundle/AppBuilder.ts"
import { afterRejection } from "../change/Repair.ts"
import { laneStepAfter, laneStepOf } from "../work/LaneWork.ts"
import { endRollback } from "../change/LostCandidate.ts"
import { Overlap } from "../model/Overlap.ts"
import { differenceKept } from "./Difference.ts"
import { expectedConflicts } from "./ExpectedConflicts.ts"
import { mergeLocked } from "../task/LockedMerge.ts"
import { mergeRefusal } from "../task/MergeRefusal.ts"
import type { Stored } from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { pointerKey } from "../model/Entities.ts"
import { Process, step } from "../work/Processes.ts"
import * as JournalStep from "../work/JournalStep.ts"
import { candidateFork } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { readBytes, readDefinitions, readScripts } from "../project/Source.ts"
import { Repositories, type RepositoryRef, signedAt } from "../project/Repositories.ts"
import { baseForks } from "./Base.ts"
import { composeBack, planBack } from "./RollbackPlan.ts"
import { provisional } from "./Staleness.ts"
import { originOf } from "./Origin.ts"
import { system } from "../model/Actor.ts"
import { type Candidate, RejectionCode } from "../model/Candidate.ts"
import { type ChangedFile, changedFiles, changesBetween } from "../verification/BaseForms.ts"
import { DerivedFile } from "../model/DerivedFile.ts"
import { Plan } from "../model/Plan.ts"
import type { Policy } from "../model/Policy.ts"
import { lookAtPackages } from "../verification/PackageLook.ts"
import { type PlanInput, planOf, readByChecks } from "../verification/PlanRules.ts"
import { isImportable, isLight, isServable, isText, riskier, settingsNames } from "../verification/Risk.ts"
import { holdsScript } from "../verification/Scripts.ts"
import { isOutdated } from "./OutdatedPlan.ts"
import { noBudgetReason } from "../verification/SandboxBudget.ts"

const actor = system("verification")

/** What others write too, found before the merge. Not there in what an earlier version journalled. */
const Beside = Schema.Struct({ overlaps: Schema.optionalKey(Schema.Array(Overlap)) })

const Merge = Schema.Union([
  Schema.TaggedStruct("Composed", {
    commit: Schema.String,
    tree: Schema.String,
    /** Not there in what an earlier version journalled. */
    derived: Schema.optionalKey(Schema.Array(DerivedFile)),
    ...Beside.fields
  }),
  Schema.TaggedStruct("Refused", {
    reason: Schema.String,
    /** Not there in what an earlier version journalled. */
    code: Schema.optionalKey(RejectionCode),
    conflicts: Schema.Array(Schema.String),
    ...Beside.fields
  })
])
type Merge = typeof Merge.Type
const Planned = Schema.Union([
  Schema.TaggedStruct("Planned", { plan: Plan }),
  Schema.TaggedStruct("Refused", { reason: Schema.String })
])
type Planned = typeof Planned.Type

/** The steps of `compose`. Nobody is told of either before the Candidate's own row, which lasts. */
export const mergeStep = JournalStep.make("merge", Merge, { keeping: "passing" })
/** What came of planning, in the journal: a plan, or why the Candidate is refused. */
export const planStep = JournalStep.make("plan", Planned, { keeping: "passing" })

/** What others write too is looked at first, then git merges. A rollback takes nothing from anybody's work. */
const merge = Effect.fnUntraced(function* (candidate: Candidate) {
  const change = (yield* demand("change", candidate.changeId)).record
  if (change.kind === "rollback") return (yield* composeBack(candidate, change)) as Merge
  const repositories = yield* Repositories
  const into = { project: candidate.projectId, fork: candidateFork(candidate.id) }
  // Those behind it in a line wait for its commit: what need not follow each other goes at once.
  const forked = repositories.fork(into, "passing")
  const [overlaps] = yield* Effect.all([expectedConflicts(candidate), forked], { concurrency: 2 })
  return { ...(yield* mergeAll(candidate)), overlaps } satisfies Merge
})

/** The real merge, in the Candidate's own fork, which is there. A second run gives the same commit. */
const mergeAll = Effect.fnUntraced(function* (candidate: Candidate) {
  const into = { project: candidate.projectId, fork: candidateFork(candidate.id) }
  const changeSets = yield* Effect.forEach(candidate.changeSets, (id) => demand("changeSet", id))
  return yield* mergeLocked({
    into,
    base: candidate.baseCommit,
    from: baseForks(candidate),
    changeSets: changeSets.map(({ record }) => record),
    signature: signedAt(candidate.createdAt)
  }).pipe(
    Effect.map((made): Merge => ({ _tag: "Composed", ...made })),
    Effect.catchTag(["InvalidPath", "MergeConflict", "PackagesUnfit", "TreeTooLarge"], (failure) => {
      const { code, paths, reason } = mergeRefusal(failure)
      return Effect.succeed<Merge>({ _tag: "Refused", code, reason, conflicts: paths })
    })
  )
})

/** What there is to see of the files that a composed tree changes. */
const touched = Effect.fnUntraced(
  function* (
    candidate: Candidate,
    tree: string,
    diff: ReadonlyArray<ChangedFile> | null,
    checks: Pick<PlanInput, "base" | "candidate">
  ) {
    const fork = { project: candidate.projectId, fork: candidateFork(candidate.id) }
    const base = candidate.baseTree
    const scripts = { base: yield* readScripts(fork, base), candidate: yield* readScripts(fork, tree) }
    // A diff that is too large to be read leaves what the two trees list.
    const altered =
      diff === null
        ? (yield* changedFiles(fork, base, tree)).altered
        : diff.filter(({ status }) => status !== "added").map(({ path }) => path)
    const paths = diff?.map(({ path }) => path) ?? null
    // Nothing more is read of a Candidate whose risk is not low anyway.
    const few = paths !== null && paths.length <= Limits.riskFiles && paths.every(isServable)
    if (!few) return { paths, altered, scripts, assets: null, scripted: new Set(paths) }
    const assets = yield* assetsOf(fork, tree)
    const isRead = readByChecks({ ...checks, scripts })
    const light = paths.every((path) => isLight(path, { assets, isRead }))
    return {
      paths,
      altered,
      scripts,
      assets,
      scripted: light ? yield* scriptedOf(fork, [base, tree], paths) : new Set(paths)
    }
  },
  // What is too large to be listed could not be composed.
  Effect.catchTag("TreeTooLarge", Effect.die)
)

/** The folder of assets that a tree's settings name. */
const assetsOf = Effect.fnUntraced(function* (ref: RepositoryRef, tree: string) {
  const repositories = yield* Repositories
  const files = new Map<string, Uint8Array>()
  for (const name of settingsNames) {
    const found = yield* readBytes(ref, tree, name)
    if (found !== null) files.set(name, found)
  }
  const folders = (yield* repositories.list(ref, tree)).filter(({ type }) => type === "directory")
  return yield* (yield* AppBuilder).assetsFolder({
    settings: files,
    folders: new Set(folders.map(({ path }) => path))
  })
})

/** Those of some paths that hold a script in one of some trees, or are gone where code could import them. */
const scriptedOf = Effect.fnUntraced(function* (
  ref: RepositoryRef,
  trees: readonly [base: string, own: string],
  paths: ReadonlyArray<string>
) {
  const holds = (tree: string) => (path: string) =>
    Effect.map(readBytes(ref, tree, path), (content) =>
      content === null ? tree === trees[1] && isImportable(path) : holdsScript(content, isText(path))
    )
  const found = yield* Effect.forEach(trees, (tree) =>
    Effect.filter(paths, holds(tree), { concurrency: Limits.fileReadsAtOnce })
  )
  return new Set(found.flat())
})

/** The plan of a composed tree, or why there can be none. */
const plan = Effect.fnUntraced(function* (candidate: Candidate, tree: string) {
  const change = (yield* demand("change", candidate.changeId)).record
  if (change.kind === "rollback") return yield* planBack(candidate, change)
  const fork = { project: candidate.projectId, fork: candidateFork(candidate.id) }
  const differing = changesBetween(fork, candidate.baseTree, tree)
  const reading = [readDefinitions(fork, candidate.baseTree), readDefinitions(fork, tree), differing] as const
  const [base, own, diff] = yield* Effect.all(reading, { concurrency: reading.length })
  if (own._tag === "Broken") return { _tag: "Refused" as const, reason: own.reason }
  const checks = { base: base._tag === "Defined" ? base.file.checks : [], candidate: own.file.checks }
  const look = yield* touched(candidate, tree, diff, checks)
  const changeSets = yield* Effect.forEach(candidate.changeSets, (id) => demand("changeSet", id))
  const tasks = yield* Effect.forEach(changeSets, ({ record }) => demand("task", record.taskId))
  const policy = yield* demand("policy", candidate.projectId)
  const pointer = yield* find("pointer", pointerKey(candidate.projectId, "production"))
  const made: Plan = planOf({
    ...checks,
    ...look,
    packages: yield* lookAtPackages(candidate, tree, diff, policy.record.packages),
    taskKinds: tasks.map((task) => task.record.kind),
    // Where no apps are hosted there is no pointer, and what would be an app is built and checked all the same.
    hasApp: pointer?.record.status !== "removed",
    policy: policy.record,
    now: yield* Time.now
  })
  return { _tag: "Planned" as const, plan: made }
})

/** Composes a Candidate and records its plan, or rejects it. Answers whether there is something to verify. */
export const compose = Effect.fnUntraced(function* (candidateId: string, policy: Stored<Policy>) {
  const before = (yield* demand("candidate", candidateId)).record
  if (before.status !== "composing") return
  const merged = yield* step(mergeStep, merge(before))
  if (merged._tag === "Refused") return yield* decideAndCommit(refused(candidateId, merged))
  const planned = yield* step(planStep, plan(before, merged.tree))
  if (planned._tag === "Refused")
    return yield* decideAndCommit(refused(candidateId, { ...planned, code: "invalid_definitions", conflicts: [] }))
  const noBudget = planned.plan.checks.some((check) => check.kind === "command")
    ? yield* noBudgetReason(before.projectId)
    : null
  if (noBudget !== null)
    return yield* decideAndCommit(
      refused(candidateId, { reason: noBudget, code: "sandbox_budget_used_up", conflicts: [] })
    )
  const origin = yield* originOf(before, merged.tree, policy.record)
  yield* decideAndCommit(composed(candidateId, merged, { ...planned.plan, overlaps: merged.overlaps ?? [] }, origin))
}, Effect.withSpan("Composing.compose"))

/** Plans a composed Candidate anew when the Policy is not the one it was planned under. What was checked stays checked. */
export const replan = Effect.fnUntraced(function* (candidateId: string, policy: Stored<Policy>) {
  const before = (yield* demand("candidate", candidateId)).record
  if (before.status !== "verifying" || before.tree === null || before.plan === null) return
  if (!(yield* isOutdated(before, policy.record))) return
  const planned = yield* plan(before, before.tree)
  if (planned._tag === "Refused") return
  const fork = { project: before.projectId, fork: candidateFork(before.id) }
  const difference = yield* differenceKept(fork, before, before.tree, policy.record).pipe(
    // What is too large to be listed could not be composed.
    Effect.catchTag("TreeTooLarge", Effect.die)
  )
  yield* decideAndCommit(
    Effect.gen(function* () {
      const candidate = yield* demand("candidate", candidateId)
      if (candidate.record.status !== "verifying") return { answer: undefined }
      const draft = Draft.begin(candidate.record.projectId, actor, yield* Time.now)
      const overlaps = candidate.record.plan?.overlaps ?? []
      const again = { plan: { ...planned.plan, overlaps }, ...difference, updatedAt: draft.now }
      Draft.update(draft, "candidate", candidate, again)
      return { answer: undefined, commit: Draft.end(draft, { name: "Composing.replanned", lease: yield* lease }) }
    })
  )
}, Effect.withSpan("Composing.replan"))

const lease = Effect.map(Process, (process) => process.lease)

/** The Candidate in a draft of what composing makes of it; null when it is not composing any more. */
const composing = Effect.fnUntraced(function* (candidateId: string) {
  const candidate = yield* demand("candidate", candidateId)
  if (candidate.record.status !== "composing") return null
  const change = yield* demand("change", candidate.record.changeId)
  return { candidate, change, draft: Draft.begin(candidate.record.projectId, actor, yield* Time.now) }
})

interface Refused {
  readonly reason: string
  readonly code?: RejectionCode
  readonly conflicts: ReadonlyArray<string>
  readonly overlaps?: ReadonlyArray<Overlap>
}

const refused = Effect.fnUntraced(function* (candidateId: string, { code, conflicts, overlaps = [], reason }: Refused) {
  const found = yield* composing(candidateId)
  if (found === null) return { answer: undefined }
  const { candidate, change, draft } = found
  const told = { changeId: change.record.id, reason, conflicts, ...(yield* provisional(candidate.record)) }
  const rejected = { "candidate.rejected": told }
  const why = { reason, conflicts, overlaps, ...(code === undefined ? {} : { rejection: code }) }
  Draft.step(draft, "candidate", candidate, "notComposable", why, rejected)
  endRollback(draft, change, { candidateId, reason })
  Draft.send(draft, ...afterRejection(change.record), ...(yield* laneStepAfter(change.record)))
  return { answer: undefined, commit: Draft.end(draft, { name: "Composing.refused", lease: yield* lease }) }
})

const predictedBy = ({ ahead, baseGeneration }: Candidate) =>
  ahead === null ? {} : { ahead, predictedGeneration: baseGeneration + 1 }

const composed = Effect.fnUntraced(function* (
  candidateId: string,
  { commit, derived = [], tree }: Extract<Merge, { _tag: "Composed" }>,
  plan: Plan,
  origin: Effect.Success<ReturnType<typeof originOf>>
) {
  const found = yield* composing(candidateId)
  if (found === null) return { answer: undefined }
  const { candidate, change, draft } = found
  const told = { changeId: change.record.id, commit, tree, riskTier: plan.riskTier, ...predictedBy(candidate.record) }
  const goesOn = candidate.record.waits === undefined ? {} : { waits: [] }
  const made = { commit, tree, plan, ...origin, ...goesOn, ...(derived.length === 0 ? {} : { derived }) }
  Draft.step(draft, "candidate", candidate, "planRecorded", made, { "candidate.composed": told })
  const riskTier = riskier(change.record.riskTier, plan.riskTier)
  Draft.update(draft, "change", change, { riskTier, updatedAt: draft.now })
  // Those behind it are composed on this commit.
  Draft.send(draft, ...laneStepOf(change.record))
  return { answer: undefined, commit: Draft.end(draft, { name: "Composing.composed", lease: yield* lease }) }
})
