/** ChangeSets: recording a person's edit as the work of a Task that the person holds. It has no shortcut. */
import { Effect, Schema } from "effect"
import type { Actor } from "../model/Actor.ts"
import { ChangeClosed, isClosed } from "../change/Changes.ts"
import { decideAndCommit } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { Records } from "../ledger/Records.ts"
import { InvalidField } from "../ledger/Refusals.ts"
import { runId, workspaceFork } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { demandActive, unchangedProject } from "../project/ArchivedProject.ts"
import { type FileEdits, Repositories, RepositoriesUnavailable, type RepositoryRef } from "../project/Repositories.ts"
import { addTask, begin, end, leaveLane, moveTask, type Snapshot } from "../task/Progress.ts"
import { snapshotOf } from "../task/Tasks.ts"
import type { ChangeSet } from "../model/ChangeSet.ts"
import type { Patch } from "./Patch.ts"
import { editsOnTree } from "./PatchEdits.ts"
import { readPatch } from "./PatchText.ts"
import { type Base, baseOf, editTask, heldTask, inherited, personRun, stackedBase } from "./PersonWork.ts"
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

/** A person's edit of a Change: files, or a patch, one of the two. */
export interface Edit {
  readonly changeId: string
  readonly message: string
  readonly files?: FileEdits | undefined
  /** A unified diff, as git writes it, of what the edit builds on. */
  readonly patch?: string | undefined
  /** The Task that it completes, which this person holds. Without it the edit is a Task of its own. */
  readonly taskId?: string
  /** Without it the edit builds on this person's newest ChangeSet of the Change, else on the head. */
  readonly baseGeneration?: number
  /** This person's newest ChangeSet of the Change when the edit was made (null: none). Refused when it is another one now. */
  readonly newest?: string | null
}

/** What an edit does to files: as it was sent, or to be made of its patch when its base is known. */
type Work = { readonly files: FileEdits } | { readonly patch: Patch }

/** Reads what was sent. Fails with `InvalidField` or `PatchMalformed`. */
const workOf = Effect.fnUntraced(function* ({ files, message, patch }: Edit) {
  const problem = (field: string, reason: string) => new InvalidField({ code: "invalid_field", field, reason })
  if (message.trim() === "" || message.length > Limits.messageLength)
    return yield* problem("message", `use 1 to ${Limits.messageLength} characters`)
  if ((files === undefined) === (patch === undefined))
    return yield* problem("files", "send files or a patch, one of the two")
  const work: Work =
    patch === undefined ? { files: files ?? {} } : { patch: yield* Effect.fromResult(readPatch(patch)) }
  const [field, count] = "patch" in work ? ["patch", work.patch.length] : ["files", Object.keys(work.files).length]
  if (count === 0) return yield* problem(field, "name at least one file")
  if (count > Limits.changeSetFiles) return yield* problem(field, `at most ${Limits.changeSetFiles} files`)
  return work
})

/** All ChangeSets of a Change, oldest first: at most `Limits.changeSetsPerChange`, beside those that agents made. */
export const changeSetsOf = (changeId: string) =>
  Effect.flatMap(Records, (records) => records.list("changeSet", { where: { changeId }, limit: "all" })).pipe(
    Effect.map(({ items }): ReadonlyArray<ChangeSet> => items.map((each) => each.record))
  )

/** A person's newest ChangeSet out of those of a Change, oldest first. */
export const newestOf = (changeSets: ReadonlyArray<ChangeSet>, author: Actor): ChangeSet | undefined =>
  changeSets.findLast((each) => each.author.id === author.id)

/** Where the work of an edit begins, and the Task that it is of: one that the person holds, else one of its own. */
const beginning = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  edit: Edit,
  actor: Actor,
  before: ReadonlyArray<ChangeSet>,
  now: Time.Timestamp
) {
  const change = snapshot.change.record
  const newest = newestOf(before, actor)
  if (edit.newest !== undefined && edit.newest !== (newest?.id ?? null))
    return yield* new InvalidField({
      code: "not_newest",
      field: "newest",
      reason: `your newest ChangeSet is ${newest?.id ?? "none"} by now`
    })
  const held = edit.taskId === undefined ? null : yield* heldTask(snapshot, edit.taskId, actor)
  const task = held ?? editTask(change, before.length + 1, edit.message, now)
  const attempt = held === null ? task.attempt : task.attempt + 1
  const into = { project: change.projectId, fork: workspaceFork(runId(task.id, attempt)) }
  const below = held === null || edit.baseGeneration !== undefined ? [] : inherited(snapshot, held, before)
  const stack = newest === undefined || below.includes(newest) ? below : [...below, newest]
  const base =
    below.length === 0
      ? yield* Effect.tap(baseOf(change, edit.baseGeneration, newest), () => forked(into))
      : yield* stackedBase(snapshot, task, attempt, stack, now)
  return { base, into, task, run: personRun(task, attempt, base.commit, now) }
})

const forked = (into: RepositoryRef & { readonly fork: string }) =>
  Effect.flatMap(Repositories, (repositories) => repositories.fork(into)).pipe(
    // There is a head, so there is a source: what is missing is its repository.
    Effect.catchTag(
      "ObjectNotFound",
      (missing) => new RepositoriesUnavailable({ operation: "fork", reason: `${missing.what} ${missing.id} is gone` })
    )
  )

/** The edits of files. A base that another fork holds is read there: it is fetched when they are committed. */
const editsOf = (work: Work, base: Base, into: RepositoryRef) =>
  "files" in work ? Effect.succeed(work.files) : editsOnTree(work.patch, base.from[0] ?? into, base.tree)

/**
 * Records a person's edit: a completed Task, its run, and the ChangeSet, committed in the run's own fork. Fails with
 * `InvalidField`, `InvalidPath`, `PatchMalformed`, `PatchMisfit` or `TreeTooLarge` for what was sent; with `ChangeClosed`, `RollbackTakesNoChangeSets`,
 * `ChangeSetLimit`, `NoSource`, `ProjectArchived` or `Unknown` for where it was sent; and with `TaskClosed`,
 * `TaskNotHeld` or `TaskNotWorkable` for the Task that it is to complete.
 */
export const record = (actor: Actor, edit: Edit) =>
  Effect.flatMap(workOf(edit), (work) => decideAndCommit(recording(actor, edit, work))).pipe(
    Effect.withSpan("ChangeSets.record")
  )

const recording = Effect.fnUntraced(function* (actor: Actor, edit: Edit, work: Work) {
  const snapshot = yield* snapshotOf(edit.changeId)
  const { change } = snapshot
  const project = yield* demandActive(change.record.projectId)
  if (isClosed(change.record.status) || change.record.status === "releasing" || change.record.status === "promoting")
    return yield* new ChangeClosed({ changeId: edit.changeId, status: change.record.status })
  if (change.record.kind === "rollback") return yield* new RollbackTakesNoChangeSets({ changeId: edit.changeId })
  const before = yield* changeSetsOf(edit.changeId)
  if (before.length >= Limits.changeSetsPerChange) return yield* new ChangeSetLimit({ max: Limits.changeSetsPerChange })
  const now = yield* Time.now
  const { base, into, run, task } = yield* beginning(snapshot, edit, actor, before, now)
  const made = yield* commitEdits({
    into,
    base: base.commit,
    from: base.from,
    edits: yield* editsOf(work, base, into),
    declared: [],
    message: edit.message,
    signature: signatureOf(actor, Time.toMillis(now))
  })
  if (made.tree === base.tree)
    return yield* new InvalidField({
      code: "nothing_changed",
      field: "patch" in work ? "patch" : "files",
      reason: "every file is already what was sent"
    })
  const changeSet = changeSetOf({ task, run, author: actor, base, made, message: edit.message, now })
  const draft = begin(snapshot, actor, now)
  // A Change that waits for a person's work goes through `running`: with no other Task open it is verifying at once.
  if (change.record.planned !== true && Draft.may(draft, "change", change, "personWorked"))
    Draft.step(draft, "change", change, "personWorked", {})
  const told = publication(task, changeSet, { intentsDeclared: false })
  if (task.status === "completed") {
    addTask(draft, task)
    Draft.tell(draft, task.id, told)
  } else moveTask(draft, task.id, "published", { attempt: run.attempt }, told)
  Draft.insert(draft, "taskRun", run)
  Draft.insert(draft, "changeSet", changeSet)
  leaveLane(draft)
  Draft.expect(draft, unchangedProject(project))
  return { answer: changeSet, commit: end(draft, { name: "ChangeSets.record" }) }
})
