/** The private files of a data folder that a backup holds only when it is asked for them. */

/** By their names in the data folder. */
export const keyNames = ["signing-key", "log-key", "owner-token"] as const
