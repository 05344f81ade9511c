/**
 * Source maps as they are kept: only paths of the source and of packages, no texts, and no more than a bound. Whoever wrote
 * a map is a stranger: nothing of it is believed but that its mappings are a text.
 */
import { folderOf, join, plain } from "../bundler/TreePaths.ts"
import { LocalLimits } from "../../LocalLimits.ts"

/** A map of version 3. A source that is not of the app is null: what came from there stays without a place. */
export interface CleanMap {
  readonly version: 3
  readonly sources: ReadonlyArray<string | null>
  readonly names: ReadonlyArray<string>
  readonly mappings: string
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const mappingsOnly = /^[A-Za-z0-9+/,;]*$/
/** How esbuild writes the files that a plugin gave it. */
const namespaces = /^(?:app|package|vendored):/

/**
 * A map whose sources are relative to `folder`, a path of the tree; null for what is no such map, or is over the bounds.
 * `isKnown` tells the files of the source.
 */
const cleanMap = (json: unknown, folder: string, isKnown: (path: string) => boolean): CleanMap | null => {
  if (!isMap(json) || json["version"] !== 3) return null
  const { mappings, names, sourceRoot, sources } = json
  if (typeof mappings !== "string" || !Array.isArray(sources) || sources.length > LocalLimits.buildMapSources)
    return null
  if (mappings.length > LocalLimits.buildMapBytes || !mappingsOnly.test(mappings)) return null
  const root = typeof sourceRoot === "string" ? sourceRoot : ""
  const clean = (source: unknown): string | null => {
    if (typeof source !== "string" || source.length > LocalLimits.buildMapSourceLength) return null
    const own = source.replace(namespaces, "")
    const path = plain(own === source ? join(folder, join(root, source)) : own)
    if (path === undefined || /\p{Cc}/u.test(path) || /^[a-z][a-z0-9+.-]*:/i.test(own) || own.startsWith("/"))
      return null
    const at = path.lastIndexOf("node_modules/")
    return isKnown(path) ? path : at >= 0 && !path.endsWith("/") ? path.slice(path.indexOf("node_modules/")) : null
  }
  // A name that is no text would shift those behind it.
  const kept = Array.isArray(names) && names.every((name) => typeof name === "string") ? names : []
  return { version: 3, sources: sources.map(clean), names: kept.slice(0, LocalLimits.buildMapSources), mappings }
}

/** The map of a text of JSON, as `cleanMap`. */
export const readMap = (text: string | undefined, folder: string, isKnown: (path: string) => boolean) => {
  if (text === undefined || text.length > LocalLimits.buildMapBytes) return null
  try {
    return cleanMap(JSON.parse(text), folder, isKnown)
  } catch {
    return null
  }
}

/** Code with a map at its end, in the way that the bundler reads. */
export const withMap = (code: string, map: CleanMap): string =>
  `${code}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString("base64")}\n`

/** The file of a map, beside the code it is about. */
export const mapFile = (path: string): string => `${path}.map`

/** Where the map of a file lies, by the comment at its end; null for none, and for one that is in the comment itself. */
export const namedMap = (path: string, code: string): string | null => {
  const end = code.slice(-LocalLimits.buildMapSourceLength)
  const name = /[#@]\s?sourceMappingURL=([^\s'"*]+)\s*(?:\*\/)?\s*$/.exec(end)?.[1]
  if (name === undefined || name.startsWith("data:")) return null
  return plain(join(folderOf(path), name)) ?? null
}
