/** How the lane of a Project is told that something has moved. Whoever moves something of a Change in the lane sends it. */
import { Effect } from "effect"
import { find } from "../ledger/Decision.ts"
import type { Change } from "../model/Change.ts"
import { commandId, type NewCommand } from "../model/Command.ts"
import type { Policy } from "../model/Policy.ts"

/** The command that takes a Project's lane on. There is one at a time; one that is sent while it runs runs once more. */
export const laneStep = (projectId: string): NewCommand => ({
  kind: "lane.step",
  id: commandId("lane.step", projectId),
  payload: { projectId }
})

/** Whether a Change waits in the lane. Nothing is read for it. */
export const isInLane = ({ laneEntryId }: Pick<Change, "laneEntryId">): boolean =>
  laneEntryId !== undefined && laneEntryId !== null

/** The command that tells the lane of a Change that it moved; none for a Change that is in no lane. */
export const laneStepOf = (change: Pick<Change, "laneEntryId" | "projectId">): ReadonlyArray<NewCommand> =>
  isInLane(change) ? [laneStep(change.projectId)] : []

/**
 * The command that tells the lane of a rollback, which stands in no lane: those in the line let it before them while it is
 * under way. None of any other Change, and none with the lane off.
 */
export const laneStepBehind = (
  change: Pick<Change, "kind" | "laneEntryId" | "projectId">,
  policy: Pick<Policy, "lane">
): ReadonlyArray<NewCommand> =>
  change.kind === "rollback" && !isInLane(change) && policy.lane?.mode === "on" ? [laneStep(change.projectId)] : []

/** The same by the active Policy, which is read for a rollback alone. */
export const laneStepAfter = Effect.fnUntraced(function* (change: Change) {
  if (change.kind !== "rollback") return []
  const policy = yield* find("policy", change.projectId)
  return policy === null ? [] : laneStepBehind(change, policy.record)
})
