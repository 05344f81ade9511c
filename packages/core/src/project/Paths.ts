/**
 * Which paths a tree of Pawl may hold. A tree must come out the same on every file system that may check it
 * out, and must never reach outside itself or into git's own folder. git's plumbing checks none of this.
 */
import { Limits } from "../primitives/Limits.ts"
import { isWellFormed, utf8Length } from "../primitives/CodePoints.ts"

/** A path, and why it cannot stand where it does. */
export interface PathProblem {
  readonly path: string
  readonly reason: string
}

// Code points that HFS+ and others drop when they compare names: `.g<U+200C>it` opens `.git` there.
const ignorable = /\p{Default_Ignorable_Code_Point}/gu
const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

/** What a file system may take the name for: composed, without ignorable code points, in one case. */
const fold = (name: string): string =>
  isPlain(name)
    ? name.toLowerCase()
    : name.replace(ignorable, "").normalize("NFC").toUpperCase().toLowerCase().normalize("NFC")

// NTFS drops trailing spaces and dots, opens streams after a colon, and gives `.git` the short name `git~1`.
const isGitFolder = (segment: string): boolean =>
  /^(\.git|git~[0-9]+)[ .]*(:.*)?$/.test(isPlain(segment) ? segment.toLowerCase() : fold(segment.normalize("NFKC")))

const segmentProblem = (segment: string): string | undefined => {
  if (segment === "") return "it has an empty segment"
  if (segment === "." || segment === "..") return `it has the segment ${segment}`
  if (utf8Length(segment) > Limits.pathSegmentBytes) return `a segment is longer than ${Limits.pathSegmentBytes} bytes`
  return isGitFolder(segment) ? "it names git's own folder" : undefined
}

/** What is wrong with a path of a file by itself, or `undefined`. Paths are relative, with `/` between segments. */
export const pathProblem = (path: string): string | undefined => {
  if (path === "") return "it is empty"
  if (path.length > Limits.pathLength) return `it is longer than ${Limits.pathLength} characters`
  if (!isWellFormed(path)) return "it is not well-formed Unicode"
  if (path.startsWith("/") || /^[a-z]:/i.test(path)) return "it is absolute"
  if (path.includes("\\")) return "it has a backslash"
  if (/\p{Cc}|[\u2028\u2029]/u.test(path)) return "it has a control character"
  if (/\p{Bidi_Control}/u.test(path)) return "it has a code point that reverses text"
  for (const segment of path.split("/")) {
    const problem = segmentProblem(segment)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Whether a path is this one, or lies below it. */
export const isWithin = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`)

/** The first of some paths as a sentence names them, with a count of the others. */
export const namePaths = (paths: ReadonlyArray<string>): string => {
  const others = paths.length - Limits.pathsNamed
  return `${paths.slice(0, Limits.pathsNamed).join(", ")}${others > 0 ? ` and ${others} more` : ""}`
}

/**
 * Paths that cannot stand in one tree together: a file where another path needs a directory, and names that a
 * file system without cases, or with one Unicode form, takes for one. Each path on its own is `pathProblem`'s matter.
 */
export const treeProblems = (paths: Iterable<string>): ReadonlyArray<PathProblem> => {
  const problems: Array<PathProblem> = []
  // Folded name → the name as it was first written, and whether that was a file.
  const seen = new Map<string, { readonly name: string; readonly file: boolean }>()
  const folded = new Map<string, string>()
  const foldedPath = (path: string): string => {
    const known = folded.get(path)
    if (known !== undefined) return known
    const slash = path.lastIndexOf("/")
    const result = slash < 0 ? fold(path) : `${foldedPath(path.slice(0, slash))}/${fold(path.slice(slash + 1))}`
    folded.set(path, result)
    return result
  }
  const meet = (name: string, file: boolean, path: string): boolean => {
    const key = foldedPath(name)
    const other = seen.get(key)
    if (other === undefined) {
      seen.set(key, { name, file })
      return false
    }
    if (other.name !== name) problems.push({ path, reason: `it differs from ${other.name} only in case or form` })
    else if (other.file && file) problems.push({ path, reason: "it is there twice" })
    else if (other.file !== file) problems.push({ path, reason: `${name} is a file and a directory` })
    else return false
    return true
  }
  for (const path of paths) {
    let clash = false
    for (let slash = path.indexOf("/"); slash >= 0 && !clash; slash = path.indexOf("/", slash + 1))
      clash = meet(path.slice(0, slash), false, path)
    if (!clash) meet(path, true, path)
  }
  return problems
}
