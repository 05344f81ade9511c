/** A problem (RFC 9457) that needs no handler: what stands before the API answers it. */

/** The type of its body. */
export const problemType = "application/problem+json"

/** Its body, as JSON; with the id of the request where it has one. */
export const plainProblem = (status: number, code: string, detail: string, requestId?: string): string =>
  JSON.stringify({
    type: `urn:pawl:problem:${code}`,
    title: code.replaceAll("_", " "),
    status,
    code,
    detail,
    requestId
  })
