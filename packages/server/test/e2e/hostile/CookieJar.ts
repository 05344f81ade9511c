/** The cookies of a user agent by RFC 6265, sections 5.2 to 5.4, for plain HTTP. */

export interface Kept {
  readonly name: string
  readonly value: string
  readonly path: string
  /** `null`: of the very host that set it. */
  readonly domain: string | null
  readonly host: string
}

const blank = /^[ \t]+|[ \t]+$/g

const pair = (text: string): readonly [string, string] => {
  const at = text.indexOf("=")
  return at < 0
    ? [text.replace(blank, ""), ""]
    : [text.slice(0, at).replace(blank, ""), text.slice(at + 1).replace(blank, "")]
}

const pathMatches = (path: string, cookiePath: string): boolean =>
  path === cookiePath || (path.startsWith(cookiePath) && (cookiePath.endsWith("/") || path[cookiePath.length] === "/"))

const isOver = (attributes: ReadonlyArray<readonly [string, string]>): boolean => {
  const age = attributes.findLast(([name, value]) => name === "max-age" && /^-?\d+$/.test(value))?.[1]
  if (age !== undefined) return Number(age) <= 0
  const expires = attributes.findLast(([name, value]) => name === "expires" && !Number.isNaN(Date.parse(value)))?.[1]
  return expires !== undefined && Date.parse(expires) < Date.now()
}

export class CookieJar {
  #kept: ReadonlyArray<Kept> = []

  /** Takes a `Set-Cookie` of an answer to a request for `/`. */
  take(host: string, setCookie: string): void {
    const [first = "", ...rest] = setCookie.split(";")
    if (!first.includes("=")) return
    const [name, value] = pair(first)
    if (name === "") return
    const attributes = rest.map((each) => pair(each)).map(([key, each]) => [key.toLowerCase(), each] as const)
    const said = attributes.findLast(([key]) => key === "path")?.[1]
    const path = said?.startsWith("/") === true ? said : "/"
    const domain =
      attributes
        .findLast(([key, each]) => key === "domain" && each !== "")?.[1]
        ?.replace(/^\./, "")
        .toLowerCase() ?? null
    if (domain !== null && host !== domain && !host.endsWith(`.${domain}`)) return
    const same = (each: Kept) =>
      each.name === name && each.path === path && each.host === host && each.domain === domain
    if (attributes.some(([key]) => key === "secure")) return
    const at = this.#kept.findIndex(same)
    const others = this.#kept.filter((each) => !same(each))
    if (isOver(attributes)) this.#kept = others
    else this.#kept = others.toSpliced(at < 0 ? others.length : at, 0, { name, value, path, domain, host })
  }

  /** What goes into the `Cookie` header of a request: longer paths first, then older ones. */
  cookieFor(host: string, path: string): string {
    return this.#kept
      .filter((each) =>
        each.domain === null ? each.host === host : host === each.domain || host.endsWith(`.${each.domain}`)
      )
      .filter((each) => pathMatches(path, each.path))
      .toSorted((a, b) => b.path.length - a.path.length)
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ")
  }
}
