import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { document, root } from "./Documents.ts"

/** A row of the table of thieves: who it is, and the tests that it names. */
interface Row {
  readonly thief: string
  readonly titles: ReadonlyArray<string>
}

const quoted = (text: string): ReadonlyArray<string> => [...text.matchAll(/“([^”]+)”/g)].map((match) => match[1]!)

const rows: ReadonlyArray<Row> = (
  /^## Who can do what\n(.*?)^## /ms.exec(document("docs/security/provenance.md").text)?.[1] ?? ""
)
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| ---") && !line.startsWith("| a thief of"))
  .map((line) => {
    const [, thief = "", can = "", cannot = ""] = line.split("|").map((cell) => cell.trim())
    return { thief, titles: [...quoted(can), ...quoted(cannot)] }
  })

/** The tests of each thief: by the name of who it is. */
const tests = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const source = readFileSync(join(root, "packages/server/test/e2e/hostile/Thieves.test.ts"), "utf8")
  const parts = source.split(/describe\("A thief of /).slice(1)
  const byThief = new Map<string, ReadonlyArray<string>>()
  for (const part of parts) {
    const thief = part.slice(0, part.indexOf('"'))
    const titles = [...part.matchAll(/^ +(?:it(?:\.each\(slice\(.*?\)\))?|\]\))\(\s*"([^"]+)"/gm)].map((match) =>
      match[1]!.replace(/: %s is %s$/, "")
    )
    byThief.set(thief, titles)
  }
  return byThief
}

describe("The table of thieves", () => {
  it("has a row for each thief that is tried, and none besides", () => {
    expect(rows.map(({ thief }) => thief).toSorted()).toEqual([...tests().keys()].toSorted())
  })

  it.each(rows)("names every test of a thief of $thief, and no other", ({ thief, titles }) => {
    expect(titles.length).toBeGreaterThan(0)
    expect(titles.toSorted()).toEqual((tests().get(thief) ?? []).toSorted())
  })
})
