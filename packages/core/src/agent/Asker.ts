/** Who asks models: one run of a Task, the planner of a Change, or the review of a Candidate. */
import type { Actor } from "../model/Actor.ts"
import { system } from "../model/Actor.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { Change } from "../model/Change.ts"
import type { CallPurpose } from "../model/ModelCall.ts"
import type { ModelTier, TaskRun } from "../model/Task.ts"
import { agentId, type ModelCallId, type RunId, type TaskId } from "../primitives/Ids.ts"

/** What the ids of its calls begin with. */
type Subject = RunId | `${Change["id"]}_plan` | `${Change["id"]}_review_${string}`

/** Who asks, and who pays. */
export interface Asker {
  readonly change: Pick<Change, "id" | "projectId">
  readonly purpose: CallPurpose
  readonly tier: ModelTier
  readonly subject: Subject
  /** Of runs that this one goes on from, the newest first. */
  readonly earlier: ReadonlyArray<Subject>
  /** Only of a run. */
  readonly run?: { readonly id: RunId; readonly taskId: TaskId }
  readonly actor: Actor
}

/** An agent in one run of its Task; `earlier` are the runs that it goes on from, the newest first. */
export const agentIn = (
  run: Pick<TaskRun, "id" | "taskId" | "projectId" | "changeId">,
  tier: ModelTier,
  earlier: ReadonlyArray<RunId>
): Asker => ({
  change: { id: run.changeId, projectId: run.projectId },
  purpose: "work",
  tier,
  subject: run.id,
  earlier,
  run: { id: run.id, taskId: run.taskId },
  actor: { type: "agent", id: agentId(run.taskId) }
})

/** The planner of a Change. */
export const plannerOf = ({ id, projectId }: Pick<Change, "id" | "projectId">, tier: ModelTier): Asker => ({
  change: { id, projectId },
  purpose: "plan",
  tier,
  subject: `${id}_plan`,
  earlier: [],
  actor: system("planning")
})

/** Whoever reviews a Candidate; its Change pays. */
export const reviewerOf = (candidate: Pick<Candidate, "id" | "projectId" | "changeId">, tier: ModelTier): Asker => ({
  change: { id: candidate.changeId, projectId: candidate.projectId },
  purpose: "review",
  tier,
  subject: `${candidate.changeId}_review_${candidate.id.slice("cand_".length)}`,
  earlier: [],
  actor: system("review")
})

/** The id of a call: its turn and its try count from 1. */
export const callId = (subject: Asker["subject"], turn: number, nth: number): ModelCallId =>
  `mc_${subject}_${turn}_${nth}`

/** Where what a run, a plan or a review was told and answered lies, with a slash at its end. */
export const contextPrefix = (projectId: string, subject: string): string => `context/${projectId}/${subject}/`
