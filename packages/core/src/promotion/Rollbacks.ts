/**
 * Rollback: an older tree as a new generation, asked for as a Change of its own that goes the way of every Change.
 * Nothing is deleted and nothing moves back (specification, "Rollback").
 */
import { Effect } from "effect"
import { checkName } from "../access/Names.ts"
import { type Actor, system } from "../model/Actor.ts"
import type { Candidate } from "../model/Candidate.ts"
import { askingAgain, newCandidate, verification } from "../candidate/Candidates.ts"
import { candidateIdOf } from "../candidate/Composition.ts"
import type { Change } from "../model/Change.ts"
import { changeIdOf, isClosed } from "../change/Changes.ts"
import type { ChangeSet } from "../model/ChangeSet.ts"
import { listingOf, unlisted } from "../changeset/Listing.ts"
import { touchLane } from "../lane/LaneEnds.ts"
import { laneIn } from "../lane/LaneEntries.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { generationKey } from "../model/Entities.ts"
import { Records } from "../ledger/Records.ts"
import { InvalidField, Unknown } from "../ledger/Refusals.ts"
import { type ChangeId, changeSetId, runId, taskId, workspaceFork } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { demandActive, refuseArchived, unchangedProject } from "../project/ArchivedProject.ts"
import { Repositories, RepositoriesUnavailable } from "../project/Repositories.ts"
import type { Task, TaskRun } from "../model/Task.ts"
import type { Generation, Head } from "../model/Generation.ts"
import { commitBack, messageOf, riskiest, RollbackStale, tiersUndone } from "../candidate/RollbackPlan.ts"
import { ensureSynced } from "../project/SourceSync.ts"

const author = system("rollback")

/** What is asked of a rollback. It is refused when the head has moved on. */
export interface RollbackRequest {
  readonly projectId: string
  /** The generation whose tree is to be canonical again; older than the head. */
  readonly targetGeneration: number
  /** The head that the caller has seen. */
  readonly expectedGeneration: number
  /** Why, in words. One that is under way keeps its own. */
  readonly reason?: string
}

/**
 * Opens a rollback's Change with its ChangeSet and Candidate. Asked again on the same head it answers the one that is
 * under way, planned anew when its plan says no more what it would say now. Fails with `ProjectArchived`; then with
 * `RollbackStale` when the head is another one, whatever the target; then with `Unknown` (generation), and with
 * `InvalidField` when the target is not older than the head.
 */
export const request = (actor: Actor, input: RollbackRequest) =>
  refuseArchived(input.projectId).pipe(
    Effect.andThen(
      input.reason === undefined ? Effect.void : checkName("reason", input.reason, Limits.rollbackReasonLength)
    ),
    Effect.andThen(readied(input)),
    Effect.andThen(decideAndCommit(requesting(actor, input))),
    Effect.withSpan("Rollbacks.request", { attributes: { projectId: input.projectId } })
  )

/** Refuses what cannot be rolled back; else canonical `main` is brought to the head, which the commit will stand on. */
const readied = (input: RollbackRequest) =>
  Effect.andThen(
    reading(input),
    ensureSynced(input.projectId).pipe(
      Effect.catchTags({
        NotFastForward: (refused) =>
          new RepositoriesUnavailable({ operation: "advance", reason: `main is at ${refused.from}, not at the head` }),
        ObjectNotFound: (missing) =>
          new RepositoriesUnavailable({ operation: "advance", reason: `${missing.what} ${missing.id} is not there` }),
        TreeTooLarge: (large) =>
          new RepositoriesUnavailable({ operation: "list", reason: `the head has ${large.actual} ${large.limit}` })
      })
    )
  )

/** Where it goes back to, and from which head. Refuses as `request` does; without an expected head any will do. */
export const reading = Effect.fnUntraced(function* ({
  projectId,
  targetGeneration,
  expectedGeneration
}: Pick<RollbackRequest, "projectId" | "targetGeneration"> & { readonly expectedGeneration: number | null }) {
  const unknown = new Unknown({ kind: "generation", id: `S${targetGeneration}` })
  const head = yield* find("head", projectId)
  if (head === null) return yield* unknown
  // First: whoever has seen another head knows nothing yet of what is there to go back to.
  if (expectedGeneration !== null && head.record.generation !== expectedGeneration)
    return yield* new RollbackStale({ expectedGeneration, canonicalGeneration: head.record.generation })
  const target = yield* find("generation", generationKey(projectId, targetGeneration))
  if (target === null) return yield* unknown
  if (targetGeneration >= head.record.generation)
    return yield* new InvalidField({
      code: "invalid_field",
      field: "targetGeneration",
      reason: `S${targetGeneration} is not older than S${head.record.generation}`
    })
  return { target: target.record, head }
})

const newestCandidate = (changeId: string) =>
  Effect.map(
    Effect.flatMap(Records, (records) => records.list("candidate", { where: { changeId }, order: "newest", limit: 1 })),
    (page) => page.items[0]?.record
  )

const isUnderWay = (candidate: Candidate): boolean => ["composing", "verifying", "verified"].includes(candidate.status)

/** The rollback of this request that is under way, else the id of the next one: one that was rejected can be asked for again. */
export const underWayOrNext = Effect.fnUntraced(function* (
  input: Pick<RollbackRequest, "projectId" | "targetGeneration" | "expectedGeneration">
) {
  for (let attempt = 1; ; attempt++) {
    const again = attempt === 1 ? "" : `-${attempt}`
    const clientRequestId = `rollback-to-S${input.targetGeneration}-on-S${input.expectedGeneration}${again}`
    const id = yield* changeIdOf(input.projectId, clientRequestId)
    const openedBefore = yield* find("change", id)
    if (openedBefore === null) return { _tag: "Next" as const, id, clientRequestId }
    const candidate = yield* newestCandidate(id)
    // A person may have used the very id for another Change.
    if (openedBefore.record.kind !== "rollback" || candidate === undefined) continue
    if (!isClosed(openedBefore.record.status) && isUnderWay(candidate))
      return { _tag: "There" as const, change: openedBefore, candidate }
  }
})

const requesting = Effect.fnUntraced(function* (actor: Actor, input: RollbackRequest) {
  const project = yield* demandActive(input.projectId)
  const { target, head } = yield* reading(input)
  const found = yield* underWayOrNext(input)
  if (found._tag === "There") {
    const again = yield* askingAgain(found.candidate, { change: found.change, project }, actor)
    return { ...again, answer: { change: again.answer.change, candidate: again.answer.candidate } }
  }
  const now = yield* Time.now
  const change = newChange({
    ...found,
    projectId: head.record.projectId,
    target: target.generation,
    ...(input.reason === undefined ? {} : { reason: input.reason }),
    riskTier: riskiest(yield* tiersUndone(input.projectId, target.generation, head.record.generation)),
    actor,
    now
  })
  const work = yield* workOf(change, target, head.record)
  const base = { generation: head.record.generation, tree: head.record.tree }
  const changeSets = [work.changeSet.id]
  const id = yield* candidateIdOf({ project: change.projectId, base, changeSets, attempt: 1 })
  const candidate = newCandidate({ id, attempt: 1, head: head.record, changeSets, changeId: change.id, now })
  const draft = Draft.begin(change.projectId, actor, now)
  Draft.expect(draft, Commit.unchanged("head", change.projectId, head), unchangedProject(project))
  const opened = open(draft, change, work)
  Draft.insert(draft, "candidate", candidate)
  yield* goesFirst(draft, change)
  Draft.send(draft, verification(candidate, actor))
  return { answer: { change: opened, candidate }, commit: Draft.end(draft, { name: "Rollbacks.request" }) }
})

/** Where there is a lane, it lets the rollback before everybody. */
const goesFirst = Effect.fnUntraced(function* (draft: Draft.Draft, { id, projectId }: Change) {
  const policy = yield* find("policy", projectId)
  if (policy?.record.lane?.mode !== "on") return
  touchLane(draft, yield* laneIn(draft, projectId), { rollback: id })
})

const newChange = (options: {
  readonly id: ChangeId
  readonly clientRequestId: string
  readonly projectId: Head["projectId"]
  readonly target: number
  readonly reason?: string
  readonly riskTier: Change["riskTier"]
  readonly actor: Actor
  readonly now: Time.Timestamp
}): Change => ({
  id: options.id,
  projectId: options.projectId,
  clientRequestId: options.clientRequestId,
  goal: messageOf(options.target),
  status: "created",
  riskTier: options.riskTier,
  // No model works on it.
  budgetUsd: 0,
  spentUsd: 0,
  reservedUsd: 0,
  kind: "rollback",
  createdBy: options.actor,
  createdAt: options.now,
  updatedAt: options.now,
  statusBeforePromoting: null,
  rollbackTarget: options.target,
  ...(options.reason === undefined ? {} : { rollbackReason: options.reason }),
  reason: null
})

/** The Change goes through `running`, as every Change does: its one Task is completed as it begins. */
const open = (draft: Draft.Draft, created: Change, { changeSet, run, task }: Work): Change => {
  const { id: changeId } = created
  const { commit, id: changeSetId, tree } = changeSet
  const change = Draft.insert(draft, "change", created)
  Draft.step(draft, "change", change, "personWorked", {})
  Draft.emit(draft, "changeset.proposed", changeSetId, { changeId, commit, tree })
  Draft.emit(draft, "task.completed", task.id, { changeId, changeSetId })
  const started = { "verification.started": { reason: "work_graph_completed" as const } }
  const opened = Draft.step(draft, "change", change, "lastTaskCompleted", {}, started)
  Draft.insert(draft, "task", task)
  Draft.insert(draft, "taskRun", run)
  Draft.insert(draft, "changeSet", changeSet)
  return opened.record
}

interface Work {
  readonly task: Task
  readonly run: TaskRun
  readonly changeSet: ChangeSet
}

/** The Task, its run and the ChangeSet of a rollback, with its commit in the run's own fork. */
const workOf = Effect.fnUntraced(function* (change: Change, target: Generation, head: Head) {
  const { id: changeId, projectId, createdAt } = change
  const task: Task = {
    id: taskId(changeId, "rollback"),
    projectId,
    changeId,
    key: "rollback",
    title: messageOf(target.generation),
    kind: "implement",
    complexity: "small",
    dependsOn: [],
    status: "completed",
    attempt: 1,
    tier: null,
    reason: null,
    createdAt,
    updatedAt: createdAt
  }
  const run = runOf(task, head)
  const into = { project: projectId, fork: workspaceFork(run.id) }
  const made = yield* commitBack(into, { base: head.commit, target, askedAt: createdAt }).pipe(
    Effect.catchTag("ObjectNotFound", Effect.die)
  )
  const listing = yield* Effect.flatMap(Repositories, (repositories) =>
    repositories.diff(into, head.commit, made.commit)
  ).pipe(
    Effect.catchTag("ObjectNotFound", Effect.die),
    Effect.map((diffs) => diffs.map(({ patch: _patch, ...file }) => file)),
    Effect.flatMap((files) => listingOf(projectId, files, [])),
    // A rollback of very much is one all the same; what it changes can be read file by file.
    Effect.catchTag("TreeTooLarge", () => Effect.succeed(unlisted))
  )
  const changeSet: ChangeSet = {
    id: changeSetId(run.id),
    projectId,
    changeId,
    taskId: task.id,
    runId: run.id,
    author,
    baseGeneration: head.generation,
    baseCommit: head.commit,
    commit: made.commit,
    tree: made.tree,
    ...listing,
    message: messageOf(target.generation),
    createdAt
  }
  return { task, run, changeSet }
})

const runOf = (task: Task, head: Head): TaskRun => ({
  id: runId(task.id, 1),
  projectId: task.projectId,
  changeId: task.changeId,
  taskId: task.id,
  attempt: 1,
  tier: null,
  workspaceFork: workspaceFork(runId(task.id, 1)),
  baseCommit: head.commit,
  startedAt: task.createdAt,
  endedAt: task.createdAt,
  outcome: "completed",
  modelCalls: 0,
  costUsd: 0,
  forkDeletedAt: null
})
