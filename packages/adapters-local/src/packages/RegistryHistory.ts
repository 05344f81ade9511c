/**
 * Reads of a registry's document of a package, which may have many megabytes, when versions came, which are deprecated and
 * which ask for scripts: a piece at a time, as it comes, so that neither the whole document is held nor anybody made to wait for it.
 */
import { LocalLimits } from "../LocalLimits.ts"
import { installScripts } from "./InstallScripts.ts"

/** What is known of one version. */
export interface VersionHistory {
  readonly publishedAtMs: number | null
  /** Why nobody should use it, in the publisher's words. */
  readonly deprecated: string | null
  /** Whether it asks for scripts when it is installed; null where the document does not have the version. */
  readonly installScript: boolean | null
}

const unknown: VersionHistory = { publishedAtMs: null, deprecated: null, installScript: null }
/** Fields of a version that are true where it has a script of an install. */
const flags: ReadonlySet<string> = new Set(["hasInstallScript", "gypfile"])

/** The document is no JSON object, or goes deeper than is read. */
export class Unreadable extends Error {}

interface Level {
  readonly isObject: boolean
  key: string
}

const quote = 0x22
const backslash = 0x5c

/** A text as it stands in JSON, in pieces; longer ones than anybody reads are cut. */
class Raw {
  readonly #pieces: Array<Uint8Array> = []
  #bytes = 0
  add(piece: Uint8Array): void {
    if (this.#bytes > LocalLimits.registryTextBytes) return
    this.#bytes += piece.length
    this.#pieces.push(piece)
  }
  text(): string {
    if (this.#bytes > LocalLimits.registryTextBytes) return ""
    try {
      return String(JSON.parse(`"${Buffer.concat(this.#pieces).toString("utf8")}"`))
    } catch {
      return ""
    }
  }
}

/** Takes the bytes of a document in pieces of any length. Only what it says of the wanted versions is kept. */
export class HistoryReader {
  readonly #wanted: ReadonlySet<string>
  readonly #found = new Map<string, VersionHistory>()
  readonly #levels: Array<Level> = []
  #begun = false
  #ended = false
  /** Of the text that is being read: whether it goes on, after a backslash, and what of it is kept. */
  #inText = false
  #escaped = false
  #raw: Raw | null = null
  /** Whether the next text of an object is a key. */
  #isKey = false

  constructor(wanted: ReadonlySet<string>) {
    this.#wanted = wanted
  }

  /** Throws `Unreadable`. */
  write(piece: Uint8Array): void {
    let at = 0
    while (at < piece.length) at = this.#inText ? this.#text(piece, at) : this.#structure(piece, at)
  }

  /** What was found, by version. Throws `Unreadable` for half a document. */
  end(): ReadonlyMap<string, VersionHistory> {
    if (!this.#ended || this.#inText || this.#levels.length > 0) throw new Unreadable("ends in the middle")
    return this.#found
  }

  /** Goes on through a text from `start`; answers where it is left. */
  #text(piece: Uint8Array, start: number): number {
    let at = start
    for (; at < piece.length; at++) {
      const byte = piece[at]
      if (this.#escaped) this.#escaped = false
      else if (byte === backslash) this.#escaped = true
      else if (byte === quote) {
        this.#raw?.add(piece.subarray(start, at))
        this.#inText = false
        this.#said()
        return at + 1
      }
    }
    this.#raw?.add(piece.subarray(start))
    return at
  }

  #structure(piece: Uint8Array, at: number): number {
    switch (piece[at]) {
      case quote:
        if (!this.#begun) throw new Unreadable("is not an object")
        this.#inText = true
        this.#raw = this.#matters() ? new Raw() : null
        return at + 1
      case 0x7b:
      case 0x5b:
        this.#opened(piece[at] === 0x7b)
        return at + 1
      case 0x7d:
      case 0x5d:
        this.#closed(piece[at] === 0x7d)
        return at + 1
      case 0x2c:
        this.#isKey = this.#levels.at(-1)?.isObject === true
        return at + 1
      case 0x74:
        // `true`: of what is deprecated it stands where a text should.
        if (this.#path() === "deprecated") this.#note({ deprecated: "deprecated" })
        else if (this.#path() === "flag") this.#note({ installScript: true })
        return at + 1
      default:
        if (!this.#begun && !isSpace(piece[at]!)) throw new Unreadable("is not JSON")
        return at + 1
    }
  }

  #opened(isObject: boolean): void {
    if (this.#ended || (!this.#begun && !isObject)) throw new Unreadable("is not an object")
    if (this.#levels.length >= LocalLimits.packageJsonDepth)
      throw new Unreadable(`goes deeper than ${LocalLimits.packageJsonDepth} levels`)
    this.#begun = true
    this.#levels.push({ isObject, key: "" })
    this.#isKey = isObject
    if (this.#isVersion()) this.#note({})
  }

  #closed(isObject: boolean): void {
    if (this.#levels.pop()?.isObject !== isObject) throw new Unreadable("is not JSON")
    this.#isKey = false
    this.#ended = this.#levels.length === 0
  }

  /** Keys down to those of a version's scripts, and what stands at the places that are looked for. */
  #matters(): boolean {
    if (!this.#isKey) return this.#path() !== null
    return this.#levels.length <= 3 || (this.#levels.length === 4 && this.#levels[2]?.key === "scripts")
  }

  /** Whether the object that was just opened is that of a version that is wanted. */
  #isVersion(): boolean {
    const [top, version, field, inner] = this.#levels
    const isThere = field?.isObject === true && inner === undefined && version?.isObject === true
    return isThere && top?.key === "versions" && this.#wanted.has(version.key)
  }

  /** Which of the places this is, for a version that is wanted. */
  #path(): "time" | "deprecated" | "flag" | "script" | null {
    if (this.#isKey) return null
    const [top, version, field, inner, more] = this.#levels
    if (top === undefined || version?.isObject !== true || !this.#wanted.has(version.key)) return null
    if (field === undefined) return top.key === "time" ? "time" : null
    if (top.key !== "versions" || !field.isObject) return null
    if (inner === undefined) return field.key === "deprecated" ? "deprecated" : flags.has(field.key) ? "flag" : null
    const isScript = field.key === "scripts" && inner.isObject && installScripts.some((name) => name === inner.key)
    return isScript && more === undefined ? "script" : null
  }

  #said(): void {
    const level = this.#levels.at(-1)
    if (this.#isKey && level !== undefined) {
      level.key = this.#raw?.text() ?? ""
      this.#isKey = false
    } else if (this.#raw !== null) {
      const text = this.#raw.text()
      const ms = Date.parse(text)
      const path = this.#path()
      if (path === "time") this.#note({ publishedAtMs: Number.isFinite(ms) ? ms : null })
      else if (path === "script") this.#note({ installScript: true })
      else if (path === "deprecated" && text !== "") this.#note({ deprecated: text })
    }
    this.#raw = null
  }

  #note(what: Partial<VersionHistory>): void {
    const [top, version] = this.#levels
    const known = this.#found.get(version!.key) ?? unknown
    // A version that is there asks for none until it says so.
    const installScript = top!.key === "versions" ? (known.installScript ?? false) : known.installScript
    this.#found.set(version!.key, { ...known, installScript, ...what })
  }
}

const isSpace = (byte: number): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0xef || byte === 0xbb || byte === 0xbf
