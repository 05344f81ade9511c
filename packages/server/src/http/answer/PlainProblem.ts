/** A problem (RFC 9457) that needs no handler: what stands before the API answers it. */

/** The type of its body. */
export const problemType = "application/problem+json"

/** Its body, as JSON. */
export const plainProblem = (status: number, code: string, detail: string): string =>
  JSON.stringify({ type: `urn:pawl:problem:${code}`, title: code.replaceAll("_", " "), status, code, detail })
