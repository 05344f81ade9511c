/** A unified diff as the files of JSON, while it is read. */
import type { FileChange } from "@pawl/core/model/ChangeSet"

const file = "diff --git "
const hunk = "@@ "
const binary = "Binary files "
/** By so many characters a line shows which it is. */
const tellingLength = binary.length

const inside = (text: string): string => JSON.stringify(text).slice(1, -1)

/**
 * Takes text in pieces of any size and answers JSON in pieces: the items of a list of files. In a patch every line of a
 * file starts with a sign, so that a line with `diff --git` can only begin the next file.
 */
export class DiffPieces {
  readonly #changes: ReadonlyArray<FileChange>
  #begun = 0
  /** What came and cannot be told yet: the beginning of a line. */
  #open = ""
  /** In the middle of a line, which may be many megabytes long. */
  #isInLine = false
  /** Lines of a file before its first hunk; null after it. */
  #head: string | null = null
  /** A binary file has no patch. */
  #isBinary = false
  #out = ""

  constructor(changes: ReadonlyArray<FileChange>) {
    this.#changes = changes
  }

  /** JSON for what came. */
  feed(text: string): string {
    const all = this.#open + text
    let at = 0
    for (let used = this.#step(all, at); used > 0; used = this.#step(all, at)) at += used
    this.#open = all.slice(at)
    return this.#told()
  }

  /** JSON for the end. Throws when the diff is not of the files that changed. */
  end(): string {
    if (this.#open !== "" || this.#begun !== this.#changes.length) throw new Error("the diff is not whole")
    if (this.#begun > 0) this.#finish()
    return this.#told()
  }

  #told(): string {
    const told = this.#out
    this.#out = ""
    return told
  }

  /** Takes what can be told, from `at` on; answers how many characters that was. */
  #step(text: string, at: number): number {
    const end = text.indexOf("\n", at) + 1
    const length = (end === 0 ? text.length : end) - at
    if (!this.#isInLine && end === 0 && (this.#head !== null || length < tellingLength)) return 0
    if (length === 0) return 0
    const isNew = !this.#isInLine && text.startsWith(file, at)
    // The line that begins a file is short, and needed whole.
    if (isNew && end === 0) return 0
    const line = text.slice(at, at + length)
    if (isNew) this.#begin(line)
    else this.#take(line)
    this.#isInLine = end === 0
    return length
  }

  #take(line: string): void {
    if (this.#head === null) {
      if (!this.#isBinary) this.#out += inside(line)
    } else if (line.startsWith(binary)) {
      this.#head = null
      this.#isBinary = true
    } else if (line.startsWith(hunk)) {
      this.#out += inside(this.#head + line)
      this.#head = null
    } else this.#head += line
  }

  #begin(line: string): void {
    const change = this.#changes[this.#begun]
    if (change === undefined) throw new Error("the diff has more files than changed")
    if (this.#begun > 0) this.#finish()
    this.#out += `${this.#begun > 0 ? "," : ""}${JSON.stringify({ ...change, patch: "" }).slice(0, -2)}`
    this.#begun++
    this.#head = line
    this.#isBinary = false
  }

  #finish(): void {
    this.#out += `${inside(this.#head ?? "")}"}`
    this.#head = null
  }
}
