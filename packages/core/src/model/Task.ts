/** A Task: one node of a Change's Work Graph, worked by one agent or held by one person. */
import { Schema, Struct } from "effect"
import { ChangeId, ProjectId, RunId, Sha256, TaskId, TokenId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"
import { withWireNames } from "../primitives/WireNames.ts"
import { PushedChecks } from "./PushedChecks.ts"

/** Each status that a Task can have (specification, "Task status"). */
export const taskStatuses = [
  /** It waits for Tasks that it depends on. */
  "pending",
  /** It waits for an agent. */
  "ready",
  /** An agent was admitted and has not begun. */
  "assigned",
  /** An agent works on it. */
  "running",
  /** Its work is there, as a ChangeSet or as findings. */
  "completed",
  /** It failed for good. */
  "failed",
  /** It waits for a Task, for its budget, or for a person: `blockedBy` says which. */
  "blocked",
  /** It ended with its Change. */
  "cancelled"
] as const
/** One of `taskStatuses`. */
export const TaskStatus = Schema.Literals(taskStatuses)
export type TaskStatus = typeof TaskStatus.Type

/** Kinds with a writable workspace, then the read-only ones. */
export const TaskKind = Schema.Literals(["implement", "migrate", "test", "research", "review", "docs-review"])
export type TaskKind = typeof TaskKind.Type
/** Whether a Task of this kind may publish a ChangeSet. The others only answer. */
export const isWritable = (kind: TaskKind): boolean => kind === "implement" || kind === "migrate" || kind === "test"

/** How much work the planner expects. The tier of model is chosen by it, and by the kind of Task. */
export const Complexity = Schema.Literals(["small", "medium", "large"])
export type Complexity = typeof Complexity.Type
/** Weakest first. */
export const ModelTier = Schema.Literals(["fast", "balanced", "strong"])
export type ModelTier = typeof ModelTier.Type

/** Why a Task is blocked: what it takes to go on is told by this. */
export const BlockedBy = Schema.Literals([
  /** A Task that it depends on is blocked or failed. */
  "dependency",
  /** Its agent could not be run: a person retries it. */
  "dead_letter",
  /** The budget of its Change is spent. */
  "budget",
  /** The calls of models of the day are used up. */
  "calls",
  /** The provider of models refuses every call, or there is none: a person retries it. */
  "model",
  /** A person stopped it, and takes it up again. */
  "stopped",
  /** A person does it: `heldBy` says who. */
  "person"
])
export type BlockedBy = typeof BlockedBy.Type

/** A piece of work of a Change (decisions, "Records"). */
export const Task = Schema.Struct({
  /** `tsk_<change>_<key>`. */
  id: TaskId,
  /** The Project that it is of. */
  projectId: ProjectId,
  /** The Change that it is part of. */
  changeId: ChangeId,
  /** Its name in the Work Graph, unique in its Change: `[a-z0-9-]{1,40}`; `edit-<n>` for what a person did, `repair-<n>` for what
      mends a Candidate. */
  key: Schema.String,
  /** One line, for people. */
  title: Schema.String,
  /** What kind of work it is: only some may write. */
  kind: TaskKind,
  /** How much work it is. */
  complexity: Complexity,
  /** Keys of the Tasks of the same Change that must be completed first. */
  dependsOn: Schema.Array(Schema.String),
  /** Where it is. */
  status: TaskStatus,
  /** How many runs it has had, the one that goes on too; 0 before the first. */
  attempt: Schema.Finite,
  /** The tier of model that works it; null for a Task that a person holds. */
  tier: Schema.NullOr(ModelTier),
  /** Why it is blocked, failed, deferred or cancelled, in words; null else. */
  reason: Schema.NullOr(Schema.String),
  /** What it waits for while it is blocked; null or absent else. */
  blockedBy: Schema.optionalKey(Schema.NullOr(BlockedBy)),
  /** A ready Task that waits for another one which writes the same waits at most until then; null or absent else. */
  waitsUntil: Schema.optionalKey(Schema.NullOr(Timestamp)),
  /** Id of the user whose ChangeSet is to complete it; null or absent while an agent works it. */
  heldBy: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** When it was stored, with its Work Graph or its ChangeSet. */
  createdAt: Timestamp,
  /** When it moved last. */
  updatedAt: Timestamp
})
export interface Task extends Schema.Schema.Type<typeof Task> {}

/** Whether it stands in the Work Graph, for an agent; else a person holds it. */
export const isPlanned = (task: Task): boolean => task.tier !== null
/** The key of the `n`th repair of a Change. */
export const repairKey = (n: number): string => `repair-${n}`
/** Whether a key is one of a repair. No planner may use it. */
export const isRepairKey = (key: string): boolean => /^repair-[0-9]+$/.test(key)
/** Whether it mends a Candidate: it is worked while its Change is verified. */
export const isRepair = (task: Task): boolean => isPlanned(task) && isRepairKey(task.key)
/** Whether a person does it, and no agent. */
export const isHeld = (task: Task): boolean => task.status === "blocked" && task.blockedBy === "person"
/** Whether an agent is at it: these count against the slots of the Change. */
export const isActive = (task: Task): boolean => task.status === "assigned" || task.status === "running"

/** What is known of a run that somebody's own agent works, outside this installation. */
export const OutsideWork = Schema.Struct({
  /** Id of the user who claimed the Task. */
  claimedBy: Schema.String,
  /** When the Task is taken back, unless the lease is renewed before. */
  leaseUntil: Timestamp,
  /** The commit that the work begins with: canonical with what the Task depends on. */
  base: Schema.String,
  /** The commit that was pushed last, as it lies in the run's fork; null before the first push. */
  pushed: Schema.NullOr(Schema.String)
})
export interface OutsideWork extends Schema.Schema.Type<typeof OutsideWork> {}

const runFields = Schema.Struct({
  /** `run_<task>_<attempt>`. */
  id: RunId,
  /** The Project that it is of. */
  projectId: ProjectId,
  /** The Change of its Task. */
  changeId: ChangeId,
  /** The Task that it is an attempt at. */
  taskId: TaskId,
  /** From 1 on. */
  attempt: Schema.Finite,
  /** The tier of model that worked it; null for a person's run. */
  tier: Schema.NullOr(ModelTier),
  /** The fork `ws-<run>` that it works in; null for a run that needs none. */
  workspaceFork: Schema.NullOr(Schema.String),
  /** The commit that it started from: the canonical one, or of the person's ChangeSet before it. */
  baseCommit: Schema.String,
  /** The generation of that commit; absent for a person's run. */
  baseGeneration: Schema.optionalKey(Schema.Finite),
  /** When it began. */
  startedAt: Timestamp,
  /** When it ended; null while it goes on. */
  endedAt: Schema.NullOr(Timestamp),
  /** `completed`, `retried`, `diverged` (another version of this program began it), `escalated`, `failed`, `stopped`, `dead_lettered` or `cancelled`; null while it goes on. */
  outcome: Schema.NullOr(Schema.String),
  /** Why it did not complete, in words. */
  reason: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** How many calls of models it has cost. */
  modelCalls: Schema.Finite,
  /** What it has cost, in US dollars. */
  costUsd: Schema.Finite,
  /** The run that a budget or a limit ended, and whose talk with the model it goes on with; absent for one that begins anew. */
  continues: Schema.optionalKey(RunId),
  /** When its fork was swept; null while it is kept, and for a run without one. */
  forkDeletedAt: Schema.NullOr(Timestamp),
  /** Of a run that is worked outside; absent for all others. */
  outside: Schema.optionalKey(OutsideWork),
  /** Of a run that is worked outside, once its checks were asked for. Shown by an answer of its own. */
  checks: Schema.optionalKey(PushedChecks),
  /** SHA-256 of the token that lets in who works it outside, while the run goes on. Never shown. */
  tokenHash: Schema.optionalKey(Sha256),
  /** The token that the Task was claimed with: when it lets nobody in any more, this run's does not either. Never shown. */
  claimedWith: Schema.optionalKey(TokenId)
})
const wireNames = { costUsd: "cost_usd" } as const

/** One attempt at a Task. */
export const TaskRun = runFields.pipe(withWireNames(wireNames))
export interface TaskRun extends Schema.Schema.Type<typeof TaskRun> {}

/** What is shown of a run: nothing of its token, and not its checks. */
export const TaskRunView = runFields
  .mapFields(Struct.omit(["checks", "tokenHash", "claimedWith"]))
  .pipe(withWireNames(wireNames))

/** Whether somebody's own agent works it, by a lease. */
export const isOutside = (run: Pick<TaskRun, "outside">): boolean => run.outside !== undefined
