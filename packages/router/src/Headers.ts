/** What passes between a visitor and an app. The router alone says who the visitor is and which host was asked for. */
import type { Headers } from "@pawl/core/app/AppRuntime"
import { incomingCookies, outgoingCookie } from "./Cookies.ts"
import { headerName } from "./HeaderNames.ts"

const badValue = /[^\t\u0020-\u007e\u0080-\u00ff]/

/** `name` is in lower case. */
const isNamed = (each: string, name: string): boolean =>
  each === name || (each.length === name.length && each.toLowerCase() === name)

const valuesOf = (headers: Headers, name: string): ReadonlyArray<string> => {
  const values: Array<string> = []
  for (const [each, value] of headers) if (isNamed(each, name)) values.push(value)
  return values
}

/** The first value of a header; `name` is in lower case. */
export const valueOf = (headers: Headers, name: string): string | undefined => {
  for (const [each, value] of headers) if (isNamed(each, name)) return value
  return undefined
}

const connectionListed = (headers: Headers): ReadonlySet<string> | null => {
  let listed: Set<string> | null = null
  for (const [name, value] of headers) {
    if (!isNamed(name, "connection")) continue
    listed ??= new Set()
    for (const item of value.split(",")) listed.add(item.trim().toLowerCase())
  }
  return listed
}

/** What Basic credentials say. Whatever a lenient reader would skip is skipped here too: the app may be such a reader. */
const basicText = (value: string): string => {
  const given = /^\s*basic\s+(.*)$/is.exec(value)?.[1] ?? ""
  const plain = given
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/[^a-z0-9+/]/gi, "")
  // One character beyond a group of four says nothing.
  return atob(plain.length % 4 === 1 ? plain.slice(0, -1) : plain)
}

/**
 * Whether an `Authorization` value holds a credential of Pawl, plainly or inside Basic credentials. Every token of the
 * API begins with `pawl_`; `others` are those that look otherwise.
 */
export const carriesPawlToken = (value: string, others: ReadonlyArray<string> = []): boolean =>
  [value, basicText(value)].some((text) => /pawl_/i.test(text) || others.some((other) => text.includes(other)))

/** What the router knows of who asks. */
export interface Visitor {
  /** The `Host` the visitor asked for, as it was sent. */
  readonly host: string
  readonly secure: boolean
  /** The visitor's own address: of the other end of the connection, or as a trusted proxy says. */
  readonly address: string
  /** For `X-Forwarded-For`: the visitor, and behind a trusted proxy the way it came. */
  readonly forwardedFor: string
}

const lastItem = (values: ReadonlyArray<string>): string | undefined => values.at(-1)?.split(",").at(-1)?.trim()

/** Who asks for what. Only with `trustProxy` do the visitor's own `X-Forwarded-*` count; the last value is the nearest proxy's. */
export const visitorOf = (
  request: {
    readonly headers: Headers
    readonly host: string
    readonly remoteAddress: string
    readonly secure: boolean
  },
  trustProxy: boolean
): Visitor => {
  if (!trustProxy)
    return {
      host: request.host,
      secure: request.secure,
      address: request.remoteAddress,
      forwardedFor: request.remoteAddress
    }
  const proto = lastItem(valuesOf(request.headers, "x-forwarded-proto"))?.toLowerCase()
  const way = valuesOf(request.headers, "x-forwarded-for").filter(
    (value) => !badValue.test(value) && value.trim() !== ""
  )
  return {
    host: lastItem(valuesOf(request.headers, "x-forwarded-host")) || request.host,
    secure: proto === "https" || (proto !== "http" && request.secure),
    address: lastItem(way) ?? request.remoteAddress,
    forwardedFor: [...way, request.remoteAddress].join(", ")
  }
}

/**
 * The headers an app gets: lower-case names, `rba_` cookies without the prefix, nothing of Pawl's own. `credentials` are
 * those of Pawl that do not begin with `pawl_`.
 */
export const requestHeaders = (
  headers: Headers,
  visitor: Visitor,
  credentials: ReadonlyArray<string> = []
): Headers => {
  const listed = connectionListed(headers)
  const kept: Array<readonly [string, string]> = [["host", visitor.host]]
  let cookies: Array<string> | null = null
  for (const [original, value] of headers) {
    const { inward, name } = headerName(original)
    if (inward === "drop" || (listed !== null && inward !== "cookie" && listed.has(name))) continue
    if (inward === "cookie") (cookies ??= []).push(value)
    else if (inward === "authorization" && carriesPawlToken(value, credentials)) continue
    else if (!badValue.test(value)) kept.push([name, value])
  }
  const cookie = cookies === null ? null : incomingCookies(cookies)
  if (cookie !== null) kept.push(["cookie", cookie])
  kept.push(["cf-connecting-ip", visitor.address])
  kept.push(["x-forwarded-for", visitor.forwardedFor])
  kept.push(["x-forwarded-host", visitor.host])
  kept.push(["x-forwarded-proto", visitor.secure ? "https" : "http"])
  return kept
}

/** `Clear-Site-Data: "cookies"` clears the whole registrable domain, other apps and the main site too. */
const ownSiteData = (value: string): string =>
  value
    .split(",")
    .map((item) => item.trim())
    .filter((item) =>
      ['"cache"', '"storage"', '"executioncontexts"', '"prefetchcache"', '"prerendercache"'].includes(
        item.toLowerCase()
      )
    )
    .join(", ")

/** The one length that an answer may say; null when it says none, or several that differ, or one that is no number. */
const lengthOf = (headers: Headers): string | null => {
  let length: string | null = null
  for (const [name, value] of headers) {
    if (!isNamed(name, "content-length")) continue
    if (length !== null && length !== value) return null
    length = value
  }
  return length !== null && /^\d{1,15}$/.test(length) ? length : null
}

const outgoing = (kind: "pass" | "cookie" | "site data", value: string): string | null => {
  if (kind === "pass") return value
  return kind === "cookie" ? outgoingCookie(value) : ownSiteData(value) || null
}

/** The headers a visitor gets from an app. Lengths that cannot be true are left out; each cookie is renamed or dropped. */
export const responseHeaders = (headers: Headers): Headers => {
  const listed = connectionListed(headers)
  const length = lengthOf(headers)
  let measured = false
  const kept: Array<readonly [string, string]> = []
  for (const [original, given] of headers) {
    const { name, outward } = headerName(original)
    if (outward === "drop" || (listed !== null && listed.has(name))) continue
    if (outward === "length") {
      if (length !== null && !measured) kept.push([name, length])
      measured = true
      continue
    }
    const value = outgoing(outward, given)
    if (value !== null && !badValue.test(value)) kept.push([name, value])
  }
  return kept
}
