/** The lane of a Project: one line in which Changes land in turn. Its revision guards the set of its entries. */
import { Schema } from "effect"
import { ChangeId, ProjectId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"
import { Actor } from "./Actor.ts"

/** Whether the lane composes and lands. While it is paused what runs ends, and nothing else begins. */
export const LaneState = Schema.Literals(["running", "paused"])
export type LaneState = typeof LaneState.Type

/** What became of a Change in the lane. */
const Decided = Schema.Struct({
  changeId: ChangeId,
  /** Whether it failed standing first; else it landed. */
  failed: Schema.Boolean
})

/** One per Project, from its first entry on. A Project whose lane was never used has none. */
export const Lane = Schema.Struct({
  /** The Project, and the key. */
  projectId: ProjectId,
  state: LaneState,
  /** Who paused it; null while it runs. */
  pausedBy: Schema.NullOr(Actor),
  /** Why it was paused, in words; null while it runs. */
  reason: Schema.NullOr(Schema.String),
  /** The number that the next entry gets. */
  nextTicket: Schema.Finite,
  /** How many Changes were decided here, in all. */
  seen: Schema.Finite,
  /** The last `Limits.laneOutcomes` of them, oldest first, each Change once: how deep the lane predicts is learned from these. */
  decided: Schema.Array(Decided),
  /** The newest generation of a rollback that landed while it was on, and was to pause it. Not there before the first. */
  rolledBackAt: Schema.optionalKey(Schema.Finite),
  /** What was canonical when it was paused for a rollback last, or when it was made. */
  heldAt: Schema.optionalKey(Schema.Finite),
  /** The newest rollback that was asked for: nobody lands before it while it is under way. Not there before the first. */
  rollback: Schema.optionalKey(ChangeId),
  /** When it moved last. */
  updatedAt: Timestamp
})
export interface Lane extends Schema.Schema.Type<typeof Lane> {}
