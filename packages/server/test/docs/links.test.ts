import { existsSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { describe, expect, it } from "vitest"
import { document, documents, type Link, parse, root } from "./Documents.ts"

const isOutside = ({ target }: Link): boolean => /^[a-z]+:/.test(target)

/** What is wrong with a link; null when it leads somewhere. */
const problemOf = (link: Link): string | null => {
  const [path = "", anchor] = link.target.split("#")
  const target = path === "" ? link.page : posix.join(posix.dirname(link.page), path)
  if (!existsSync(join(root, target))) return `${link.page}:${link.line}: there is no ${target}`
  if (anchor === undefined || !target.endsWith(".md")) return null
  return parse(target, readFileSync(join(root, target), "utf8")).anchors.has(anchor)
    ? null
    : `${link.page}:${link.line}: ${target} has no heading #${anchor}`
}

describe("The documentation", () => {
  it("has no link inside this workspace that leads nowhere", () => {
    const links = documents.flatMap((each) => each.links).filter((link) => !isOutside(link))
    expect(links.length).toBeGreaterThan(100)
    expect(links.map(problemOf).filter((problem) => problem !== null)).toEqual([])
  })

  it("can be reached page by page from the README", () => {
    const seen = new Set<string>()
    const waiting = ["README.md"]
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (seen.has(path)) continue
      seen.add(path)
      for (const { target } of document(path).links.filter((link) => !isOutside(link))) {
        const next = posix.join(posix.dirname(path), target.split("#")[0]!)
        if (next.endsWith(".md") && documents.some((each) => each.path === next)) waiting.push(next)
      }
    }
    expect(documents.map(({ path }) => path).filter((path) => !seen.has(path))).toEqual([])
  })

  it("names no npm script that is not there", () => {
    const manifest: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
      readFileSync(join(root, "package.json"), "utf8")
    )
    const named = documents.flatMap((each) =>
      [...each.text.matchAll(/npm (?:run (?:-s )?([a-z:-]+)|(start|test))(?![a-z])/g)].map(
        (match) => match[1] ?? match[2]!
      )
    )
    expect([...new Set(named)].filter((name) => manifest.scripts[name] === undefined)).toEqual([])
  })
})
