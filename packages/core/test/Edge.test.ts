/** What belongs to whoever shows the core to people: paths of an API, names of options, lines for a shell. */
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

const source = new URL("../src/", import.meta.url)

/** What is code in a file: comments may say what they like. */
const codeOf = (file: string): string =>
  readFileSync(new URL(file, source), "utf8")
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/^\s*\/\/.*$/gm, "")

const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))

const finding = (pattern: RegExp): ReadonlyArray<string> =>
  files.flatMap((file) =>
    codeOf(file)
      .split("\n")
      .filter((line) => pattern.test(line))
      .map((line) => `${file}: ${line.trim()}`)
  )

describe("The core, which any program may embed", () => {
  it("names no path of an HTTP API", () => {
    expect(finding(/\/v1\/|\b(GET|POST|PUT|PATCH|DELETE) \//)).toEqual([])
  })

  it("names no option of a server, and no line for a shell", () => {
    expect(finding(/PAWL_[A-Z]|["'`( ]pawl (serve|why|doctor|demo|user|token|push)\b/)).toEqual([])
  })

  it("decides nothing by the words of a reason, a summary or a problem: rows have codes", () => {
    const words = /\b(reason|summary|problem|lastProblem|message|detail)\b\??\.(startsWith|endsWith|includes|match)\(/
    const tested = /\.test\([^)]*\b(reason|summary|problem|lastProblem|message|detail)\b/
    // What older versions stored has a sentence alone: it is read in one place.
    const readers = [/^model\/StoredReasons\.ts: /]
    const found = [...finding(words), ...finding(tested)].filter((line) => !readers.some((reader) => reader.test(line)))
    expect(found).toEqual([])
  })
})
