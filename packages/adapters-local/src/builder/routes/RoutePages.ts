/** The paths of an app's static pages, as the router serves them by the app's settings. */
import { resolve } from "@pawl/router/AssetPath"
import { firstOf, redirectFor, redirectsOf } from "@pawl/router/AssetRules"
import type { SourceFiles } from "@pawl/core/release/RouteReader"
import { splitTree } from "../assets/AppAssets.ts"
import type { AppSettings } from "../settings/AppSettings.ts"
import { isStatic } from "./StaticPath.ts"

/** Where a page may be: `/a/index.html` at `/a/`, `/a` or as it is named. */
const placesOf = (file: string): ReadonlyArray<string> => {
  const bare = file.slice(0, -".html".length)
  return file.endsWith("/index.html")
    ? [file.slice(0, -"index.html".length), file.slice(0, -"/index.html".length), file]
    : [bare, `${bare}/`, file]
}

/** Each page that is served to whoever asks for its path; none that the app's code is asked for first, or that a redirect hides. */
export const pageRoutes = (files: SourceFiles, { assets: settings }: AppSettings): ReadonlyArray<string> => {
  if (settings.directory === null) return []
  const { assets, redirects } = splitTree(files, settings)
  const served = new Set([...assets.keys()].map((name) => `/${name}`))
  const handling = { html: settings.htmlHandling, notFound: "none" as const }
  const moved = redirectsOf(redirects)
  const isShown = (path: string, file: string): boolean => {
    const found = path === "" ? null : resolve(served, handling, path)
    return found?._tag === "File" && found.file === file
  }
  const pages = [...served].filter((file) => file.endsWith(".html") && !file.endsWith("/404.html")).sort()
  return pages.flatMap((file) => {
    const path = placesOf(file).find((place) => isShown(place, file))
    if (path === undefined || !isStatic(path) || firstOf(settings.runWorkerFirst, path) === "app") return []
    return moved !== null && redirectFor(moved, path, "") !== null ? [] : [path]
  })
}
