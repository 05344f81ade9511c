/**
 * Reads of a registry's document of a package, which may have many megabytes, when versions came and which are deprecated:
 * a piece at a time, as it comes, so that neither the whole document is held nor anybody made to wait for it.
 */
import { LocalLimits } from "../LocalLimits.ts"

/** What is known of one version. */
export interface VersionHistory {
  readonly publishedAtMs: number | null
  /** Why nobody should use it, in the publisher's words. */
  readonly deprecated: string | null
}

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
  readonly #found = new Map<string, { publishedAtMs: number | null; deprecated: string | null }>()
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
        // `true`, where a text should stand.
        if (this.#path() === "deprecated") this.#note({ deprecated: "deprecated" })
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
  }

  #closed(isObject: boolean): void {
    if (this.#levels.pop()?.isObject !== isObject) throw new Unreadable("is not JSON")
    this.#isKey = false
    this.#ended = this.#levels.length === 0
  }

  /** Keys down to those of a version, and what stands at two places. */
  #matters(): boolean {
    return this.#isKey ? this.#levels.length <= 3 : this.#path() !== null
  }

  /** Which of the two places this is, for a version that is wanted. */
  #path(): "time" | "deprecated" | null {
    if (this.#isKey) return null
    const [top, version, field, more] = this.#levels
    if (top === undefined || version?.isObject !== true) return null
    if (field === undefined) return top.key === "time" && this.#wanted.has(version.key) ? "time" : null
    const isVersion = more === undefined && top.key === "versions" && this.#wanted.has(version.key)
    return isVersion && field.isObject && field.key === "deprecated" ? "deprecated" : null
  }

  #said(): void {
    const level = this.#levels.at(-1)
    if (this.#isKey && level !== undefined) {
      level.key = this.#raw?.text() ?? ""
      this.#isKey = false
    } else if (this.#raw !== null) {
      const text = this.#raw.text()
      const ms = Date.parse(text)
      if (this.#path() === "time") this.#note({ publishedAtMs: Number.isFinite(ms) ? ms : null })
      else if (text !== "") this.#note({ deprecated: text })
    }
    this.#raw = null
  }

  #note(what: Partial<VersionHistory>): void {
    const version = this.#levels[1]!.key
    const known = this.#found.get(version) ?? { publishedAtMs: null, deprecated: null }
    this.#found.set(version, { ...known, ...what })
  }
}

const isSpace = (byte: number): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0xef || byte === 0xbb || byte === 0xbf
