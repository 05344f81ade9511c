/** What is asked on a condition, and in part (RFC 9110, sections 8.8, 13 and 14): entity tags and ranges of bytes. */
import { sha256AtOnce } from "./Digest.ts"

/** A strong entity tag of what these parts say: equal parts have equal tags. */
export const entityTag = (...parts: ReadonlyArray<string>): string =>
  `"${sha256AtOnce(JSON.stringify(parts)).slice(0, 32)}"`

const tagsOf = (list: string): ReadonlyArray<string> => list.split(",").map((item) => item.trim())

/** If-None-Match: whether a list names this tag or anything (`*`). `W/` in front of one counts as nothing. */
export const namesWeakly = (list: string, tag: string): boolean =>
  tagsOf(list).some((item) => item === "*" || item.replace(/^W\//, "") === tag)

/** If-Match: the same, and a tag with `W/` in front is none. */
export const namesStrongly = (list: string, tag: string): boolean =>
  tagsOf(list).some((item) => item === "*" || item === tag)

/** A part of so many bytes; `end` exclusive. */
export type ByteRange = { readonly start: number; readonly end: number } | "unsatisfiable" | null

/** The one range that a header `Range` asks for. Several ranges, other units and nonsense count as none, which the RFC allows. */
export const byteRange = (header: string | null, size: number): ByteRange => {
  const match = header === null ? null : /^\s*bytes\s*=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i.exec(header)
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
