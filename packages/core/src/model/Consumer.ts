/** A consumer group of a Project's events, and how far it has come. Its place moves with the effect of each event. */
import { Schema } from "effect"
import { ProjectId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"

/** A consumer group's place in one Project. It is stored in the commit that holds the effect of the event. */
export const Consumer = Schema.Struct({
  projectId: ProjectId,
  /** What consumes, a colon, and which one: `webhook:whk_…`. */
  group: Schema.String,
  /** The last event whose effect stands; 0 before the first. */
  sequence: Schema.Finite,
  /** The event after it, when its effect failed: how often, when it is tried again, and why. */
  failing: Schema.NullOr(Schema.Struct({ tries: Schema.Finite, dueAt: Timestamp, problem: Schema.String })),
  updatedAt: Timestamp
})
export interface Consumer extends Schema.Schema.Type<typeof Consumer> {}

/** A consumer's key: the Project and the group. */
export const consumerKey = (projectId: string, group: string): string => `${projectId}/${group}`
