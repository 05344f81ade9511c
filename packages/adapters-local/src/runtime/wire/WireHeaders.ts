/** Headers between the ports' pairs and the connection of a process, without what belongs to one connection only. */
import { RouterLimits } from "@pawl/router/RouterLimits"
import type { Headers } from "@pawl/core/app/AppRuntime"

const perConnection = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])
/** Names that the runtime speaks with; a visitor's or an app's own are dropped. */
const isPrivate = (name: string): boolean => name.startsWith("x-pawl-")

interface Judged {
  /** In lower case. */
  readonly name: string
  /** Whether it may pass between the ports and a process; null: it is no name of a header. */
  readonly passes: boolean | null
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const breaks = /[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/

const known = new Map<string, Judged>()

/** What is to be said of a name, in whatever case; remembered, since the same few come with every message. */
const judged = (original: string): Judged => {
  const before = known.get(original)
  if (before !== undefined) return before
  const name = original.toLowerCase()
  const own = perConnection.has(name) || isPrivate(name)
  const made = { name, passes: own ? false : token.test(original) ? true : null }
  if (original.length > RouterLimits.routerHeaderNameLength) return made
  if (known.size >= RouterLimits.routerHeaderNames) known.clear()
  known.set(original, made)
  return made
}

const plainTarget = /^[\x21-\x7e]+$/

/**
 * The head of a request as it is sent: HTTP/1.1 with the whole URL in its first line. `body`: none, its length, or in
 * chunks. Null when a part of it could be read as something else.
 */
export const requestHead = (
  method: string,
  url: string,
  headers: Headers,
  body: number | "chunked" | null
): string | null => {
  const target = plainTarget.test(url) ? url : URL.parse(url)?.href
  if (target === undefined || !token.test(method)) return null
  let head = `${method} ${target} HTTP/1.1\r\n`
  for (const [name, value] of headers) {
    const { passes } = judged(name)
    if (passes === false) continue
    if (passes === null || breaks.test(value)) return null
    head += `${name}: ${value}\r\n`
  }
  if (body === "chunked") return `${head}transfer-encoding: chunked\r\n\r\n`
  if (body === null) return method === "GET" || method === "HEAD" ? `${head}\r\n` : `${head}content-length: 0\r\n\r\n`
  return `${head}content-length: ${body}\r\n\r\n`
}

/** The headers of an answer as they may leave. The length stays: it is the connection's parser that has judged it. */
export const withoutPrivate = (headers: Headers): Headers =>
  headers.filter(([name]) => name === "content-length" || judged(name).passes !== false)

/** Node's flat list for sending: `[name, value, name, value, …]`. */
export const toWire = (headers: Headers): Array<string> => {
  const flat: Array<string> = []
  for (const [name, value] of headers) {
    const { name: lower, passes } = judged(name)
    if (lower === "content-length" || passes !== false) flat.push(name, value)
  }
  return flat
}

/** The pairs of a received flat list. */
export const fromWire = (flat: ReadonlyArray<string>): Array<readonly [string, string]> => {
  const pairs: Array<readonly [string, string]> = []
  for (let at = 0; at + 1 < flat.length; at += 2) {
    const name = flat[at] ?? ""
    if (judged(name).passes !== false) pairs.push([name, flat[at + 1] ?? ""])
  }
  return pairs
}

/** The value of a header in pairs; the name in lower case. */
export const headerValue = (headers: Headers, name: string): string | undefined => {
  for (const [one, value] of headers)
    if (one === name || (one.length === name.length && one.toLowerCase() === name)) return value
  return undefined
}

/** A `content-length` as a number; undefined when there is none that is plain digits. */
export const lengthOf = (value: string | undefined): number | undefined =>
  value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined
