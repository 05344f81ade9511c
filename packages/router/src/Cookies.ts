/**
 * Cookies of apps share one registrable domain. Each app's cookies live under the prefix `rba_` and on its own host alone;
 * no other cookie reaches an app, and no app reaches another's (specification, "Authentication" rule 7).
 */
export const cookiePrefix = "rba_"

// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const control = /[\u0000-\u0008\u000a-\u001f\u007f]/

/**
 * A browser keeps `__Host-` and `__Secure-` cookies only under conditions. Behind the prefix it no longer sees those
 * names, so the router asks for the same conditions. Browsers compare these names without regard to case.
 */
const keepsItsPromise = (name: string, attributes: ReadonlyArray<readonly [name: string, value: string]>): boolean => {
  const lower = name.toLowerCase()
  const secure = attributes.some(([attribute]) => attribute === "secure")
  if (lower.startsWith("__secure-")) return secure
  if (!lower.startsWith("__host-")) return true
  return secure && attributes.findLast(([attribute]) => attribute === "path")?.[1] === "/"
}

/** An app's `Set-Cookie` as the browser gets it, or `null` when it must not. No `Domain` attribute: the app's own host. */
export const outgoingCookie = (setCookie: string): string | null => {
  if (control.test(setCookie)) return null
  const [pair = "", ...rest] = setCookie.split(";")
  const equals = pair.indexOf("=")
  const name = equals < 0 ? "" : pair.slice(0, equals).trim()
  // A cookie without a name comes back as a bare value, which could pass for another cookie.
  if (name === "") return null
  const attributes = rest.map((attribute) => {
    const at = attribute.indexOf("=")
    return at < 0
      ? ([attribute.trim().toLowerCase(), ""] as const)
      : ([attribute.slice(0, at).trim().toLowerCase(), attribute.slice(at + 1).trim()] as const)
  })
  if (attributes.some(([attribute]) => attribute === "domain") || !keepsItsPromise(name, attributes)) return null
  return [`${cookiePrefix}${name}=${pair.slice(equals + 1).trim()}`, ...rest].join(";")
}

/** The `Cookie` header that an app gets out of what the browser sent, or `null` when nothing is left. */
export const incomingCookies = (headers: ReadonlyArray<string>): string | null => {
  const kept: Array<string> = []
  for (const header of headers) {
    for (const part of header.split(";")) {
      const cookie = part.trim()
      const equals = cookie.indexOf("=")
      const name = equals < 0 ? "" : cookie.slice(0, equals).trim()
      if (!name.startsWith(cookiePrefix) || name.length === cookiePrefix.length) continue
      kept.push(`${name.slice(cookiePrefix.length)}=${cookie.slice(equals + 1).trim()}`)
    }
  }
  return kept.length === 0 ? null : kept.join("; ")
}
