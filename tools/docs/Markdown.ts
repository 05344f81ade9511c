/** The few shapes of Markdown that the generated pages are made of. */

/** A page of `docs/`, by its path from the root of the workspace. */
export interface Page {
  readonly path: string
  readonly text: string
}

const cell = (text: string): string => text.replaceAll("\n", " ").replaceAll("|", "\\|").trim()

export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n")

export const code = (text: string): string => `\`${text}\``

/** A page made of parts with an empty line between them, under a note that says where it comes from. */
export const page = (path: string, title: string, parts: ReadonlyArray<string>): Page => ({
  path,
  text: `${[`# ${title}`, "<!-- Made by `npm run docs` from the sources. Do not edit: the next run overwrites it. -->", ...parts].join("\n\n")}\n`
})

/** The text of a page that is written by hand, with what is made from the code between its two marks. */
export const placed = ({ path, text }: Page, mark: string, made: string): string => {
  const [begin, end] = [`<!-- made from the code: ${mark} -->`, "<!-- end -->"]
  const from = text.indexOf(begin)
  const to = text.indexOf(end, from)
  if (from < 0 || to < 0) throw new Error(`${path} has no place for its ${mark}`)
  return `${text.slice(0, from + begin.length)}\n\n${made}\n\n${text.slice(to)}`
}
