/** It stands apart from what reads code: the server needs it, and not the parser. */

/**
 * Whether a release can ask for a path as it stands: at most 200 characters, without parameters, wildcards, escapes, or
 * another host.
 */
export const isStatic = (path: string): boolean => path.length <= 200 && /^\/(?!\/)[A-Za-z0-9/_.~-]*$/.test(path)
