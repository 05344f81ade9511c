/** Markup that is safe to send. Only the `html` tag makes it. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

export type Child = Html | string | number | null | undefined | false | ReadonlyArray<Child>

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Text as it may stand between tags and inside a quoted attribute. */
export const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => escapes[character] ?? character)

const render = (child: Child): string => {
  if (child === null || child === undefined || child === false) return ""
  if (child instanceof Html) return child.markup
  if (typeof child === "string" || typeof child === "number") return escape(String(child))
  return child.map(render).join("")
}

/** A page or a part of one. Every value is escaped, unless it is `Html` already. Quote all attributes. */
export const html = (strings: TemplateStringsArray, ...children: ReadonlyArray<Child>): Html =>
  new Html(strings.map((text, index) => text + render(children[index])).join(""))
