/** The headers that every answer has. */

const always = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin"
}

/** Answers of the API are data: nothing in them may load or run anything. */
const dataPolicy = "default-src 'none'; frame-ancestors 'none'"
/** The documentation brings its scripts and styles along, and reads only from this server. */
const pagePolicy =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * Nothing is framed or sniffed, and nothing in it loads or runs; the page at `/docs` may run its own script. Nothing is
 * stored but what has an entity tag: that is shown again once the server says that the caller may still see it.
 */
export const answerHeaders = (requestId: string, path: string, hasTag: boolean): Readonly<Record<string, string>> => ({
  ...always,
  "cache-control": hasTag ? "private, no-cache" : "no-store",
  "content-security-policy": path === "/docs" ? pagePolicy : dataPolicy,
  "x-request-id": requestId
})
