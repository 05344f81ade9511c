/** Tasks that are worked outside, by agents that people bring: claimed, their work taken, and settled as any other's. */
import { Effect, Redacted, Schema } from "effect"
import * as Tokens from "../access/Tokens.ts"
import { changeSetsOf } from "../changeset/ChangeSets.ts"
import { inherited, TaskNotWorkable } from "../changeset/PersonWork.ts"
import { commitEdits, signatureOf } from "../changeset/Publication.ts"
import { claimsOf, hold, plannedIntents, wantedBy } from "../claim/Claims.ts"
import { compositionOrder } from "../change/WorkGraph.ts"
import { listingOf } from "../changeset/Listing.ts"
import { decideAndCommit, demand } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { InvalidField } from "../ledger/Refusals.ts"
import type { Token } from "../model/Membership.ts"
import type { Actor } from "../model/Actor.ts"
import { isActive, isWritable, type Task, type TaskRun } from "../model/Task.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { sha256, utf8 } from "../primitives/Digest.ts"
import { agentId, workspaceFork } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { refuseArchived } from "../project/ArchivedProject.ts"
import { type FileEdits, Repositories, RepositoriesUnavailable } from "../project/Repositories.ts"
import { nothingUsed } from "./Agent.ts"
import { openTask } from "./Interventions.ts"
import { heldRun, leaseCommand, leaseFrom, RunNotHeld } from "./OutsideLeases.ts"
import { findingsKey, plannedOf } from "./PlannedWork.ts"
import { begin, end, isWorkable, moveTask, type Snapshot } from "./Progress.ts"
import { settling, type Finding } from "./Settlement.ts"
import { agentOf, newRun, routeOf, waitsFor } from "./Tasks.ts"
import { prepare } from "./Workspaces.ts"

/** The Task cannot be taken outside now. */
export class NotClaimable extends Schema.TaggedError<NotClaimable>()("NotClaimable", {
  taskId: Schema.String,
  status: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.taskId} cannot be claimed: ${this.reason}.`
  }
}

/** Nothing was pushed for the run, so there is nothing that could be published. */
export class NothingPushed extends Schema.TaggedError<NothingPushed>()("NothingPushed", {
  runId: Schema.String,
  ref: Schema.String
}) {
  override get message() {
    return `Nothing was pushed for ${this.runId}. Push your commit to ${this.ref} first, or give the Task up.`
  }
}

/** Where the work on a Task is pushed to. */
export const refOfTask = (taskId: string): string => `refs/tasks/${taskId}`

/** What a Task is to claim by its plan, which was stored before it. */
const intended = (task: Task) =>
  plannedOf(task).pipe(
    Effect.catchTag("ObjectMissing", Effect.die),
    Effect.flatMap(({ planned }) => wantedBy(task.id, plannedIntents(planned)))
  )

/** Why a Task cannot be claimed now, in words; null when it can. */
const obstacle = Effect.fnUntraced(function* (task: Task, snapshot: Snapshot, now: Time.Timestamp) {
  const { outsideAgents } = (yield* demand("policy", task.projectId)).record
  if (outsideAgents === "never") return "the Policy lets no agent outside work on this Project"
  if (task.status !== "ready") return `it is ${task.status}, and only a ready Task can be`
  const { status } = snapshot.change.record
  if (status === "promoting" || !isWorkable(snapshot.change.record, task)) return `its Change is ${status}`
  if (snapshot.tasks.filter(({ record }) => isActive(record)).length >= Limits.activeAgentsPerChange)
    return `${Limits.activeAgentsPerChange} agents are active in its Change`
  const wanted = yield* intended(task)
  // As an agent that is built in would: for a while it waits for who writes the same.
  const waitsUntil = task.waitsUntil ?? Time.fromMillis(Time.toMillis(task.updatedAt) + Limits.claimWaitMs)
  const waits = waitsFor({ ...task, waitsUntil }, snapshot, wanted, now)
  return waits === null ? null : (waits.fields.reason ?? "another Task writes the same")
})

/** The source that a run outside begins with. */
const sourceOf = Effect.fnUntraced(function* (task: Task, run: TaskRun, snapshot: Snapshot) {
  const below = inherited(snapshot, task, yield* changeSetsOf(task.changeId))
  const tasks = snapshot.tasks.map(({ record }) => record)
  const gone = (reason: string) => new RepositoriesUnavailable({ operation: "merge", reason })
  // A Task that only reads works on canonical itself: outside it is shown a fork all the same.
  const fork = { project: task.projectId, fork: workspaceFork(run.id) }
  const forked = Effect.flatMap(Repositories, (repositories) => repositories.fork(fork))
  const source = yield* Effect.andThen(forked, prepare(task, run, compositionOrder(below, tasks))).pipe(
    Effect.catchTags({
      ObjectNotFound: ({ id, what }) => gone(`${what} ${id} is gone`),
      NotFastForward: ({ from }) => gone(`main is at ${from}, not at the head`)
    })
  )
  if (source._tag === "Impossible") return yield* new TaskNotWorkable({ taskId: task.id, reason: source.reason })
  return source
})

/** A ready Task that is open. One that is over is not claimable. */
const claimable = (taskId: string) =>
  openTask(taskId).pipe(
    Effect.catchTags({
      TaskClosed: ({ status }) => new NotClaimable({ taskId, status, reason: `it is ${status}, for good` }),
      ChangeClosed: ({ status }) => new NotClaimable({ taskId, status, reason: `its Change is ${status}` })
    })
  )

/**
 * Claims a ready Task for the agent of a person: a run with a lease, and a token for that run alone, whose text is
 * answered this once. It can do no more than the token that the person claims with, and ends with it. Fails with `NotClaimable`, `TaskNotWorkable`, `ProjectArchived` or `Unknown`.
 */
export const claim = Effect.fnUntraced(function* (actor: Actor, taskId: string, claimedWith?: Token["id"]) {
  const text = yield* Tokens.generate
  const tokenHash = yield* sha256(Redacted.value(text))
  const run = yield* decideAndCommit(
    Effect.gen(function* () {
      const { snapshot, task: stored, unarchived } = yield* claimable(taskId)
      const task = stored.record
      const now = yield* Time.now
      const reason = yield* obstacle(task, snapshot, now)
      if (reason !== null) return yield* new NotClaimable({ taskId, status: task.status, reason })
      const head = yield* demand("head", task.projectId)
      const fresh = newRun({ ...task, attempt: task.attempt + 1 }, head.record, now)
      const inside = { ...fresh, workspaceFork: workspaceFork(fresh.id) }
      const { commit: base } = yield* sourceOf(task, inside, snapshot)
      const outside = { claimedBy: actor.id, leaseUntil: leaseFrom(now), base, pushed: null }
      const claimed: TaskRun = { ...inside, outside, tokenHash, ...(claimedWith === undefined ? {} : { claimedWith }) }
      const draft = begin(snapshot, actor, now)
      Draft.expect(draft, unarchived)
      const { changeId } = task
      const agent = agentId(task.id)
      moveTask(
        draft,
        taskId,
        "admitted",
        { waitsUntil: null },
        {
          "task.assigned": { changeId, agentId: agent }
        }
      )
      hold(draft, task, yield* claimsOf(task), yield* intended(task))
      const data = { changeId, runId: claimed.id }
      const { attempt } = claimed
      moveTask(
        draft,
        taskId,
        "started",
        { attempt },
        {
          "agent.woken": Draft.about(agent, { ...data, taskId }),
          ...routeOf(task, claimed),
          "task.started": { ...data, attempt }
        }
      )
      Draft.insert(draft, "taskRun", claimed)
      Draft.send(draft, leaseCommand(claimed.id))
      return { answer: claimed, commit: end(draft, { name: "OutsideRuns.claim" }) }
    })
  )
  return { run, text }
}, Effect.withSpan("OutsideRuns.claim"))

/** What was pushed for a run. */
export interface PushedWork {
  readonly edits: FileEdits
  readonly message: string
}

/** Takes what was pushed: it replaces what was pushed before. Answers its commit. Fails as `heldRun` does, and as a commit does. */
export const receive = (actor: Actor, runId: string, work: PushedWork) =>
  decideAndCommit(
    Effect.gen(function* () {
      const { outside, run } = yield* heldRun(actor, runId)
      const task = (yield* demand("task", run.record.taskId)).record
      if (!isWritable(task.kind))
        return yield* new NotClaimable({
          taskId: task.id,
          status: task.status,
          reason: `a ${task.kind} Task writes nothing`
        })
      const count = Object.keys(work.edits).length
      if (count > Limits.changeSetFiles)
        return yield* new InvalidField({
          code: "invalid_field",
          field: "files",
          reason: `at most ${Limits.changeSetFiles} files`
        })
      const { commit } = yield* commitEdits({
        into: { project: task.projectId, fork: workspaceFork(run.record.id) },
        base: outside.base,
        from: [],
        edits: work.edits,
        declared: [],
        message: work.message.slice(0, Limits.messageLength) || task.title,
        signature: signatureOf(agentOf(task), Time.toMillis(run.record.startedAt))
      })
      const draft = Draft.begin(task.projectId, actor, yield* Time.now)
      Draft.update(draft, "taskRun", run, { outside: { ...outside, pushed: commit } })
      return { answer: commit, commit: Draft.end(draft, { name: "OutsideRuns.receive" }) }
    })
  ).pipe(Effect.withSpan("OutsideRuns.receive"))

/** What a run outside comes to when it is published. */
const findingOf = Effect.fnUntraced(
  function* (task: Task, run: TaskRun, pushed: string, base: string, message: string) {
    if (run.baseGeneration === undefined) return yield* Effect.die(new Error(`${run.id} has no base`))
    const at = { project: task.projectId, fork: workspaceFork(run.id) }
    const repositories = yield* Repositories
    const [own, before] = [yield* repositories.resolve(at, pushed), yield* repositories.resolve(at, base)]
    if (own.tree === before.tree) return { _tag: "Answered", objectKey: null, usage: nothingUsed } satisfies Finding
    const diff = yield* repositories.diff(at, base, pushed)
    const files = diff.map(({ path, status, additions, deletions }) => ({ path, status, additions, deletions }))
    const made = { ...own, listing: yield* listingOf(at.project, files, []) }
    return {
      _tag: "Published",
      made,
      base: { generation: run.baseGeneration, commit: base },
      message: message.slice(0, Limits.messageLength) || task.title,
      usage: nothingUsed
    } satisfies Finding
  },
  Effect.catchTags({
    ObjectNotFound: ({ id, what }) =>
      new RepositoriesUnavailable({ operation: "read", reason: `${what} ${id} is gone` }),
    TreeTooLarge: Effect.die
  })
)

/** What a read-only Task found, kept as words. */
const answered = Effect.fnUntraced(function* (task: Task, run: TaskRun, text: string) {
  const key = findingsKey(task, run.attempt)
  const words = utf8(text.slice(0, Limits.agentAnswerChars))
  yield* (yield* ObjectStore).put(key, words).pipe(Effect.catchTag("InvalidKey", Effect.die))
  return { _tag: "Answered", objectKey: key, usage: nothingUsed } satisfies Finding
})

/**
 * Ends a run with what was pushed last, as a ChangeSet; of a read-only Task with the message as what it found. Asking
 * again answers the same. Fails with `NothingPushed`, `InvalidField`, and as `heldRun` does.
 */
export const publish = Effect.fnUntraced(function* (actor: Actor, runId: string, message: string) {
  const before = (yield* demand("taskRun", runId)).record
  const isRepeat = before.outcome === "completed" && before.outside?.claimedBy === actor.id
  yield* refuseArchived(before.projectId)
  if (!isRepeat) {
    const { outside, run } = yield* heldRun(actor, runId)
    const task = (yield* demand("task", run.record.taskId)).record
    const mayWrite = isWritable(task.kind)
    if (!mayWrite && message.trim() === "")
      return yield* new InvalidField({ code: "invalid_field", field: "message", reason: "say what was found" })
    if (mayWrite && outside.pushed === null) return yield* new NothingPushed({ runId, ref: refOfTask(task.id) })
    const finding = yield* outside.pushed !== null && mayWrite
      ? findingOf(task, run.record, outside.pushed, outside.base, message)
      : answered(task, run.record, message)
    if (!(yield* settling(task.id, run.record.attempt, finding)))
      return yield* new RunNotHeld({ runId, reason: "its Task has moved on" })
  }
  const run = (yield* demand("taskRun", runId)).record
  const task = (yield* demand("task", run.taskId)).record
  const changeSets = yield* changeSetsOf(task.changeId)
  return { run, task, changeSet: changeSets.find((each) => each.runId === runId) ?? null }
}, Effect.withSpan("OutsideRuns.publish"))
