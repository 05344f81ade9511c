/** What a Change does not allow. */
import { conflict, type Rows } from "./Row.ts"

/** Refusals of Changes and ChangeSets. */
export const changeProblems = {
  ChangeClosed: ({ message, status }) =>
    conflict("change_closed", "The Change is closed", message, { changeStatus: status }),
  LaneOff: ({ message, projectId }) => conflict("lane_off", "The lane is off", message, { projectId }),
  PlanningMissing: ({ message }) => conflict("planning_unavailable", "Nothing can be planned here", message),
  ChangeSetLimit: ({ max, message }) => conflict("changeset_limit", "No more ChangeSets", message, { max }),
  RollbackTakesNoChangeSets: ({ changeId, message }) =>
    conflict("rollback_takes_no_changesets", "A rollback takes no ChangeSets", message, { changeId }),
  BudgetCannotDecrease: ({ asked, current, message }) =>
    conflict("budget_cannot_decrease", "A budget can only be raised", message, { current, asked }),
  NotCancellable: ({ message, status }) =>
    conflict("not_cancellable", "Too late to cancel", message, { changeStatus: status })
} satisfies Partial<Rows>
