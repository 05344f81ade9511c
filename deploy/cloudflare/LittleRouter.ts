/**
 * Finds the endpoint of a path in a contract whose paths are words and whole parameters, as the library's router finds it,
 * which knows many more forms and has 11 KB of code.
 */

interface Route<A> {
  readonly method: string
  /** Its parts; a parameter is null. */
  readonly words: ReadonlyArray<string | null>
  readonly names: ReadonlyArray<string>
  readonly handler: A
  /** A word comes before a parameter, from the left on. */
  readonly order: string
}

/** What was found. */
export interface Found<A, Q> {
  readonly handler: A
  readonly params: Readonly<Record<string, string>>
  readonly searchParams: Q
}

/** As much of the library's router as is asked of it. */
export interface LittleRouter<A, Q> {
  /** Throws for a path that has other parts than words and `:name`. */
  readonly on: (method: string, path: string, handler: A) => void
  readonly all: (path: string) => void
  readonly find: (method: string, url: string) => Found<A, Q> | undefined
  /** The bound that a parameter of what was asked last was over; undefined for none. */
  readonly exceeded: () => number | undefined
}

const partsOf = (path: string): ReadonlyArray<string> => path.split("/").filter((part) => part !== "")

/** Null where it is no text. */
const decoded = (parts: ReadonlyArray<string>): ReadonlyArray<string> | null => {
  try {
    return parts.map((part) => (part.includes("%") ? decodeURIComponent(part) : part))
  } catch {
    return null
  }
}

const isKnown = (part: string): boolean => /^(?::\w+|[\w.-]+)$/.test(part)

/** `parseQuery` is told what stands behind the path. */
export const littleRouter =
  <Q>(parseQuery: (text: string) => Q) =>
  <A>({ maxParamLength = 100 }: { readonly maxParamLength?: number } = {}): LittleRouter<A, Q> => {
    const routes: Array<Route<A>> = []
    let isExceeded = false

    const fits = ({ words }: Route<A>, parts: ReadonlyArray<string>): boolean =>
      words.length === parts.length && words.every((word, at) => word === null || word === parts[at]?.toLowerCase())

    return {
      on: (method, path, handler) => {
        const parts = partsOf(path)
        if (!parts.every(isKnown)) throw new Error(`no path such as ${path} is known here`)
        const words = parts.map((part) => (part.startsWith(":") ? null : part.toLowerCase()))
        const names = parts.flatMap((part) => (part.startsWith(":") ? [part.slice(1)] : []))
        const order = words.map((word) => (word === null ? "1" : "0")).join("")
        routes.push({ method, words, names, handler, order })
        routes.sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0))
      },
      all: (path) => {
        throw new Error(`${path} has no method`)
      },
      find: (method, url) => {
        isExceeded = false
        const end = /^.[^?;#]*/s.exec(url)?.[0].length ?? url.length
        const parts = decoded(partsOf(url.slice(0, end)))
        if (parts === null) return undefined
        for (const route of routes) {
          if (route.method !== method || !fits(route, parts)) continue
          const values = parts.filter((_, at) => route.words[at] === null)
          if (values.every(({ length }) => length <= maxParamLength))
            return {
              handler: route.handler,
              params: Object.fromEntries(route.names.map((name, at) => [name, values[at] ?? ""])),
              searchParams: parseQuery(url.slice(end + 1))
            }
          isExceeded = true
        }
        return undefined
      },
      exceeded: () => (isExceeded ? maxParamLength : undefined)
    }
  }
