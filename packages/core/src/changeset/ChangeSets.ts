/** ChangeSets: recording a person's edit as the work of a Task that the person holds. It has no shortcut. */
import { Effect } from "effect"
import type { Actor } from "../access/Actor.ts"
import { ChangeClosed, isClosed } from "../change/Changes.ts"
import type { Change } from "../change/Change.ts"
import { ChangeLifecycle } from "../change/ChangeLifecycle.ts"
import { NoSource } from "../app/Apps.ts"
import type { NewEvent } from "../event/Event.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Deciding.ts"
import { generationKey } from "../ledger/Entities.ts"
import * as Lifecycle from "../ledger/Lifecycle.ts"
import { Records } from "../ledger/Records.ts"
import { InvalidField, Unknown } from "../ledger/Refusals.ts"
import { changeSetId, runId, taskId, workspaceFork } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { type FileEdits, Repositories, type RepositoryRef } from "../project/Repositories.ts"
import type { Task, TaskRun } from "../task/Task.ts"
import type { ChangeSet } from "./ChangeSet.ts"

export interface Edit {
  readonly changeId: string
  readonly message: string
  readonly files: FileEdits
  /** Without it the edit builds on this person's newest ChangeSet of the Change, else on the head. */
  readonly baseGeneration?: number
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

const baseOf = (change: Change, actor: Actor, edit: Edit, before: ReadonlyArray<ChangeSet>) =>
  Effect.gen(function* () {
    const head = yield* find("head", change.projectId)
    if (head === null) return yield* new NoSource({ projectId: change.projectId })
    if (edit.baseGeneration !== undefined) {
      const generation = yield* find("generation", generationKey(change.projectId, edit.baseGeneration))
      if (generation === null) return yield* new Unknown({ kind: "generation", id: String(edit.baseGeneration) })
      return { ...generation.record, from: [] } as Base
    }
    const newest = before.findLast((each) => each.author.id === actor.id)
    if (newest === undefined) return { ...head.record, from: [] } as Base
    const from = [{ project: change.projectId, fork: workspaceFork(newest.runId) }]
    return { generation: newest.baseGeneration, commit: newest.commit, tree: newest.tree, from } as Base
  })

/** Records a person's edit: a completed Task, its run, and the ChangeSet, committed in the run's own fork. */
export const record = (actor: Actor, edit: Edit) =>
  Effect.zipRight(checkFields(edit), decideAndCommit(recording(actor, edit))).pipe(Effect.withSpan("ChangeSets.record"))

const recording = (actor: Actor, edit: Edit) =>
  Effect.gen(function* () {
    const change = yield* demand("change", edit.changeId)
    if (isClosed(change.record.status) || change.record.status === "releasing" || change.record.status === "promoting")
      return yield* new ChangeClosed({ changeId: edit.changeId, status: change.record.status })
    const records = yield* Records
    const before = (yield* records.list("changeSet", { where: { changeId: edit.changeId }, limit: "all" })).items.map(
      (each) => each.record
    )
    const base = yield* baseOf(change.record, actor, edit, before)
    const now = yield* Time.now
    const task = personTask(change.record, before.length + 1, edit, now)
    const run = personRun(task, base.commit, now)
    const repositories = yield* Repositories
    const into = { project: change.record.projectId, fork: workspaceFork(run.id) }
    yield* repositories
      .fork(into)
      .pipe(Effect.catchTag("ObjectNotFound", () => new NoSource({ projectId: change.record.projectId })))
    const made = yield* repositories
      .commit({
        into,
        base: base.commit,
        from: base.from,
        edits: edit.files,
        message: edit.message,
        signature: signatureOf(actor, Time.toMillis(now))
      })
      .pipe(Effect.catchTag("ObjectNotFound", Effect.die))
    if (made.tree === base.tree)
      return yield* new InvalidField({
        code: "nothing_changed",
        field: "files",
        reason: "every file is already what was sent"
      })
    const files = (yield* repositories
      .diff(into, base.commit, made.commit)
      .pipe(Effect.catchTag("ObjectNotFound", Effect.die))).map(({ patch: _patch, ...file }) => file)
    const changeSet: ChangeSet = {
      id: changeSetId(run.id),
      projectId: change.record.projectId,
      changeId: change.record.id,
      taskId: task.id,
      runId: run.id,
      author: actor,
      baseGeneration: base.generation,
      baseCommit: base.commit,
      commit: made.commit,
      tree: made.tree,
      files,
      intents: files.map((file) => ({ kind: "path" as const, value: file.path, mode: "write" as const })),
      message: edit.message,
      createdAt: now
    }
    return { answer: changeSet, commit: recorded(change, task, run, changeSet, actor, now) }
  })

const personTask = (change: Change, number: number, edit: Edit, now: Time.Timestamp): Task => ({
  id: taskId(change.id, `edit-${number}`),
  projectId: change.projectId,
  changeId: change.id,
  key: `edit-${number}`,
  title: edit.message.split("\n")[0]!.slice(0, 200),
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
  cost_usd: 0,
  forkDeletedAt: null
})

/** Ids stand for people in commits; names and addresses are not spread through history. */
const signatureOf = (actor: Actor, atMs: number) => ({
  name: actor.id,
  email: `${actor.id.replace(":", ".")}@pawl.invalid`,
  atMs
})

const recorded = (
  change: Commit.Stored<Change>,
  task: Task,
  run: TaskRun,
  changeSet: ChangeSet,
  actor: Actor,
  now: Time.Timestamp
): Commit.Commit => {
  const started = Lifecycle.next(ChangeLifecycle, change.record.status, "personWorked")
  // A Change that waited for its first work goes through `running`: with no Task open it is verifying at once.
  const opened = started._tag === "Right"
  const events: Array<NewEvent> = [
    {
      type: "changeset.proposed",
      subject: changeSet.id,
      data: { changeId: change.record.id, commit: changeSet.commit, tree: changeSet.tree },
      actor
    },
    { type: "task.completed", subject: task.id, data: { changeId: change.record.id, changeSetId: changeSet.id }, actor }
  ]
  if (opened)
    events.push({
      type: "verification.started",
      subject: change.record.id,
      data: { reason: "work_graph_completed" },
      actor
    })
  return {
    name: "ChangeSets.record",
    projectId: change.record.projectId,
    writes: [
      Commit.update("change", change, { status: opened ? "running" : change.record.status, updatedAt: now }),
      ...(opened
        ? [
            Commit.update(
              "change",
              { record: { ...change.record, status: "running" }, revision: change.revision + 1 },
              { status: "verifying", updatedAt: now }
            )
          ]
        : []),
      Commit.insert("task", task),
      Commit.insert("taskRun", run),
      Commit.insert("changeSet", changeSet)
    ],
    events
  }
}
