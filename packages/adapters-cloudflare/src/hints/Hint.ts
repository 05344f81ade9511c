/**
 * What goes between the directory and Projects through a queue. A hint says that there is something to do, and never what
 * stands in a row: so it may come twice, late, after a newer one, or not at all.
 */
import { Schema } from "effect"
import { CloudflareLimits } from "../CloudflareLimits.ts"

/** Commands by the clock of the directory that each Project does for itself: its rows are its own. They need no payload. */
export const sweepCommands = ["forks.sweep", "retention.sweep"] as const

/** One hint. */
export const Hint = Schema.Union([
  /** The Project has something that the directory lacks. */
  Schema.TaggedStruct("Moved", { projectId: Schema.String }),
  /** The clock of the directory wants this of the Project: some of `sweepCommands`, or what another version knows. */
  Schema.TaggedStruct("Upkeep", { projectId: Schema.String, what: Schema.Array(Schema.String) })
])
export type Hint = typeof Hint.Type

/** A queue of Cloudflare, as a script that sends is bound to it. */
export interface HintQueue {
  readonly send: (hint: Hint) => Promise<unknown>
  readonly sendBatch: (messages: ReadonlyArray<{ readonly body: Hint }>) => Promise<unknown>
}

/** Sends them in as many messages as it takes. Rejects at the first that the queue does not take. */
export const sendAll = async (queue: HintQueue, hints: ReadonlyArray<Hint>): Promise<void> => {
  const atOnce = CloudflareLimits.hintsSentAtOnce
  for (let at = 0; at < hints.length; at += atOnce)
    await queue.sendBatch(hints.slice(at, at + atOnce).map((body) => ({ body })))
}
