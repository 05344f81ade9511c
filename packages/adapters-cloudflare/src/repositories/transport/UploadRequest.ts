/** What a client asks for when it clones or fetches (gitprotocol-v2, gitprotocol-pack). Pure. */
import { textOf } from "@pawl/core/primitives/Utf8"

const headBytes = 4
/** A line, or the length that marks an end: of a list (0), or of a part of it (1). */
type Line = string | 0 | 1
const delimiter = 1

/** The lines of a request with the marks between them; null when it is cut off or no lines at all. */
const linesIn = (bytes: Uint8Array): ReadonlyArray<Line> | null => {
  const lines: Array<Line> = []
  for (let at = 0; at < bytes.length;) {
    const head = textOf(bytes.subarray(at, at + headBytes))
    const length = /^[0-9a-f]{4}$/i.test(head) ? Number.parseInt(head, 16) : Number.NaN
    if (length === 0 || length === 1) {
      lines.push(length)
      at += headBytes
      continue
    }
    if (!(length >= headBytes) || at + length > bytes.length) return null
    lines.push(textOf(bytes.subarray(at + headBytes, at + length)).replace(/\n$/, ""))
    at += length
  }
  return lines
}

/** Which commits and files a client wants, and what it has. */
export interface FetchAsked {
  readonly wants: ReadonlyArray<string>
  readonly haves: ReadonlyArray<string>
  /** It says no more of what it has. */
  readonly isDone: boolean
  /** Commits whose parents it has not. */
  readonly shallow: ReadonlySet<string>
  /** How many commits deep it wants to have them; null: all. */
  readonly depth: number | null
  /** Files of so many bytes and more are left out; null: none is. */
  readonly filesBelowBytes: number | null
  readonly capabilities: ReadonlySet<string>
}

/** A request, or in words what is wrong with it. */
export type Asked =
  | { readonly _tag: "Refs"; readonly prefixes: ReadonlyArray<string>; readonly symbolic: boolean }
  | { readonly _tag: "Fetch"; readonly fetch: FetchAsked }
  | { readonly _tag: "Wrong"; readonly words: string }

const wrong = (words: string): Asked => ({ _tag: "Wrong", words })

const units: Readonly<Record<string, number>> = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

/** How large a file may be by a filter; null for a filter that is not known here. */
const filterBytes = (filter: string): number | null => {
  if (filter === "blob:none") return 0
  const [, digits, unit] = /^blob:limit=(\d{1,15})([kmg]?)$/i.exec(filter) ?? []
  return digits === undefined ? null : Number(digits) * (units[(unit ?? "").toLowerCase()] ?? 1)
}

/** A request while it is read. */
class Reading {
  readonly wants: Array<string> = []
  readonly haves: Array<string> = []
  readonly shallow = new Set<string>()
  isDone = false
  depth: number | null = null
  filesBelowBytes: number | null = null
  capabilities: ReadonlySet<string> = new Set()

  /** Takes one line. Answers what is wrong with it, or null. */
  take(line: string): string | null {
    const [, word = "", id = ""] = /^(want|have|shallow) ([0-9a-f]{40})$/.exec(line) ?? []
    if (word === "want") this.wants.push(id)
    else if (word === "have") this.haves.push(id)
    else if (word === "shallow") this.shallow.add(id)
    else if (line === "done") this.isDone = true
    else if (/^deepen [1-9]\d{0,9}$/.test(line)) this.depth = Number(line.slice("deepen ".length))
    else if (line.startsWith("filter ")) {
      this.filesBelowBytes = filterBytes(line.slice("filter ".length))
      if (this.filesBelowBytes === null) return "Only the filters blob:none and blob:limit=<bytes> are known here."
    } else if (line.startsWith("deepen")) return "A shallow clone is made by --depth alone here."
    return null
  }
}

const fetchAsked = (reading: Reading): Asked =>
  reading.wants.length === 0 ? wrong("Nothing is wanted.") : { _tag: "Fetch", fetch: reading }

const versionTwo = (lines: ReadonlyArray<Line>): Asked => {
  const between = lines.indexOf(delimiter)
  const texts = lines.slice(between < 0 ? lines.length : between).filter((each) => typeof each === "string")
  const [command] = lines
  if (command === "command=ls-refs") {
    const prefixes = texts.flatMap((each) => (each.startsWith("ref-prefix ") ? [each.slice("ref-prefix ".length)] : []))
    return { _tag: "Refs", prefixes, symbolic: texts.includes("symrefs") }
  }
  if (command !== "command=fetch") return wrong("This command is not known here.")
  const reading = new Reading()
  for (const text of texts) {
    const problem = reading.take(text)
    if (problem !== null) return wrong(problem)
  }
  return fetchAsked(reading)
}

/** The first want brings what the client can do. */
const versionZero = (lines: ReadonlyArray<Line>): Asked => {
  const reading = new Reading()
  for (const line of lines) {
    if (typeof line !== "string") continue
    const [, want, words] = /^(want [0-9a-f]{40})(?:[ \0](.*))?$/.exec(line) ?? []
    if (want !== undefined && words !== undefined) reading.capabilities = new Set(words.split(" "))
    const problem = reading.take(want ?? line)
    if (problem !== null) return wrong(problem)
  }
  return fetchAsked(reading)
}

/** Reads a request of a version of git's protocol. */
export const askedBy = (bytes: Uint8Array, version: 0 | 1 | 2): Asked => {
  const lines = linesIn(bytes)
  if (lines === null) return wrong("This is not what git sends when it fetches.")
  return version === 2 ? versionTwo(lines) : versionZero(lines)
}
