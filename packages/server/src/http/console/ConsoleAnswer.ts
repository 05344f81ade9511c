/**
 * What the console answers at the address of the API, on any engine: its page wherever a browser goes that is no place of
 * the API, and the files that the page loads below `/console/`. It reads no cookie and knows no caller: what is secret is
 * asked of the API.
 */
import { plainProblem, problemType } from "../answer/PlainProblem.ts"

/** How a file may be packed. */
export type Coding = "br" | "gzip"

/** What is known of a file before it is sent. */
export interface ConsoleFact {
  readonly type: string
  /** As an entity tag, without quotes: the same for every form. */
  readonly digest: string
  /** The forms that there are of it, beside the plain one. */
  readonly codings: ReadonlyArray<Coding>
}

/** The page, and what it loads by its name below `/console/`. */
export interface ConsoleFacts<File extends ConsoleFact = ConsoleFact> {
  readonly page: File
  readonly named: (name: string) => File | null
}

/** What of a request counts. */
export interface ConsoleQuestion {
  readonly method: string
  /** The path with its query. */
  readonly url: string
  /** The value of a header, by its name in small letters; null where it is missing. */
  readonly header: (name: string) => string | null
}

/** What to send. A HEAD is told the headers alone. */
export interface ConsoleAnswer<File extends ConsoleFact = ConsoleFact> {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** A file in one of its forms, a text, or nothing. */
  readonly body: { readonly file: File; readonly coding: Coding | null } | string | null
}

/** Places of the API and of what stands beside it: no screen is there. */
const notScreens = /^\/(v1|auth|git|health|docs|openapi\.json|mcp|metrics|__service|\.well-known)(?:[/?]|$)/

const filePrefix = "/console/"

/** Whether an item of a header's list is there and not refused by `q=0`. */
const names = (header: string | null, item: string): boolean =>
  (header ?? "").split(",").some((part) => {
    const [name = "", ...params] = part.split(";").map((each) => each.trim().toLowerCase())
    return name === item && !params.some((each) => /^q=0(\.0*)?$/.test(each))
  })

const notBuilt = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Pawl</title>
<h1>The console is not built</h1>
<p>The server runs, and its API answers. Run <code>npm run build</code> in the folder of the sources, or install the package <code>@pawl/console</code>, and load this page again.</p>
</html>
`

const codingOf = ({ codings }: ConsoleFact, accepted: string | null): Coding | null =>
  (["br", "gzip"] as const).find((each) => codings.includes(each) && names(accepted, each)) ?? null

const isKnown = (header: string | null, digest: string): boolean =>
  header?.split(",").some((each) => each.trim().replace(/^W\//, "") === `"${digest}"`) === true

type Headers = ConsoleAnswer["headers"]

const sent = <File extends ConsoleFact>(
  { header }: ConsoleQuestion,
  file: File,
  caching: Headers
): ConsoleAnswer<File> => {
  // Weak: one for all forms.
  const headers = { ...caching, etag: `W/"${file.digest}"` }
  if (isKnown(header("if-none-match"), file.digest)) return { status: 304, headers, body: null }
  const coding = codingOf(file, header("accept-encoding"))
  const packed: Headers = coding === null ? {} : { "content-encoding": coding }
  return { status: 200, headers: { ...headers, "content-type": file.type, ...packed }, body: { file, coding } }
}

const missing = (always: Headers): ConsoleAnswer<never> => ({
  status: 404,
  headers: { ...always, "content-type": problemType },
  body: plainProblem(404, "not_found", "The console has no such file. Load the page again.")
})

const unbuilt = (always: Headers): ConsoleAnswer<never> => ({
  status: 503,
  headers: { ...always, "cache-control": "no-store", "content-type": "text/html; charset=utf-8" },
  body: notBuilt
})

/**
 * What answers requests that are the console's, and says null for all others. `files` are null while it is not built;
 * `always` are the headers of every answer.
 */
export const consoleAnswer =
  <File extends ConsoleFact>(files: () => ConsoleFacts<File> | null, always: Headers) =>
  (asked: ConsoleQuestion): ConsoleAnswer<File> | null => {
    const { header, method, url } = asked
    if (method !== "GET" && method !== "HEAD") return null
    const [path = "/"] = url.split("?", 1)
    const isFile = path.startsWith(filePrefix)
    if (!isFile && (notScreens.test(url) || !names(header("accept"), "text/html"))) return null
    const found = files()
    if (!isFile) {
      if (found === null) return unbuilt(always)
      return sent(asked, found.page, { ...always, "cache-control": "no-cache", vary: "accept, accept-encoding" })
    }
    const file = found?.named(path.slice(filePrefix.length)) ?? null
    if (file === null) return missing(always)
    const caching = { "cache-control": "public, max-age=31536000, immutable", vary: "accept-encoding" }
    return sent(asked, file, { ...always, ...caching })
  }
