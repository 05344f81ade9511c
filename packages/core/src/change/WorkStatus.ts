/**
 * The status by which the work of a Change goes on. While a promotion is decided that is the one that a refusal leads
 * back to: Tasks end and Candidates are verified meanwhile, and the Change takes their steps there.
 */
import type * as Commit from "../ledger/Commit.ts"
import * as Draft from "../ledger/Draft.ts"
import type { Change, ChangeStatus } from "../model/Change.ts"

/** The status that a Change's work is in: while it is promoted, the one before. */
export const workStatus = (change: Change): ChangeStatus =>
  change.status === "promoting" ? (change.statusBeforePromoting ?? change.status) : change.status

type Trigger = Draft.TriggerOf<"change">

/** Whether the work of the Change can take this step. */
export const mayWork = (draft: Draft.Draft, change: Commit.Stored<Change>, trigger: Trigger): boolean =>
  Draft.leads("change", workStatus(Draft.newest(draft, "change", change).record), trigger)

/** Takes the Change a step on, or its status from before promoting while a promotion is decided. The events are told now. */
export const stepWork = <T extends Trigger>(
  draft: Draft.Draft,
  change: Commit.Stored<Change>,
  trigger: T,
  fields: Draft.Fields<"change">,
  ...data: Draft.Telling<"change", T>
): void => {
  const { record } = Draft.newest(draft, "change", change)
  if (record.status !== "promoting") return void Draft.step(draft, "change", change, trigger, fields, ...data)
  const statusBeforePromoting = Draft.target("change", workStatus(record), trigger)
  Draft.tell(draft, record.id, data[0])
  Draft.update(draft, "change", change, { ...fields, statusBeforePromoting, updatedAt: draft.now })
}
