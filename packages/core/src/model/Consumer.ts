/** A consumer group of a Project's events, and how far it has come. Its place moves with the effect of each event. */
import { Schema } from "effect"
import { ProjectId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"

/** A consumer group's place in one Project. It is stored in the commit that holds the effect of the event. */
export const Consumer = Schema.Struct({
  /** The Project whose events it is given. */
  projectId: ProjectId,
  /** What consumes, a colon, and which one: `webhook:whk_…`. */
  group: Schema.String,
  /** The last event whose effect stands; 0 before the first. */
  sequence: Schema.Finite,
  /** The event after it, when its effect failed; null when none did. */
  failing: Schema.NullOr(
    Schema.Struct({
      /** How often it failed so far, at most `Limits.consumerAttempts`. */
      tries: Schema.Finite,
      /** From when on it is tried again. */
      dueAt: Timestamp,
      /** Why it failed last, in words. */
      problem: Schema.String
    })
  ),
  /** When its place moved last, or an event failed. */
  updatedAt: Timestamp
})
export interface Consumer extends Schema.Schema.Type<typeof Consumer> {}

/** A consumer's key: the Project and the group. */
export const consumerKey = (projectId: string, group: string): string => `${projectId}/${group}`
