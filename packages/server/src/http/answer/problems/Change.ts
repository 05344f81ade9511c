/** What a Change does not allow. */
import { short } from "@pawl/core/primitives/ShortText"
import { conflict, problemOf, type Rows } from "./Row.ts"

interface InPatch {
  readonly file: string | null
  readonly hunk: number | null
  readonly line: number
}

/** Where in a patch something is wrong. */
const placeIn = ({ file, hunk, line }: InPatch) => ({ file: file === null ? null : short(file), hunk, line })

/** Refusals of Changes and ChangeSets. */
export const changeProblems = {
  ChangeClosed: ({ message, status }) =>
    conflict("change_closed", "The Change is closed", message, { changeStatus: status }),
  LaneOff: ({ message, projectId }) => conflict("lane_off", "The lane is off", message, { projectId }),
  PlanningMissing: ({ message }) => conflict("planning_unavailable", "Nothing can be planned here", message),
  ChangeSetLimit: ({ max, message }) => conflict("changeset_limit", "No more ChangeSets", message, { max }),
  PatchMalformed: (refusal) =>
    problemOf(400, "patch_malformed", "The patch cannot be read", refusal.message, placeIn(refusal)),
  PatchMisfit: (refusal) => conflict("patch_misfit", "The patch does not fit", refusal.message, placeIn(refusal)),
  RollbackTakesNoChangeSets: ({ changeId, message }) =>
    conflict("rollback_takes_no_changesets", "A rollback takes no ChangeSets", message, { changeId }),
  BudgetCannotDecrease: ({ asked, current, message }) =>
    conflict("budget_cannot_decrease", "A budget can only be raised", message, { current, asked }),
  NotCancellable: ({ message, status }) =>
    conflict("not_cancellable", "Too late to cancel", message, { changeStatus: status })
} satisfies Partial<Rows>
