/** It stands apart from what reads code: the server needs it, and not the parser. */

/** The paths that a release can ask: without parameters, wildcards, escapes, or another host. */
export const isStatic = (path: string): boolean => path.length <= 200 && /^\/(?!\/)[A-Za-z0-9/_.~-]*$/.test(path)
