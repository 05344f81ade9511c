import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { filesOf, reaching, readersOf } from "../vitest/Graph.ts"
import { shownBefore, shownFiles, shownPath, shownText } from "../vitest/Shown.ts"
import { root } from "./FixtureWorkspace.ts"

const indentOf = (line: string): number => line.length - line.trimStart().length

/** Whether a line lies within a test; code is formatted, so what encloses a line stands further left. */
const isInTest = (lines: ReadonlyArray<string>, at: number): boolean => {
  let indent = indentOf(lines[at] ?? "")
  for (let above = at - 1; above >= 0 && indent > 0; above--) {
    const line = lines[above] ?? ""
    if (line.trim() === "" || indentOf(line) >= indent) continue
    indent = indentOf(line)
    // Behind a table of rows comes the test; within the table nothing runs yet.
    if (/^\s*[)\]]+\(/.test(line)) return true
    if (/\bit[.(]/.test(line)) return !/\.each(?:<.+>)?\([[(]?$/.test(line)
  }
  return false
}

const asks = /(?<![.\w])(?:rounds|numbers|slice)\(|(?<![.\w"'])depth(?![\w"':])/g

/** Rows, of which each is a test by a title of its own. */
const rows = [
  /\.each\(\s*(?:batches\()?(?:rounds|numbers|slice)\($/,
  /^(?: {2})*for \(const [^\n]+ of slice\($/m,
  /\.\.\.slice\($/
]
const wholes = /depth === "quick" \? \[\] : \[depth\]|^if \(depth !== "quick"\)/

/** Whether this name is of rows alone. */
const isForRows = (text: string, name: string): boolean => {
  const code = text.replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, "")
  return code.split(new RegExp(`\\b${name}\\b`)).length === 1 + code.split(`.each(${name})`).length
}

/**
 * Where a text asks how deep to go for something else than rows, before its tests run; or looks at the depth itself, which
 * nobody sees.
 */
const asksBefore = (text: string): ReadonlyArray<string> => {
  const lines = text.split("\n")
  return [...text.matchAll(asks)].flatMap((found) => {
    const before = text.slice(0, found.index)
    const at = before.split("\n").length - 1
    const line = lines[at] ?? ""
    const named = /^(?: {2})*const (\w+) = slice\(/.exec(line)?.[1]
    const isRow =
      rows.some((row) => row.test(before + found[0])) ||
      wholes.test(line) ||
      (named !== undefined && isForRows(text, named))
    const isImport = /^import |^\/?\s*\*|^\s*\/\//.test(line)
    return isImport || isRow || (found[0] !== "depth" && isInTest(lines, at)) ? [] : [line.trim()]
  })
}

const files = filesOf(root)
const readers = readersOf(root, files)
/** Who imports `packages/testing/src/Depth.ts`. */
const asking = [...files].filter((file) => {
  if (!file.endsWith(".ts")) return false
  const imported = file.startsWith("packages/testing/") ? /"\.[./]*\/Depth\.ts"|testing\/Depth"/ : /testing\/Depth"/
  return imported.test(readFileSync(join(root, file), "utf8"))
})

const isEntry = (file: string): boolean => /^packages\/[^/]+\/src\/index\.ts$/.test(file)

/** Those of `shownFiles` that each of them reaches. */
const reached = new Map(
  asking.map((file) => {
    const by = reaching(readers, [file], isEntry)
    return [file, shownFiles.filter((shown) => by.has(shown))]
  })
)

describe("What a deep run leaves out after a quick one", () => {
  it("are tests of files that have a depth", () => {
    const all = new Set([...reached.values()].flat())
    expect(shownFiles.filter((file) => !all.has(file))).toEqual([])
  })

  it("stands in files that choose rows by the depth, and nothing else before their tests run", () => {
    const found = [...reached].flatMap(([file, by]) =>
      by.length === 0 ? [] : asksBefore(readFileSync(join(root, file), "utf8")).map((line) => `${file}: ${line}`)
    )
    expect(found).toEqual([])
  })

  it("can be told from what is not the same: a number of rounds that a whole file knows", () => {
    expect(asksBefore(`const count = rounds({ quick: 1, deep: 9 })\nit("one", () => count)\n`)).toHaveLength(1)
    expect(asksBefore(`it("one", () => {\n  for (const n of numbers(9, { quick: 1 })) n\n})\n`)).toEqual([])
    expect(asksBefore(`it.each(slice(all, { quick: 1 }))("%s", () => {})\n`)).toEqual([])
    expect(asksBefore(`const some = slice(all, { quick: 1 })\nit("one", () => some)\n`)).toHaveLength(1)
    expect(asksBefore(`const some = slice(all, { quick: 1 })\nit.each(some)("%s", () => {})\n`)).toEqual([])
    expect(asksBefore(`it.each([\n  ["a", rounds({ quick: 1, deep: 9 })]\n])("%s", () => {})\n`)).toHaveLength(1)
    expect(asksBefore(`it.each([\n  ["a"]\n])(\n  "%s",\n  () => rounds({ quick: 1, deep: 9 })\n)\n`)).toEqual([])
    expect(asksBefore(`const least = depth === "quick" ? 1 : 9\n`)).toHaveLength(1)
    expect(asksBefore(`it("one", () => {\n  if (depth === "quick") return\n})\n`)).toHaveLength(1)
  })

  it("is nothing without the quick run's own file, at another depth and of another seed", () => {
    const folder = mkdtempSync(join(tmpdir(), "pawl-shown-"))
    const path = join(folder, "shown.json")
    const none = new Set()
    expect(shownBefore({ depth: "deep", seed: 1 }, path)).toEqual(none)
    writeFileSync(path, shownText(1, ["a.test.ts > one"]))
    expect(shownBefore({ depth: "deep", seed: 1 }, path)).toEqual(new Set(["a.test.ts > one"]))
    expect(shownBefore({ depth: "deep", seed: 2 }, path)).toEqual(none)
    expect(shownBefore({ depth: "quick", seed: 1 }, path)).toEqual(none)
    expect(shownBefore({ depth: "long", seed: 1 }, path)).toEqual(none)
    expect(shownBefore({ depth: "deep", seed: 1 }, null)).toEqual(none)
    expect(shownPath({ PAWL_TEST_SHOWN: "" })).toBeNull()
    rmSync(folder, { recursive: true })
  })
})
