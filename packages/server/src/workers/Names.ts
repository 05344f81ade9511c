/** Names of the objects and the queues that there is one of. */

/** The directory. */
export const directoryName = "directory"

/** Queues, by the names that they are deployed with: of hints, and of those that could not be brought. */
export const queueNames = { hints: "pawl-hints", deadHints: "pawl-dead-hints" } as const
