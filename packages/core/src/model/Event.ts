/** Facts about a Project, in one dense sequence, with the names of CloudEvents 1.0 (decisions, "Events"). */
import { Schema } from "effect"
import { EventId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"
import { Actor } from "./Actor.ts"

/** Each type of event that Pawl tells (specification and decisions, "Events"). */
export const eventTypes = [
  "change.compiled",
  "task.created",
  "task.ready",
  "task.assigned",
  "agent.woken",
  "model.route.decided",
  "task.started",
  "model.called",
  "changeset.proposed",
  "intent.declared",
  "task.completed",
  "task.failed",
  "task.repair_planned",
  "claim.expired",
  "verification.started",
  "candidate.composed",
  "candidate.verified",
  "candidate.rejected",
  "candidate.stale",
  "candidate.blocked",
  "approval.requested",
  "approval.granted",
  "approval.rejected",
  "canonical.promotion.requested",
  "canonical.advanced",
  "build.started",
  "build.completed",
  "deployment.completed",
  "deployment.failed",
  "release.smoke_failed",
  "lane.entered",
  "lane.doubted",
  "lane.reordered",
  "lane.paused",
  "lane.resumed",
  "lane.left",
  "change.completed",
  "change.failed",
  "change.cancelled",
  "review.completed",
  "audit.passed",
  "audit.failed",
  "checkpoint.published",
  "key.rotated",
  "project.archived",
  "app.removed"
] as const
/** One of `eventTypes`. */
export const EventType = Schema.Literals(eventTypes)
export type EventType = typeof EventType.Type

/** An event as it is stored and as clients get it. `data` is what `EventData` says of its type. */
export const Event = Schema.Struct({
  /** Of CloudEvents. */
  specversion: Schema.Literal("1.0"),
  /** `evt_<ULID>`, given by the store. */
  id: EventId,
  /** `/projects/<id>` */
  source: Schema.String,
  /** What happened. */
  type: EventType,
  /** The id of what it is about. */
  subject: Schema.String,
  /** When it was committed. */
  time: Timestamp,
  /** Starts at 1 and is dense per Project. */
  sequence: Schema.Finite,
  /** What it tells: JSON. */
  data: Schema.Record(Schema.String, Schema.Unknown),
  /** Who did it. */
  actor: Actor
})
export interface Event extends Schema.Schema.Type<typeof Event> {}

/** An event before the store gave it its id, time and place in the sequence. */
export interface NewEvent {
  /** What happened. */
  readonly type: EventType
  /** The id of what it is about. */
  readonly subject: string
  /** What it tells, as `EventData` says of its type. */
  readonly data: Readonly<Record<string, unknown>>
  /** Who did it. */
  readonly actor: Actor
}
