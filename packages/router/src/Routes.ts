/** The router's decisions, pure: (host, path, method) and the pointer row give a page, a static file or the app. */
import { RouterLimits } from "./RouterLimits.ts"
import type { AppVersion } from "@pawl/core/app/AppRuntime"
import type { Bundle, RunWorkerFirst } from "@pawl/core/bundle/Bundle"
import type { Pointer } from "@pawl/core/model/Pointer"
import type { FoundPointer } from "@pawl/core/app/PointerSource"
import { decodePath, encodePath, type HtmlHandling, needsEscapes, type NotFoundHandling, resolve } from "./AssetPath.ts"
import {
  type Change,
  changeFor,
  firstOf,
  type HeaderRules,
  headerRulesOf,
  redirectFor,
  type Redirects,
  redirectsOf
} from "./AssetRules.ts"
import type { PageName } from "./Pages.ts"
import { SiteFile } from "./SiteFile.ts"

const reservedSegment = "__service"

/**
 * Whether a path lies under `/__service/`, however it is written: escapes, doubled slashes and dot segments
 * are read as any app could read them.
 */
export const isReserved = (pathname: string): boolean => {
  if (!pathname.includes("%") && !pathname.includes(reservedSegment)) return false
  let decoded = pathname
  try {
    decoded = decodeURIComponent(pathname)
  } catch {
    // Not UTF-8 as a whole; single escapes of ASCII still count.
    decoded = pathname.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  }
  const segments: Array<string> = []
  for (const segment of decoded.split(/[/\\]/)) {
    if (segment === "..") segments.pop()
    else if (segment !== "" && segment !== ".") segments.push(segment)
  }
  return segments[0] === reservedSegment
}

/** Production shares its id with nobody; previews and versions carry their channel, so data and isolates stay apart. */
const versionOf = (row: Pointer, commit: string, bundleKey: string, bundleDigest: string): AppVersion => ({
  id: row.channel === "production" ? `${row.projectId}@${commit}` : `${row.projectId}@${commit}#${row.channel}`,
  project: row.projectId,
  channel: row.channel,
  bundleKey,
  bundleDigest,
  incarnation: row.incarnation
})

/** What a pointer leads to: an app version, or the page that says why there is none. */
export type PointerRoute =
  | { readonly _tag: "Page"; readonly page: PageName }
  | { readonly _tag: "Version"; readonly version: AppVersion; readonly row: Pointer }

const read = (row: Pointer): PointerRoute => {
  if (row.status === "removed") return { _tag: "Page", page: "removed" }
  if (row.commit !== null && row.bundleKey !== null && row.bundleDigest !== null) {
    return { _tag: "Version", version: versionOf(row, row.commit, row.bundleKey, row.bundleDigest), row }
  }
  switch (row.status) {
    case "build_failed":
      return { _tag: "Page", page: "buildFailed" }
    case "limit_reached":
      return { _tag: "Page", page: "limitReached" }
    case "building":
    case "live":
      return { _tag: "Page", page: "building" }
  }
}

/** Rows are immutable, and one row answers many requests: each is read once, and its version is one object. */
const known = new WeakMap<Pointer, PointerRoute>()

/** What a pointer row shows. A row with a good bundle serves it in every state but removed. */
export const pointerRoute = (row: FoundPointer): PointerRoute => {
  if (row === null) return { _tag: "Page", page: "noApp" }
  if (row === "removed") return { _tag: "Page", page: "removed" }
  const before = known.get(row)
  if (before !== undefined) return before
  const route = read(row)
  known.set(row, route)
  return route
}

/** What the router keeps of a bundle: its files and settings, none of its code. */
export interface Site {
  /** By path, which begins with a slash. Nothing else of the object store is ever asked for. */
  readonly files: ReadonlyMap<string, SiteFile>
  /** Which paths a page answers: with `.html` or a slash, without, or both. */
  readonly html: HtmlHandling
  /** What a path without a file gets. */
  readonly notFound: NotFoundHandling
  /** Which paths ask the app before the files. */
  readonly runWorkerFirst: RunWorkerFirst
  /** The rules of `_redirects`; null without one. */
  readonly redirects: Redirects | null
  /** The rules of `_headers`; null without one. */
  readonly headers: HeaderRules | null
  /** Whether the version has code; false for files alone. */
  readonly hasWorker: boolean
  /** From this compatibility date on, a browser's navigation prefers the not-found file over the app. */
  readonly navigationPrefersFiles: boolean
  /** In bundles of ordinary size: what it takes of the room for bundles. */
  readonly weight: number
  /** What was found at paths with a file of their own: at most a few for each file. */
  readonly found: Map<string, FileRoute>
}

const lengthOf = ({ headers = [], manifest, redirects = [] }: Bundle["assets"]): number => {
  let length = 0
  for (const path in manifest) length += path.length
  for (const { from, to } of redirects) length += from.length + to.length
  for (const { path, set } of headers)
    for (const [name, value] of set) length += path.length + name.length + value.length
  return length
}

/** The files and rules of a bundle. `bundleKey` is where its `bundle.json` lies; its files lie beside it. */
export const siteOf = (bundle: Bundle, bundleKey: string): Site => {
  const { assets } = bundle
  const prefix = bundleKey.replace(/bundle\.json$/, "")
  return {
    files: new Map(
      Object.entries(assets.manifest).map(([path, entry]) => [`/${path}`, new SiteFile(prefix, `/${path}`, entry)])
    ),
    html: assets.htmlHandling,
    notFound: assets.notFoundHandling,
    runWorkerFirst: assets.runWorkerFirst,
    redirects: redirectsOf(assets.redirects),
    headers: headerRulesOf(assets.headers),
    hasWorker: bundle.mainModule !== null,
    navigationPrefersFiles: bundle.compatibilityDate >= "2025-04-01",
    weight: 1 + Math.floor(lengthOf(assets) / RouterLimits.routerBundleLength),
    found: new Map()
  }
}

/** A path that a file answers. */
export interface FileRoute {
  readonly _tag: "File"
  readonly file: SiteFile
  readonly status: 200 | 404
  /** What the app's header rules do to it. */
  readonly change: Change | null
}

/** What a path leads to in an app version. */
export type SiteRoute =
  | { readonly _tag: "App" }
  | FileRoute
  | { readonly _tag: "Move"; readonly to: string; readonly status: 301 | 302 | 303 | 307 | 308 }
  | { readonly _tag: "MethodNotAllowed" }
  /** `alone`: the app is not asked instead. */
  | { readonly _tag: "Nothing"; readonly alone?: true }

/** A request, as far as its route hangs on it. */
export interface PathRequest {
  readonly method: string
  /** As a URL has it: escaped, without dot segments. */
  readonly pathname: string
  /** With its `?`, or empty. */
  readonly search: string
  /** Without a port; only rules that name a host look at it. */
  readonly hostname: string
}

const app: SiteRoute = { _tag: "App" }
const nowhere: SiteRoute = { _tag: "Nothing" }
const notAllowed: SiteRoute = { _tag: "MethodNotAllowed" }

const isRead = (method: string): boolean => method === "GET" || method === "HEAD"

/** A file at its own path, or the way to the one path that it has: `/%61.txt` is at `/a.txt`. */
const resolvedRoute = (
  site: Site,
  request: PathRequest,
  pathname: string,
  notFound: NotFoundHandling
): SiteRoute | null => {
  if (site.files.size === 0) return null
  const found = isRead(request.method) ? site.found.get(pathname) : undefined
  if (found !== undefined) return found
  const path = decodePath(pathname)
  const resolved = path === null ? null : resolve(site.files, { html: site.html, notFound }, path)
  if (path === null || resolved === null) return null
  if (!isRead(request.method)) return notAllowed
  if (resolved._tag === "Move") return { _tag: "Move", to: `${encodePath(resolved.to)}${request.search}`, status: 307 }
  const { file, how, status } = resolved
  if (how === "own" && needsEscapes(pathname)) {
    const canonical = encodePath(path)
    if (canonical !== pathname) return { _tag: "Move", to: `${canonical}${request.search}`, status: 307 }
  }
  const change = site.headers === null ? null : changeFor(site.headers, request.pathname, request.hostname)
  const route: FileRoute = { _tag: "File", file: site.files.get(file)!, status, change }
  if (how === "own" && site.headers === null) site.found.set(pathname, route)
  return route
}

/** What the app's own redirects and files answer, as `env.ASSETS` sees it: the app is not asked. */
export const fileRoute = (site: Site, request: PathRequest, notFound: NotFoundHandling = site.notFound): SiteRoute => {
  const { pathname, search } = request
  const redirect = site.redirects === null ? null : redirectFor(site.redirects, pathname, search)
  if (redirect?._tag === "Redirect") return { _tag: "Move", to: redirect.to, status: redirect.status }
  if (redirect === null) return resolvedRoute(site, request, pathname, notFound) ?? nowhere
  // A path that was rewritten is the files' own: where there is none, the app is not asked either.
  return resolvedRoute(site, request, redirect.pathname, site.notFound) ?? { _tag: "Nothing", alone: true }
}

/** Files before the app, unless the app asked to go first. `navigates`: a browser opens a page (`Sec-Fetch-Mode`). */
export const siteRoute = (site: Site, request: PathRequest, navigates: boolean): SiteRoute => {
  if (!site.hasWorker) return fileRoute(site, request)
  const first = firstOf(site.runWorkerFirst, request.pathname)
  if (first === "app") return app
  if (first === "files alone") return fileRoute(site, request)
  const route = fileRoute(site, request, navigates && site.navigationPrefersFiles ? site.notFound : "none")
  return route._tag === "Nothing" && route.alone !== true ? app : route
}
