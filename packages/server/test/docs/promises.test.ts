import { readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { describe, expect, it } from "vitest"
import { document, root } from "./Documents.ts"

const page = document("docs/promises.md")

interface Proof {
  readonly path: string
  readonly title: string
}

/** A line of a list, or a cell of a table, where there may be several. */
const proofs: ReadonlyArray<Proof> = [...page.text.matchAll(/\[[^\]]+\]\(([^)]+)\): “([^”]+)”/g)].map((match) => ({
  path: posix.join("docs", match[1]!),
  title: match[2]!
}))

describe("The page of promises", () => {
  it.each(proofs)("names a test that is there: $path, $title", ({ path, title }) => {
    expect(readFileSync(join(root, path), "utf8")).toContain(title)
  })

  it("has no promise without a proof", () => {
    const sections = page.text
      .split(/^## /m)
      .slice(1)
      .filter((section) => !section.startsWith("Not proved yet"))
    expect(
      sections.filter((section) => !/\]\([^)]+\): “/.test(section)).map((section) => section.split("\n")[0])
    ).toEqual([])
    const listed = page.text.split("\n").filter((line) => line.startsWith("- ["))
    expect(listed.filter((line) => !/^- \[[^\]]+\]\([^)]+\): “[^”]+”/.test(line))).toEqual([])
  })

  it("names figures that are measured", () => {
    const catalogue = readFileSync(join(root, "bench/Catalogue.ts"), "utf8")
    const named = [...page.text.matchAll(/`(console-[a-z0-9-]+)`/g)].map(([, figure]) => figure!)
    expect(named.length).toBeGreaterThan(15)
    expect(named.filter((figure) => !catalogue.includes(`"${figure}"`))).toEqual([])
  })
})
