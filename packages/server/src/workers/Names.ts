/** Names of the objects that there is one of. */

/** The directory. */
export const directoryName = "directory"
