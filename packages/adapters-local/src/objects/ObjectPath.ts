/**
 * Where an object lies under the store's folder. Each segment of a key is a folder, the last one a file:
 *
 *   a/b       →  a/b=
 *   a         →  a=                so that `a` and `a/b` are both there
 *   A é       →  %41%20%c3%a9      one form on file systems without cases, or that compose letters
 *   a…(300)   →  a…(200)+/+a…(100)=   a name is at most 255 bytes
 *
 * What is not `a-z 0-9 . _ -` is written as `%` and the hex of its UTF-8 bytes, so `=` and `+` stand for
 * nothing but themselves; so is a leading dot, and no name is ever `.` or `..`.
 */
import { Buffer } from "node:buffer"

/** Ends the name of a file that holds an object. */
export const leafMark = "="
/** Ends the name of a folder whose segment goes on in the next name, which it starts. */
export const partMark = "+"
const partLength = 200

const hex = (byte: number): string => `%${byte.toString(16).padStart(2, "0")}`

const encodeSegment = (segment: string): string =>
  segment.replace(/^\.|[^a-z0-9._-]+/g, (run) => Array.from(Buffer.from(run, "utf8"), hex).join(""))

/** A segment's names on disk, outermost first, without the last one's mark. */
const namesOf = (segment: string): ReadonlyArray<string> => {
  const parts = encodeSegment(segment).match(new RegExp(`.{1,${partLength}}`, "g")) ?? []
  return parts.map((part, index) => (index > 0 ? partMark : "") + part + (index < parts.length - 1 ? partMark : ""))
}

/** The names that lead to an object's file. */
export const objectNames = (key: string): ReadonlyArray<string> => {
  const names = key.split("/").flatMap(namesOf)
  return [...names.slice(0, -1), `${names.at(-1) ?? ""}${leafMark}`]
}

/** The names that lead to the folder of all keys that start with these whole segments. */
export const folderNames = (segments: ReadonlyArray<string>): ReadonlyArray<string> => segments.flatMap(namesOf)

const decoded = (name: string): string | undefined => {
  try {
    return decodeURIComponent(name)
  } catch {
    return undefined
  }
}

/** The segment of an encoded name, or `undefined` for a name that this store did not write. */
export const decodeName = (name: string): string | undefined => {
  const text = decoded(name)
  return text !== undefined && text !== "" && encodeSegment(text) === name ? text : undefined
}
