/** The pages of this workspace, taken apart: code blocks, links, headings. */
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { join } from "node:path"

export const root = fileURLToPath(new URL("../../../..", import.meta.url))

export interface Block {
  readonly page: string
  /** 1-based line of the opening fence. */
  readonly line: number
  readonly language: string
  readonly text: string
}

export interface Link {
  readonly page: string
  readonly line: number
  readonly target: string
}

export interface Document {
  readonly path: string
  readonly text: string
  readonly blocks: ReadonlyArray<Block>
  readonly links: ReadonlyArray<Link>
  /** What a link can name after `#`. */
  readonly anchors: ReadonlySet<string>
}

/** As GitHub makes them. */
export const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[`*_]/g, "")
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\- ]/gu, "")
    .replaceAll(" ", "-")

export const parse = (path: string, text: string): Document => {
  const blocks: Array<Block> = []
  const links: Array<Link> = []
  const anchors = new Set<string>()
  let open: { readonly line: number; readonly language: string; readonly lines: Array<string> } | null = null
  for (const [index, line] of text.split("\n").entries()) {
    const fence = /^```(.*)$/.exec(line)
    if (fence !== null && open === null) open = { line: index + 1, language: fence[1]!.trim(), lines: [] }
    else if (fence !== null && open !== null) {
      blocks.push({ page: path, line: open.line, language: open.language, text: open.lines.join("\n") })
      open = null
    } else if (open !== null) open.lines.push(line)
    else {
      const heading = /^#{1,6} (.*)$/.exec(line)
      if (heading !== null) anchors.add(anchorOf(heading[1]!))
      for (const match of line.replace(/`[^`]*`/g, "").matchAll(/\]\(([^)\s]+)\)/g))
        links.push({ page: path, line: index + 1, target: match[1]! })
    }
  }
  if (open !== null) throw new Error(`${path}:${open.line}: the block is not closed`)
  return { path, text, blocks, links, anchors }
}

/** Starters hold pages of their own, which are sources. */
const isOurs = (path: string): boolean => !path.startsWith("examples/05-starters/")

export const documents: ReadonlyArray<Document> = globSync(["*.md", "docs/**/*.md", "examples/**/*.md"], { cwd: root })
  .filter(isOurs)
  .toSorted()
  .map((path) => parse(path, readFileSync(join(root, path), "utf8")))

export const document = (path: string): Document => {
  const found = documents.find((each) => each.path === path)
  if (found === undefined) throw new Error(`there is no page ${path}`)
  return found
}
