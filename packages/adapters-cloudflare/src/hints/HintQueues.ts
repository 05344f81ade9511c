/** The queues of hints, and how their messages are taken, as data that a deployment is made of. */
import { CloudflareLimits } from "../CloudflareLimits.ts"

/** The queues by the names that they are deployed with: of hints, and of those that could not be brought. */
export const queueNames = { hints: "pawl-hints", deadHints: "pawl-dead-hints" } as const

/** One of both. */
export type QueueName = (typeof queueNames)[keyof typeof queueNames]

/** How a script takes messages of a queue. */
export interface Consumer {
  readonly queue: QueueName
  /** How many come together at most. None waits for others to come with. */
  readonly atOnce: number
  /** How often a message that was not taken comes again, and after how many ms each time. */
  readonly retries: number
  readonly againMs: number
  /** Where it goes when it was not taken then; null: it is gone. */
  readonly dead: QueueName | null
}

/** Hints are taken, and dead letters are made of those that nobody could take. */
export const consumers: ReadonlyArray<Consumer> = [
  {
    queue: queueNames.hints,
    atOnce: CloudflareLimits.hintsBroughtAtOnce,
    retries: CloudflareLimits.hintRetries,
    againMs: CloudflareLimits.hintAgainMs,
    dead: queueNames.deadHints
  },
  {
    queue: queueNames.deadHints,
    atOnce: CloudflareLimits.hintsBroughtAtOnce,
    retries: CloudflareLimits.deadHintRetries,
    againMs: CloudflareLimits.deadHintAgainMs,
    dead: null
  }
]
