/** Headers between the ports' pairs and Node's flat lists, without what belongs to one connection only. */
import type { Headers } from "@pawl/core/app/AppRuntime"

const perConnection = new Set([
  "connection",
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

/** Node's flat list for sending: `[name, value, name, value, …]`. */
export const toWire = (headers: Headers): Array<string> => {
  const flat: Array<string> = []
  for (const [name, value] of headers) {
    const lower = name.toLowerCase()
    if (!perConnection.has(lower) && !isPrivate(lower)) flat.push(name, value)
  }
  return flat
}

/** The pairs of a received flat list. */
export const fromWire = (flat: ReadonlyArray<string>): Array<readonly [string, string]> => {
  const pairs: Array<readonly [string, string]> = []
  for (let at = 0; at + 1 < flat.length; at += 2) {
    const name = flat[at] ?? ""
    const lower = name.toLowerCase()
    if (!perConnection.has(lower) && !isPrivate(lower)) pairs.push([name, flat[at + 1] ?? ""])
  }
  return pairs
}

/** The value of a header in a flat list; the name in lower case. */
export const wireValue = (flat: ReadonlyArray<string>, name: string): string | undefined => {
  for (let at = 0; at + 1 < flat.length; at += 2) if (flat[at]?.toLowerCase() === name) return flat[at + 1]
  return undefined
}

/** The value of a header in pairs; the name in lower case. */
export const headerValue = (headers: Headers, name: string): string | undefined =>
  headers.find(([one]) => one.toLowerCase() === name)?.[1]

/** A `content-length` as a number; undefined when there is none that is plain digits. */
export const lengthOf = (value: string | undefined): number | undefined =>
  value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined
