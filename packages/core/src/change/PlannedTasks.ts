/** Tasks as they are stored: what a planner proposed, or what a repair was told. */
import * as Draft from "../ledger/Draft.ts"
import type { Change } from "../model/Change.ts"
import type { Task } from "../model/Task.ts"
import { taskId } from "../primitives/Ids.ts"
import type * as Time from "../primitives/Time.ts"
import { tierOf } from "../task/ModelRoute.ts"
import { addTask, type Progress } from "../task/Progress.ts"
import type { PlannedTask } from "./WorkGraph.ts"

/** A Task of a Change, as proposed. A cancelled one says why. */
export const taskOf = (change: Change, planned: PlannedTask, status: Task["status"], now: Time.Timestamp): Task => ({
  id: taskId(change.id, planned.key),
  projectId: change.projectId,
  changeId: change.id,
  key: planned.key,
  title: planned.title,
  kind: planned.kind,
  complexity: planned.complexity,
  dependsOn: planned.dependsOn,
  status,
  attempt: 0,
  tier: tierOf(planned.kind, planned.complexity),
  reason: status === "cancelled" ? "change cancelled" : null,
  createdAt: now,
  updatedAt: now
})

/** Adds a new Task and tells of it. */
export const addPlanned = (draft: Progress, task: Task): void => {
  const { changeId, complexity, dependsOn, key, kind, title } = task
  addTask(draft, task)
  Draft.emit(draft, "task.created", task.id, { changeId, key, title, kind, complexity, dependsOn })
}
