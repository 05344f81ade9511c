/** The router's decisions, pure: (host, path, method) and the pointer row give a page, a static file or the app. */
import type { AppVersion } from "@pawl/core/app/AppRuntime"
import { type Bundle, type AssetEntry } from "@pawl/core/app/Bundle"
import { type AppHost, hostFor, parseHost } from "@pawl/core/app/HostLabel"
import type { Pointer } from "@pawl/core/app/Pointer"
import type { FoundPointer } from "@pawl/core/app/Routing"
import { decodePath, encodePath, type HtmlHandling, type NotFoundHandling, resolve } from "./AssetPath.ts"
import type { PageName } from "./Pages.ts"

export const reservedSegment = "__service"

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

export type HostRoute =
  | { readonly _tag: "Apex" }
  | { readonly _tag: "Nobody" }
  | { readonly _tag: "App"; readonly app: AppHost; readonly host: string }

/** Whose host this is. `host` is the name as the router writes it, with the port that was asked for. */
export const hostRoute = (host: string, appsDomain: string): HostRoute => {
  const parsed = parseHost(host, appsDomain)
  if (parsed === "apex") return { _tag: "Apex" }
  if (parsed === null || parsed === undefined) return { _tag: "Nobody" }
  const name = hostFor(parsed.label, parsed.channel, appsDomain.toLowerCase().replace(/:\d*$/, ""))
  return { _tag: "App", app: parsed, host: `${name}${/:\d{1,5}$/.exec(host)?.[0] ?? ""}` }
}

/** Production shares its id with nobody; previews and versions carry their channel, so data and isolates stay apart. */
const versionOf = (row: Pointer, commit: string, bundleKey: string, bundleDigest: string): AppVersion => ({
  id: row.channel === "production" ? `${row.project_id}@${commit}` : `${row.project_id}@${commit}#${row.channel}`,
  project: row.project_id,
  channel: row.channel,
  bundleKey,
  bundleDigest
})

export type PointerRoute =
  | { readonly _tag: "Page"; readonly page: PageName }
  | { readonly _tag: "Version"; readonly version: AppVersion }

/** What a pointer row shows. A row with a good bundle serves it in every state but removed. */
export const pointerRoute = (row: FoundPointer): PointerRoute => {
  if (row === null) return { _tag: "Page", page: "noApp" }
  if (row === "removed" || row.status === "removed") return { _tag: "Page", page: "removed" }
  if (row.commit !== null && row.bundle_key !== null && row.bundle_digest !== null) {
    return { _tag: "Version", version: versionOf(row, row.commit, row.bundle_key, row.bundle_digest) }
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

/** What the router keeps of a bundle: its files and settings, none of its code. */
export interface Site {
  /** Ends with a slash. */
  readonly prefix: string
  readonly files: ReadonlyMap<string, AssetEntry>
  readonly html: HtmlHandling
  readonly notFound: NotFoundHandling
  readonly runWorkerFirst: boolean
  readonly hasWorker: boolean
  /** From this compatibility date on, a browser's navigation prefers the not-found file over the app. */
  readonly navigationPrefersFiles: boolean
}

export const siteOf = (bundle: Bundle, bundleKey: string): Site => ({
  prefix: bundleKey.replace(/bundle\.json$/, ""),
  files: new Map(Object.entries(bundle.assets.manifest).map(([path, entry]) => [`/${path}`, entry])),
  html: bundle.assets.htmlHandling,
  notFound: bundle.assets.notFoundHandling,
  runWorkerFirst: bundle.assets.runWorkerFirst,
  hasWorker: bundle.mainModule !== null,
  navigationPrefersFiles: bundle.compatibilityDate >= "2025-04-01"
})

export type SiteRoute =
  | { readonly _tag: "App" }
  | { readonly _tag: "File"; readonly file: string; readonly entry: AssetEntry; readonly status: 200 | 404 }
  | { readonly _tag: "Move"; readonly to: string }
  | { readonly _tag: "MethodNotAllowed" }
  | { readonly _tag: "Nothing" }

export interface PathRequest {
  readonly method: string
  readonly pathname: string
  /** With its `?`, or empty. */
  readonly search: string
}

/** What the app's own files answer, as `env.ASSETS` sees it: the app is not asked. */
export const fileRoute = (site: Site, request: PathRequest, notFound: NotFoundHandling = site.notFound): SiteRoute => {
  const path = site.files.size === 0 ? null : decodePath(request.pathname)
  const resolved = path === null ? null : resolve(site.files, { html: site.html, notFound }, path)
  if (resolved === null) return { _tag: "Nothing" }
  if (request.method !== "GET" && request.method !== "HEAD") return { _tag: "MethodNotAllowed" }
  if (resolved._tag === "Move") return { _tag: "Move", to: `${encodePath(resolved.to)}${request.search}` }
  return { _tag: "File", file: resolved.file, entry: site.files.get(resolved.file)!, status: resolved.status }
}

/** Files before the app, unless the app asked to go first. `navigates`: a browser opens a page (`Sec-Fetch-Mode`). */
export const siteRoute = (site: Site, request: PathRequest, navigates: boolean): SiteRoute => {
  if (!site.hasWorker) return fileRoute(site, request)
  if (site.runWorkerFirst) return { _tag: "App" }
  const route = fileRoute(site, request, navigates && site.navigationPrefersFiles ? site.notFound : "none")
  return route._tag === "Nothing" ? { _tag: "App" } : route
}
