/** Names of the objects that there is one of. */

/** The directory. */
export const directoryName = "directory"

/** The one object that asks the provider of identities. */
export const identityName = "identity"
