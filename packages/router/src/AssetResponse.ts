/** The response that a static file makes: validators, ranges, methods. The bytes are at hand and verified. */
import type { AppRequest, AppResponse, Headers } from "@pawl/core/app/AppRuntime"
import type { AssetEntry } from "@pawl/core/app/Bundle"
import { BytesBody } from "./Body.ts"
import { valueOf, valuesOf } from "./Headers.ts"

const etagOf = (entry: AssetEntry): string => `"${entry.sha256}"`

const common = (entry: AssetEntry): Headers => [
  ["etag", etagOf(entry)],
  ["cache-control", "public, max-age=0, must-revalidate"]
]

/** Weak comparison: of a file's tag, `W/` in front of it, or `*`. */
const noneMatches = (request: AppRequest, entry: AssetEntry): boolean =>
  valuesOf(request.headers, "if-none-match").some((value) =>
    value.split(",").some((item) => item.trim() === "*" || item.trim().replace(/^W\//, "") === etagOf(entry))
  )

/** 304 when the visitor already has this file. Needs no bytes. */
export const notModified = (request: AppRequest, entry: AssetEntry, status: 200 | 404): AppResponse | null =>
  status === 200 && noneMatches(request, entry) ? { status: 304, headers: common(entry), body: null } : null

type Range = { readonly start: number; readonly end: number } | "unsatisfiable" | null

/** One byte range; `end` exclusive. Several ranges, other units and nonsense count as none, which RFC 9110 allows. */
export const rangeOf = (header: string | undefined, size: number): Range => {
  const match = header === undefined ? null : /^\s*bytes\s*=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i.exec(header)
  if (match === null || (match[1] === "" && match[2] === "")) return null
  if (match[1] === "") {
    const suffix = Number(match[2])
    return suffix === 0 || size === 0 ? "unsatisfiable" : { start: Math.max(0, size - suffix), end: size }
  }
  const start = Number(match[1])
  const last = match[2] === "" ? size - 1 : Number(match[2])
  if (match[2] !== "" && last < start) return null
  return start >= size ? "unsatisfiable" : { start, end: Math.min(last + 1, size) }
}

const wantedRange = (request: AppRequest, entry: AssetEntry, size: number): Range => {
  if (request.method !== "GET") return null
  const condition = valueOf(request.headers, "if-range")
  return condition === undefined || condition.trim() === etagOf(entry)
    ? rangeOf(valueOf(request.headers, "range"), size)
    : null
}

export const fileResponse = (
  request: AppRequest,
  entry: AssetEntry,
  status: 200 | 404,
  bytes: Uint8Array
): AppResponse => {
  const range = status === 200 ? wantedRange(request, entry, bytes.length) : null
  if (range === "unsatisfiable") {
    return {
      status: 416,
      headers: [...common(entry), ["content-range", `bytes */${bytes.length}`], ["content-length", "0"]],
      body: null
    }
  }
  const part = range === null ? bytes : bytes.subarray(range.start, range.end)
  const headers: Headers = [
    ...common(entry),
    ["content-type", entry.contentType],
    ["content-length", String(part.length)],
    ["accept-ranges", "bytes"],
    ...(range === null ? [] : [["content-range", `bytes ${range.start}-${range.end - 1}/${bytes.length}`] as const])
  ]
  return {
    status: range === null ? status : 206,
    headers,
    body: request.method === "HEAD" ? null : new BytesBody(part)
  }
}

export const moved = (to: string): AppResponse => ({
  status: 307,
  headers: [
    ["location", to],
    ["content-length", "0"]
  ],
  body: null
})

export const methodNotAllowed: AppResponse = {
  status: 405,
  headers: [
    ["allow", "GET, HEAD"],
    ["content-length", "0"]
  ],
  body: null
}

export const nothing: AppResponse = { status: 404, headers: [["content-length", "0"]], body: null }
