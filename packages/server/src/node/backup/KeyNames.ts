/** The files of a data folder that a backup holds only when it is asked for them: keys, and which one was the first. */

/** By their names in the data folder. */
export const keyNames = ["signing-key", "log-key", "owner-token", "trusted-keys"] as const
