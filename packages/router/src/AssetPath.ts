/**
 * Which file a path names, as Cloudflare's static assets decide it: by the app's `html_handling`, then by its
 * `not_found_handling`. Paths and files begin with a slash; only files of the manifest exist.
 */
import type { BundleAssets } from "@pawl/core/bundle/Bundle"

/** An app's `html_handling`. */
export type HtmlHandling = BundleAssets["htmlHandling"]
/** An app's `not_found_handling`. */
export type NotFoundHandling = BundleAssets["notFoundHandling"]
/** The files of a version, by path. */
export interface Files {
  has(path: string): boolean
}

/** What a path comes to: a file, or a redirect to the path that the file is shown at. */
export type Resolved =
  /** `how`: whether the file is at this path, or stands in for one that is not there. */
  | { readonly _tag: "File"; readonly file: string; readonly status: 200 | 404; readonly how: "own" | "instead" }
  | { readonly _tag: "Move"; readonly to: string }

/** Look for `file`: serve it right here, or send the visitor to where it is served, `to`. */
interface Step {
  readonly file: string
  readonly to?: string
}

const serve = (file: string): Step => ({ file })
const move = (file: string, to: string): Step => ({ file, to })

interface Shape {
  readonly kind: "index" | "index.html" | "folder" | "html" | "plain"
  /** The path without what its kind names, and without a slash at the end. */
  readonly base: string
}

const shapeOf = (path: string): Shape => {
  if (path.endsWith("/index")) return { kind: "index", base: path.slice(0, -6) }
  if (path.endsWith("/index.html")) return { kind: "index.html", base: path.slice(0, -11) }
  if (path.endsWith("/")) return { kind: "folder", base: path.slice(0, -1) }
  if (path.endsWith(".html")) return { kind: "html", base: path.slice(0, -5) }
  return { kind: "plain", base: path }
}

/** `/a.html` is at `/a`, `/a/index.html` at `/a/`. */
const auto = (path: string): ReadonlyArray<Step> => {
  const { base, kind } = shapeOf(path)
  const plain = [serve(path), serve(`${path}.html`), move(`${path}/index.html`, `${path}/`)]
  switch (kind) {
    case "index":
      return [serve(path), move(`${path}.html`, `${base}/`), move(`${base}.html`, base), ...plain]
    case "index.html":
      return [move(path, `${base}/`), move(`${base}.html`, base), ...plain]
    case "folder":
      return [serve(`${path}index.html`), move(`${base}.html`, base)]
    case "html":
      return [move(path, base), move(`${base}/index.html`, `${base}/`), ...plain]
    case "plain":
      return plain
  }
}

/** Both are at `/a/`. */
const force = (path: string): ReadonlyArray<Step> => {
  const { base, kind } = shapeOf(path)
  const plain = [serve(path), move(`${path}.html`, `${path}/`), move(`${path}/index.html`, `${path}/`)]
  switch (kind) {
    case "index":
      return [serve(path), move(`${path}.html`, `${base}/`), move(`${base}.html`, `${base}/`), ...plain]
    case "index.html":
      return [move(path, `${base}/`), move(`${base}.html`, `${base}/`), ...plain]
    case "folder":
      return [serve(`${path}index.html`), serve(`${base}.html`)]
    case "html":
      return [move(path, `${base}/`), serve(path), move(`${base}/index.html`, `${base}/`), ...plain]
    case "plain":
      return plain
  }
}

/** Both are at `/a`; only the root keeps its slash. */
const drop = (path: string): ReadonlyArray<Step> => {
  const { base, kind } = shapeOf(path)
  const plain = [serve(path), serve(`${path}.html`), serve(`${path}/index.html`)]
  const root = base === ""
  switch (kind) {
    case "index":
      return root
        ? [serve(path), move("/index.html", "/"), ...plain]
        : [serve(path), move(`${base}.html`, base), move(`${path}.html`, base), ...plain]
    case "index.html":
      return root ? [move(path, "/"), ...plain] : [move(path, base), serve(path), move(`${base}.html`, base), ...plain]
    case "folder":
      return root ? [serve("/index.html")] : [move(`${base}.html`, base), move(`${base}/index.html`, base)]
    case "html":
      return [move(path, base), move(`${base}/index.html`, base), ...plain]
    case "plain":
      return plain
  }
}

const steps: Record<HtmlHandling, (path: string) => ReadonlyArray<Step>> = {
  "auto-trailing-slash": auto,
  "force-trailing-slash": force,
  "drop-trailing-slash": drop,
  none: (path) => [serve(path)]
}

/** The file that a path shows without sending the visitor elsewhere. */
const shownAt = (files: Files, handling: HtmlHandling, path: string): string | undefined =>
  steps[handling](path).find((step) => step.to === undefined && files.has(step.file))?.file

const notFound = (files: Files, handling: NotFoundHandling, path: string): Resolved | null => {
  if (handling === "single-page-application" && files.has("/index.html"))
    return { _tag: "File", file: "/index.html", status: 200, how: "instead" }
  if (handling !== "404-page") return null
  for (let folder = path; folder !== "";) {
    folder = folder.slice(0, folder.lastIndexOf("/"))
    if (files.has(`${folder}/404.html`))
      return { _tag: "File", file: `${folder}/404.html`, status: 404, how: "instead" }
  }
  return null
}

/** What a path names, or `null`. A visitor is only sent towards a file that is there: there are no loops. */
export const resolve = (
  files: Files,
  handling: { readonly html: HtmlHandling; readonly notFound: NotFoundHandling },
  path: string
): Resolved | null => {
  for (const { file, to } of steps[handling.html](path)) {
    if (!files.has(file)) continue
    if (to === undefined) return { _tag: "File", file, status: 200, how: "own" }
    // A file named `.html` would be at `//`, which is another host.
    if (to !== "" && !to.includes("//") && !files.has(to) && shownAt(files, handling.html, to) === file)
      return { _tag: "Move", to }
  }
  return notFound(files, handling.notFound, path)
}

/**
 * The path of a URL, each segment decoded once; `null` when that is no path of a file: bad escapes,
 * an escaped slash, a backslash, a control character, an empty segment inside, `.` or `..`.
 */
export const decodePath = (pathname: string): string | null => {
  if (!pathname.startsWith("/")) return null
  const segments: Array<string> = []
  const encoded = pathname.slice(1).split("/")
  for (const [index, segment] of encoded.entries()) {
    let decoded: string
    try {
      decoded = segment.includes("%") ? decodeURIComponent(segment) : segment
    } catch {
      return null
    }
    // eslint-disable-next-line no-control-regex -- control characters are what is looked for
    if (decoded === "." || decoded === ".." || /[/\\\u0000-\u001f\u007f]/.test(decoded)) return null
    if (decoded === "" && index < encoded.length - 1) return null
    segments.push(decoded)
  }
  return `/${segments.join("/")}`
}

/** Whether a path may be written in another way than `encodePath` writes it. */
export const needsEscapes = (pathname: string): boolean => /[^\w/.~!'()*-]/.test(pathname)

/** A path as a URL has it: each segment escaped by itself. */
export const encodePath = (path: string): string => path.split("/").map(encodeURIComponent).join("/")
