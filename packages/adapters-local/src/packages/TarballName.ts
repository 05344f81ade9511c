/** Names inside a package's archive: which of them may become files, and which of them would be one file elsewhere. */
import { Result } from "effect"
import { LocalLimits } from "../LocalLimits.ts"

/** What becomes of an entry by its name: its path below the package's folder, or null when it is left out. */
export type JudgedName = Result.Result<string | null, string>

/** Folders and files of tools that mean something where they lie: no package needs them, so they are left out. */
const leftOut = new Set([".git", ".npmrc"])

/** What an installer had left in the `node_modules` of who packed it: `.bin`, `.package-lock.json`. */
const isInstallersOwn = ([first, second]: ReadonlyArray<string>): boolean =>
  first === "node_modules" && (second === undefined || second.startsWith("."))

const bytesOf = (text: string): number => Buffer.byteLength(text)

/** Control characters, among them NUL and line ends, in both of their rows. */
const hasControl = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true
  }
  return false
}

const wrongIn = (name: string, segments: ReadonlyArray<string>): string | null => {
  if (hasControl(name)) return "has a control character in its name"
  if (name.includes("\\")) return "has a backslash in its name"
  if (name.startsWith("/")) return "has an absolute name"
  if (segments.includes("..")) return "leaves the package's folder by `..`"
  if (segments.some((segment) => bytesOf(segment) > LocalLimits.packageNameBytes))
    return `has a part of its name over ${LocalLimits.packageNameBytes} bytes`
  if (bytesOf(name) > LocalLimits.packagePathBytes) return `has a name over ${LocalLimits.packagePathBytes} bytes`
  return null
}

/**
 * Judges the name of an entry. The first segment, whatever it is called, is the package's folder, as npm takes it; what
 * stands beside that folder is left out. Parts that mean nothing (`a/./b`, `a//b`) are in archives of well-known packages.
 * Fails with what is wrong, as a sentence goes on after the entry's name.
 */
export const judgedName = (name: string): JudgedName => {
  const all = name.split("/")
  const wrong = wrongIn(name, all)
  if (wrong !== null) return Result.fail(wrong)
  const inside = all.slice(1).filter((segment) => segment !== "" && segment !== ".")
  const isLeftOut =
    inside.length === 0 || inside.some((segment) => leftOut.has(segment.toLowerCase())) || isInstallersOwn(inside)
  return Result.succeed(isLeftOut ? null : inside.join("/"))
}

/** One text for all names that some file system takes for one: composed, and without regard to case. */
export const foldedName = (name: string): string =>
  isPlain.test(name) ? name.toLowerCase() : name.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC")

const isPlain = /^[ -~]*$/

/** The path of the nearest folder; null at the package's own. */
export const folderOf = (path: string): string | null => {
  const at = path.lastIndexOf("/")
  return at < 0 ? null : path.slice(0, at)
}
