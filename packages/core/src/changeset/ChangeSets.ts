/** ChangeSets: recording a person's edit as the work of a Task that the person holds. It has no shortcut. */
import { Effect, Schema } from "effect"
import type { Actor } from "../model/Actor.ts"
import { ChangeClosed, isClosed } from "../change/Changes.ts"
import type { Change } from "../model/Change.ts"
import { NoSource } from "../app/Apps.ts"
import { decideAndCommit, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { generationKey } from "../model/Entities.ts"
import { Records } from "../ledger/Records.ts"
import { InvalidField, Unknown } from "../ledger/Refusals.ts"
import { runId, taskId, workspaceFork } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { demandActive, unchangedProject } from "../project/ArchivedProject.ts"
import { type FileEdits, Repositories, RepositoriesUnavailable, type RepositoryRef } from "../project/Repositories.ts"
import { beyondMain } from "../project/SourceSync.ts"
import type { Task, TaskRun } from "../model/Task.ts"
import { addTask, begin, end } from "../task/Progress.ts"
import { snapshotOf } from "../task/Tasks.ts"
import type { ChangeSet } from "../model/ChangeSet.ts"
import { changeSetOf, commitEdits, publication, signatureOf } from "./Publication.ts"

/** A rollback carries the tree of its target and nothing else. Open another Change. */
export class RollbackTakesNoChangeSets extends Schema.TaggedError<RollbackTakesNoChangeSets>()(
  "RollbackTakesNoChangeSets",
  { changeId: Schema.String }
) {
  override get message() {
    return `${this.changeId} is a rollback: it carries the tree of its target and nothing else. Open another Change for further work.`
  }
}

/** The Change has as many ChangeSets as one may have. Open another Change for further work. */
export class ChangeSetLimit extends Schema.TaggedError<ChangeSetLimit>()("ChangeSetLimit", { max: Schema.Finite }) {
  override get message() {
    return `This Change has its ${this.max} ChangeSets. Promote what it has, or cancel it, and open a new Change for further work.`
  }
}

/** A person's edit of a Change. */
export interface Edit {
  readonly changeId: string
  readonly message: string
  readonly files: FileEdits
  /** Without it the edit builds on this person's newest ChangeSet of the Change, else on the head. */
  readonly baseGeneration?: number
  /** This person's newest ChangeSet of the Change when the edit was made (null: none). Refused when it is another one now. */
  readonly newest?: string | null
}

const checkFields = (edit: Edit): Effect.Effect<void, InvalidField> => {
  const problem = (field: string, reason: string) =>
    Effect.fail(new InvalidField({ code: "invalid_field", field, reason }))
  const count = Object.keys(edit.files).length
  if (edit.message.trim() === "" || edit.message.length > Limits.messageLength)
    return problem("message", `use 1 to ${Limits.messageLength} characters`)
  if (count === 0) return problem("files", "name at least one file")
  if (count > Limits.changeSetFiles) return problem("files", `at most ${Limits.changeSetFiles} files`)
  return Effect.void
}

interface Base {
  readonly generation: number
  readonly commit: string
  readonly tree: string
  readonly from: ReadonlyArray<RepositoryRef>
}

/** All ChangeSets of a Change, oldest first: at most `Limits.changeSetsPerChange`, beside those that agents made. */
export const changeSetsOf = (changeId: string) =>
  Effect.flatMap(Records, (records) => records.list("changeSet", { where: { changeId }, limit: "all" })).pipe(
    Effect.map(({ items }): ReadonlyArray<ChangeSet> => items.map((each) => each.record))
  )

/** A person's newest ChangeSet out of those of a Change, oldest first. */
export const newestOf = (changeSets: ReadonlyArray<ChangeSet>, author: Actor): ChangeSet | undefined =>
  changeSets.findLast((each) => each.author.id === author.id)

const baseOf = Effect.fnUntraced(function* (change: Change, edit: Edit, newest: ChangeSet | undefined) {
  const head = yield* find("head", change.projectId)
  if (head === null) return yield* new NoSource({ projectId: change.projectId })
  if (edit.baseGeneration !== undefined || newest === undefined) {
    const wanted = edit.baseGeneration ?? head.record.generation
    const generation = yield* find("generation", generationKey(change.projectId, wanted))
    if (generation === null) return yield* new Unknown({ kind: "generation", id: String(wanted) })
    return { ...generation.record, from: beyondMain(head.record, generation.record) } as Base
  }
  const from = [{ project: change.projectId, fork: workspaceFork(newest.runId) }]
  return { generation: newest.baseGeneration, commit: newest.commit, tree: newest.tree, from } as Base
})

/**
 * Records a person's edit: a completed Task, its run, and the ChangeSet, committed in the run's own fork. Fails with
 * `InvalidField`, `InvalidPath` or `TreeTooLarge` for what was sent; with `ChangeClosed`, `RollbackTakesNoChangeSets`,
 * `ChangeSetLimit`, `NoSource`, `ProjectArchived` or `Unknown` for where it was sent.
 */
export const record = (actor: Actor, edit: Edit) =>
  Effect.andThen(checkFields(edit), decideAndCommit(recording(actor, edit))).pipe(Effect.withSpan("ChangeSets.record"))

const recording = Effect.fnUntraced(function* (actor: Actor, edit: Edit) {
  const snapshot = yield* snapshotOf(edit.changeId)
  const { change } = snapshot
  const project = yield* demandActive(change.record.projectId)
  if (isClosed(change.record.status) || change.record.status === "releasing" || change.record.status === "promoting")
    return yield* new ChangeClosed({ changeId: edit.changeId, status: change.record.status })
  if (change.record.kind === "rollback") return yield* new RollbackTakesNoChangeSets({ changeId: edit.changeId })
  const before = yield* changeSetsOf(edit.changeId)
  if (before.length >= Limits.changeSetsPerChange) return yield* new ChangeSetLimit({ max: Limits.changeSetsPerChange })
  const newest = newestOf(before, actor)
  if (edit.newest !== undefined && edit.newest !== (newest?.id ?? null))
    return yield* new InvalidField({
      code: "not_newest",
      field: "newest",
      reason: `your newest ChangeSet is ${newest?.id ?? "none"} by now`
    })
  const base = yield* baseOf(change.record, edit, newest)
  const now = yield* Time.now
  const task = personTask(change.record, before.length + 1, edit, now)
  const run = personRun(task, base.commit, now)
  const into = { project: change.record.projectId, fork: workspaceFork(run.id) }
  yield* Effect.flatMap(Repositories, (repositories) => repositories.fork(into)).pipe(
    // There is a head, so there is a source: what is missing is its repository.
    Effect.catchTag(
      "ObjectNotFound",
      (missing) => new RepositoriesUnavailable({ operation: "fork", reason: `${missing.what} ${missing.id} is gone` })
    )
  )
  const made = yield* commitEdits({
    into,
    base: base.commit,
    from: base.from,
    edits: edit.files,
    declared: [],
    message: edit.message,
    signature: signatureOf(actor, Time.toMillis(now))
  })
  if (made.tree === base.tree)
    return yield* new InvalidField({
      code: "nothing_changed",
      field: "files",
      reason: "every file is already what was sent"
    })
  const changeSet = changeSetOf({ task, run, author: actor, base, made, message: edit.message, now })
  const draft = begin(snapshot, actor, now)
  // A Change that waits for a person's work goes through `running`: with no other Task open it is verifying at once.
  if (change.record.planned !== true && Draft.may(draft, "change", change, "personWorked"))
    Draft.step(draft, "change", change, "personWorked", {})
  addTask(draft, task)
  Draft.insert(draft, "taskRun", run)
  Draft.insert(draft, "changeSet", changeSet)
  Draft.tell(draft, task.id, publication(task, changeSet, { intentsDeclared: false }))
  Draft.expect(draft, unchangedProject(project))
  return { answer: changeSet, commit: end(draft, { name: "ChangeSets.record" }) }
})

const personTask = (change: Change, number: number, edit: Edit, now: Time.Timestamp): Task => ({
  id: taskId(change.id, `edit-${number}`),
  projectId: change.projectId,
  changeId: change.id,
  key: `edit-${number}`,
  title: edit.message.split("\n")[0]!.slice(0, Limits.taskTitleLength),
  kind: "implement",
  complexity: "small",
  dependsOn: [],
  status: "completed",
  attempt: 1,
  tier: null,
  reason: null,
  createdAt: now,
  updatedAt: now
})

const personRun = (task: Task, baseCommit: string, now: Time.Timestamp): TaskRun => ({
  id: runId(task.id, 1),
  projectId: task.projectId,
  changeId: task.changeId,
  taskId: task.id,
  attempt: 1,
  tier: null,
  workspaceFork: workspaceFork(runId(task.id, 1)),
  baseCommit,
  startedAt: now,
  endedAt: now,
  outcome: "completed",
  modelCalls: 0,
  costUsd: 0,
  forkDeletedAt: null
})
