/** What a Task does not allow. */
import { conflict, type Rows } from "./Row.ts"

/** Refusals of what people do about Tasks. */
export const taskProblems = {
  TaskClosed: ({ message, status, taskId }) =>
    conflict("task_closed", "The Task is over", message, { taskId, taskStatus: status }),
  NotRetryable: ({ message, taskId, waitsFor }) =>
    conflict("not_retryable", "The Task waits for another one", message, { taskId, waitsFor }),
  ReadOnlyTask: ({ kind, message, taskId }) =>
    conflict("read_only_task", "No ChangeSet completes this Task", message, { taskId, kind }),
  NotClaimable: ({ message, reason, status, taskId }) =>
    conflict("not_claimable", "The Task cannot be claimed", message, { taskId, taskStatus: status, reason }),
  RunNotHeld: ({ message, reason, runId }) =>
    conflict("run_not_held", "The run is not in your hands", message, { runId, reason }),
  ChecksUsedUp: ({ max, message, runId }) => conflict("checks_used_up", "No more checks", message, { runId, max }),
  NothingPushed: ({ message, ref, runId }) => conflict("nothing_pushed", "Nothing was pushed", message, { runId, ref }),
  NoteLimit: ({ max, message }) => conflict("note_limit", "No more notes", message, { max }),
  TaskNotHeld: ({ heldBy, message, taskId }) =>
    conflict("task_not_held", "The Task is not yours", message, { taskId, heldBy }),
  TaskNotWorkable: ({ message, taskId }) =>
    conflict("task_not_workable", "The Task has nothing to begin with", message, { taskId })
} satisfies Partial<Rows>
