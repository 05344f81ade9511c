/** Candidates: asking for one. The same composition always gives the same Candidate and one verification. */
import { Effect, Schema } from "effect"
import type { Actor } from "../model/Actor.ts"
import { NoSource } from "../app/Apps.ts"
import type { Change } from "../model/Change.ts"
import { ChangeClosed, isClosed } from "../change/Changes.ts"
import { laneStepOf } from "../work/LaneWork.ts"
import { loseCandidate } from "../change/LostCandidate.ts"
import { compositionOrder } from "../change/WorkGraph.ts"
import type { ChangeSet } from "../model/ChangeSet.ts"
import { commandId, type NewCommand } from "../model/Command.ts"
import type * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { Records } from "../ledger/Records.ts"
import { InvalidField } from "../ledger/Refusals.ts"
import type { CandidateId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { demandActive, unchangedProject } from "../project/ArchivedProject.ts"
import type { Project } from "../model/Project.ts"
import { RollbackStale } from "./RollbackPlan.ts"
import type { Candidate, RejectionCode } from "../model/Candidate.ts"
import type { LineEnd } from "./Base.ts"
import { candidateIdOf, type Composition } from "./Composition.ts"
import { isOutdated } from "./OutdatedPlan.ts"
import { rejectionOf } from "../model/StoredReasons.ts"
import { hasOtherVerified, recompositionAfter } from "./Staleness.ts"

/** A Change has at most 3 Candidates. Open a new Change, or promote one of these. */
export class CandidateLimit extends Schema.TaggedError<CandidateLimit>()("CandidateLimit", { max: Schema.Finite }) {
  override get message() {
    return `The Change has its ${this.max} Candidates. Promote one that is verified, or open a new Change for further work.`
  }
}

/** What is asked to be composed. */
export interface CandidateRequest {
  readonly changeId: string
  /** Default: all ChangeSets of the Change. */
  readonly changeSetIds?: ReadonlyArray<string>
  /** Ask again for a Candidate that was rejected only for gaps. */
  readonly retry?: boolean
}

/**
 * Answers the Candidate of this composition, making it when there is none yet: `created` says which. Fails with
 * `InvalidField`, `ChangeClosed`, `NoSource`, `CandidateLimit`, `RollbackStale`, `ProjectArchived` or `Unknown`.
 */
export const request = (actor: Actor, input: CandidateRequest) =>
  decideAndCommit(requesting(actor, input)).pipe(Effect.withSpan("Candidates.request"))

const requesting = Effect.fnUntraced(function* (actor: Actor, input: CandidateRequest) {
  const change = yield* demand("change", input.changeId)
  const project = yield* demandActive(change.record.projectId)
  if (isClosed(change.record.status))
    return yield* new ChangeClosed({ changeId: input.changeId, status: change.record.status })
  const head = yield* find("head", change.record.projectId)
  if (head === null) return yield* new NoSource({ projectId: change.record.projectId })
  const records = yield* Records
  const all = (yield* records.list("changeSet", { where: { changeId: input.changeId }, limit: "all" })).items.map(
    (each) => each.record
  )
  const tasks = yield* records.list("task", { where: { changeId: input.changeId }, limit: "all" })
  const ordered = compositionOrder(
    all,
    tasks.items.map((each) => each.record)
  )
  const chosen = yield* choose(ordered, input.changeSetIds)
  const composition = {
    project: change.record.projectId,
    base: { generation: head.record.generation, tree: head.record.tree },
    changeSets: chosen.map((each) => each.id)
  }
  const askedOn = chosen[0]?.baseGeneration ?? head.record.generation
  if (change.record.kind === "rollback" && askedOn !== head.record.generation)
    return yield* new RollbackStale({ expectedGeneration: askedOn, canonicalGeneration: head.record.generation })
  const existing = yield* newestAttempt(composition, {
    baseCommit: head.record.commit,
    passes: (each) => input.retry === true && mayRetry(each)
  })
  if (existing.candidate !== null) return yield* askingAgain(existing.candidate, { change, project }, actor)
  if (change.record.status === "releasing" || change.record.status === "promoting")
    return yield* new ChangeClosed({ changeId: input.changeId, status: change.record.status })
  const candidates = yield* records.list("candidate", { where: { changeId: input.changeId }, limit: "all" })
  const made = candidates.items.map(({ record }) => record)
  const replaced = staleCandidate(made, composition.changeSets)
  const counted = made.filter(isFirstOfLineage).length
  if (replaced === undefined && counted >= Limits.candidatesPerChange)
    return yield* new CandidateLimit({ max: Limits.candidatesPerChange })
  const now = yield* Time.now
  const candidate = {
    ...newCandidate({
      id: existing.id,
      attempt: existing.attempt,
      head: head.record,
      changeSets: composition.changeSets,
      changeId: change.record.id,
      now
    }),
    ...(replaced === undefined
      ? {}
      : { lineage: replaced.lineage, recomposition: recompositionAfter(replaced, head.record) })
  }
  const answer = { candidate, change: change.record, created: true }
  return { answer, commit: requested({ change, project }, candidate, actor, now) }
})

interface Asked {
  readonly change: Commit.Stored<Change>
  readonly project: Commit.Stored<Project>
}

/**
 * The Candidate that is there, with its Change. Verified by a plan that says no more what it would say now, it is
 * planned anew in place.
 */
export const askingAgain = Effect.fnUntraced(function* (there: Candidate, { change, project }: Asked, actor: Actor) {
  const policy = yield* demand("policy", there.projectId)
  const candidate = yield* demand("candidate", there.id)
  const draft = Draft.begin(there.projectId, actor, yield* Time.now)
  if (
    !Draft.may(draft, "candidate", candidate, "policyChanged") ||
    change.record.status === "promoting" ||
    !(yield* isOutdated(candidate.record, policy.record))
  )
    return { answer: { candidate: candidate.record, change: change.record, created: false } }
  const head = yield* demand("head", candidate.record.projectId)
  const otherVerified = yield* hasOtherVerified(candidate.record, head.record)
  Draft.expect(draft, unchangedProject(project))
  const again = checkedAgain(draft, { candidate, change, otherVerified })
  Draft.send(draft, ...laneStepOf(change.record))
  const left = Draft.newest(draft, "change", change).record
  return {
    answer: { candidate: again, change: left, created: false },
    commit: Draft.end(draft, { name: "Candidates.replan" })
  }
})

/** A verified Candidate with its Change, which may have another one on the head. */
interface Verified {
  readonly candidate: Commit.Stored<Candidate>
  readonly change: Commit.Stored<Change>
  readonly otherVerified: boolean
}

/** Has a verified Candidate planned and checked anew where it stands, and answers it as it is then. */
export const checkedAgain = (draft: Draft.Draft, { candidate, change, otherVerified }: Verified): Candidate => {
  const { record } = Draft.step(draft, "candidate", candidate, "policyChanged", {})
  loseCandidate(draft, change, { candidateId: record.id, otherVerified })
  Draft.send(draft, verification(record, draft.actor))
  return record
}

/** The command that verifies a Candidate. */
export const verification = (candidate: Candidate, actor: Actor): NewCommand => ({
  kind: "candidate.create",
  id: commandId("candidate.create", candidate.id),
  payload: { candidateId: candidate.id, actor }
})

const choose = (
  all: ReadonlyArray<ChangeSet>,
  ids: ReadonlyArray<string> | undefined
): Effect.Effect<ReadonlyArray<ChangeSet>, InvalidField> => {
  const missing = (ids ?? []).find((id) => !all.some((each) => each.id === id))
  if (missing !== undefined)
    return Effect.fail(
      new InvalidField({
        code: "unknown_changeset",
        field: "changeSetIds",
        reason: `${missing} is no ChangeSet of this Change`
      })
    )
  const chosen = ids === undefined ? all : all.filter((each) => ids.includes(each.id))
  if (chosen.length === 0)
    return Effect.fail(
      new InvalidField({
        code: "nothing_to_compose",
        field: "changeSetIds",
        reason:
          all.length === 0
            ? "the Change has no ChangeSet yet; record one first"
            : "the list names none; name at least one, or leave it out for all of them"
      })
    )
  if (chosen.length > Limits.changeSetsPerCandidate)
    return Effect.fail(
      new InvalidField({
        code: "too_many_changesets",
        field: "changeSetIds",
        reason: `at most ${Limits.changeSetsPerCandidate}`
      })
    )
  return Effect.succeed(chosen)
}

/** What a Candidate was rejected for that may be otherwise another time. */
const againAfter: ReadonlySet<RejectionCode | null> = new Set(["sandbox_budget_used_up", "verification_given_up"])

/** Rejected by the machine's want, not by what the work showed: it may be asked for again. */
export const mayRetry = (candidate: Candidate): boolean =>
  onlyGaps(candidate) || hasRefusedPackages(candidate) || againAfter.has(rejectionOf(candidate))

/** The Policy refused its packages, and another version of it may take them. */
const hasRefusedPackages = ({ plan, status }: Candidate): boolean =>
  status === "rejected" && plan !== null && plan.checks.some(({ kind }) => kind === "packages")

const onlyGaps = (candidate: Candidate): boolean =>
  candidate.status === "rejected" &&
  candidate.score !== null &&
  // A Candidate that passed was rejected by a person, or with its Change: that is final.
  !candidate.score.passed &&
  candidate.score.checks.every((check) => check.verdict !== "fail" || !check.required)

/** Whether it was asked for, and is none that took the place of another. Those of a Change are bounded. */
export const isFirstOfLineage = ({ id, lineage }: Pick<Candidate, "id" | "lineage">): boolean => id === lineage

/**
 * The newest attempt at a composition, or the next one when `passes` says so of the newest. One that was made on another
 * commit of the same tree is passed over, for its own commit does not follow this one; so is one that is stale although
 * its base is this one.
 */
export const newestAttempt = Effect.fnUntraced(function* (
  composition: Omit<Composition, "attempt">,
  { baseCommit, passes }: { readonly baseCommit: string; readonly passes: (candidate: Candidate) => boolean }
) {
  const isPassed = (candidate: Candidate) =>
    candidate.baseCommit !== baseCommit || candidate.status === "stale" || passes(candidate)
  let attempt = 1
  let id: CandidateId = yield* candidateIdOf({ ...composition, attempt })
  let candidate = (yield* find("candidate", id))?.record ?? null
  for (;;) {
    if (candidate === null) return { id, attempt, candidate: null }
    const nextId = yield* candidateIdOf({ ...composition, attempt: attempt + 1 })
    const next: Candidate | null = (yield* find("candidate", nextId))?.record ?? null
    if (next === null && !isPassed(candidate)) return { id, attempt, candidate }
    attempt += 1
    id = nextId
    candidate = next
  }
})

/** The newest of some Candidates, oldest first, that is composed of these ChangeSets. */
export const ofSame = (made: ReadonlyArray<Candidate>, changeSets: ReadonlyArray<string>): Candidate | undefined =>
  made.findLast((each) => each.changeSets.join() === changeSets.join())

/** The newest Candidate of the same ChangeSets when it is stale and waits to be recomposed: asking does it at once. */
const staleCandidate = (made: ReadonlyArray<Candidate>, changeSets: ReadonlyArray<string>): Candidate | undefined => {
  const newest = ofSame(made, changeSets)
  return newest?.status === "stale" && newest.recomposition < Limits.recompositions ? newest : undefined
}

/** A Candidate of a new lineage, before it is composed. */
export const newCandidate = (options: {
  readonly id: CandidateId
  readonly attempt: number
  /** Canonical, or what that will be when the one ahead has landed. */
  readonly head: LineEnd
  readonly ahead?: CandidateId | null
  readonly changeSets: Candidate["changeSets"]
  readonly changeId: Candidate["changeId"]
  readonly now: Time.Timestamp
}): Candidate => ({
  id: options.id,
  projectId: options.head.projectId,
  changeId: options.changeId,
  lineage: options.id,
  recomposition: 0,
  attempt: options.attempt,
  baseGeneration: options.head.generation,
  baseCommit: options.head.commit,
  baseTree: options.head.tree,
  ahead: options.ahead ?? null,
  changeSets: options.changeSets,
  commit: null,
  tree: null,
  status: "composing",
  reason: null,
  conflicts: [],
  plan: null,
  score: null,
  forkDeletedAt: null,
  createdAt: options.now,
  updatedAt: options.now
})

/** Touching the Change guards the rule of at most 3 Candidates against a racing request. */
const requested = (
  { change, project }: Asked,
  candidate: Candidate,
  actor: Actor,
  now: Time.Timestamp
): Commit.Commit => {
  const draft = Draft.begin(candidate.projectId, actor, now)
  Draft.expect(draft, unchangedProject(project))
  Draft.update(draft, "change", change, { updatedAt: now })
  Draft.insert(draft, "candidate", candidate)
  Draft.send(draft, verification(candidate, actor))
  return Draft.end(draft, { name: "Candidates.request" })
}
