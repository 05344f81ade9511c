/** What a header's name decides, remembered: the same few dozen names come with every message. */
import { RouterLimits } from "./RouterLimits.ts"

/** Headers of one connection, never of the message (RFC 9110, 7.6.1, and the older names that still travel). */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-authentication-info",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "http2-settings"
])
/** Set by the router, or by nobody: among them every name by which servers are told who a visitor is. */
const routerOwned = new Set([
  "host",
  "cookie",
  "forwarded",
  "x-real-ip",
  "x-client-ip",
  "x-cluster-client-ip",
  "true-client-ip",
  "fastly-client-ip",
  "expect"
])
const internalPrefixes = ["cf-access-", "x-pawl-", "x-forwarded-"]
/** Orders to a proxy in front of the router: an app gives none. */
const proxyOrders = new Set([
  "x-accel-redirect",
  "x-sendfile",
  "x-lighttpd-send-file",
  "x-litespeed-location",
  "alt-svc",
  "set-cookie2"
])

const token = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/
const internal = (name: string): boolean => internalPrefixes.some((prefix) => name.startsWith(prefix))

/** What becomes of headers of this name. */
export interface HeaderName {
  /** In lower case. */
  readonly name: string
  /** What of a request's header reaches an app. */
  readonly inward: "pass" | "cookie" | "authorization" | "drop"
  /** What of an app's header reaches a visitor. */
  readonly outward: "pass" | "length" | "cookie" | "site data" | "drop"
}

const inward = (name: string, plain: string): HeaderName["inward"] => {
  if (name === "cookie") return "cookie"
  // Beside those of the router Cloudflare's own, which a Worker believes.
  const dropped = hopByHop.has(plain) || routerOwned.has(plain) || internal(plain) || plain.startsWith("cf-")
  if (dropped || !token.test(name)) return "drop"
  return plain === "authorization" ? "authorization" : "pass"
}

const outward = (name: string, plain: string): HeaderName["outward"] => {
  if (hopByHop.has(plain) || proxyOrders.has(plain) || internal(plain) || !token.test(name)) return "drop"
  if (name === "content-length") return "length"
  if (name === "set-cookie") return "cookie"
  return name === "clear-site-data" ? "site data" : "pass"
}

const judged = (original: string): HeaderName => {
  const name = original.toLowerCase()
  // Some servers read `_` as `-`, so both are one here.
  const plain = name.includes("_") ? name.replaceAll("_", "-") : name
  return { name, inward: inward(name, plain), outward: outward(name, plain) }
}

const known = new Map<string, HeaderName>()

/** What is to be said of a name, in whatever case it is written. */
export const headerName = (original: string): HeaderName => {
  const before = known.get(original)
  if (before !== undefined) return before
  const made = judged(original)
  if (original.length > RouterLimits.routerHeaderNameLength) return made
  // Anybody may send any name: what nobody sends again is not kept for long.
  if (known.size >= RouterLimits.routerHeaderNames) known.clear()
  known.set(original, made)
  return made
}
