/** The response that a static file makes: validators, ranges, methods. The bytes are at hand and verified. */
import type { AppRequest, AppResponse, Headers } from "@pawl/core/app/AppRuntime"
import { type ByteRange, byteRange, namesWeakly } from "@pawl/core/primitives/Conditional"
import { BytesBody } from "./Body.ts"
import { type Change, changed } from "./AssetRules.ts"
import type { SiteFile } from "./SiteFile.ts"

/** What a visitor says about the copy or the part that it wants; null for a plain request, the most frequent. */
export interface Conditions {
  /** All values, as one list. */
  readonly noneMatch: string | null
  readonly range: string | null
  readonly ifRange: string | null
}

/** Reads the headers once. */
export const conditionsOf = ({ headers }: AppRequest): Conditions | null => {
  let noneMatch: string | null = null
  let range: string | null = null
  let ifRange: string | null = null
  for (const [original, value] of headers) {
    if (original.length !== 13 && original.length !== 5 && original.length !== 8) continue
    const name = original.toLowerCase()
    if (name === "if-none-match") noneMatch = noneMatch === null ? value : `${noneMatch}, ${value}`
    else if (name === "range") range ??= value
    else if (name === "if-range") ifRange ??= value
  }
  return noneMatch === null && range === null && ifRange === null ? null : { noneMatch, range, ifRange }
}

/** 304 when the visitor already has this file. Needs no bytes. */
export const notModified = (
  conditions: Conditions | null,
  file: SiteFile,
  status: 200 | 404,
  change: Change | null
): AppResponse | null =>
  status === 200 && conditions !== null && conditions.noneMatch !== null && namesWeakly(conditions.noneMatch, file.etag)
    ? { status: 304, headers: changed(file.validators, change), body: null }
    : null

/** If-Range is compared strongly: a weak tag, a date and another tag all ask for the whole file. */
const wantedRange = (method: string, conditions: Conditions | null, file: SiteFile, size: number): ByteRange => {
  if (method !== "GET" || conditions === null) return null
  const { ifRange, range } = conditions
  return ifRange === null || ifRange.trim() === file.etag ? byteRange(range, size) : null
}

/** What is asked of a file. `change` is what the app's header rules do; null for nothing. */
export interface FileRequest {
  readonly method: string
  readonly conditions: Conditions | null
  readonly status: 200 | 404
  readonly change: Change | null
}

const sized = (headers: Headers, length: number, range: string): Headers => [
  ...headers.filter(([name]) => name !== "content-length"),
  ["content-length", String(length)],
  ["content-range", range]
]

/** The whole file, a range of it (206), or 416 for a range that it does not have. HEAD gets no body. */
export const fileResponse = (file: SiteFile, body: BytesBody, request: FileRequest): AppResponse => {
  const { change, conditions, method, status } = request
  const { bytes } = body
  const range = status === 200 ? wantedRange(method, conditions, file, bytes.length) : null
  if (range === null) return { status, headers: changed(file.whole, change), body: method === "HEAD" ? null : body }
  if (range === "unsatisfiable")
    return { status: 416, headers: sized(file.validators, 0, `bytes */${bytes.length}`), body: null }
  const { end, start } = range
  const headers = sized(changed(file.whole, change), end - start, `bytes ${start}-${end - 1}/${bytes.length}`)
  return { status: 206, headers, body: new BytesBody(bytes.subarray(start, end)) }
}

/** A redirect without a body. `to` is a URL or a path, escaped already. */
export const moved = (to: string, status: 301 | 302 | 303 | 307 | 308): AppResponse => ({
  status,
  headers: [
    ["location", to],
    ["content-length", "0"]
  ],
  body: null
})

/** What a method other than GET and HEAD gets for a file. */
export const methodNotAllowed: AppResponse = {
  status: 405,
  headers: [
    ["allow", "GET, HEAD"],
    ["content-length", "0"]
  ],
  body: null
}

/** A 404 without a body. */
export const nothing: AppResponse = { status: 404, headers: [["content-length", "0"]], body: null }
