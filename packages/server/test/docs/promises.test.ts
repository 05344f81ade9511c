import { readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { describe, expect, it } from "vitest"
import { document, root } from "./Documents.ts"

const page = document("docs/promises.md")

interface Proof {
  readonly path: string
  readonly title: string
}

const proofs: ReadonlyArray<Proof> = [...page.text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): “([^”]+)”/gm)].map((match) => ({
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
    expect(sections.filter((section) => !/^- \[/m.test(section)).map((section) => section.split("\n")[0])).toEqual([])
    expect(proofs.length).toBe([...page.text.matchAll(/^- \[/gm)].length)
  })
})
