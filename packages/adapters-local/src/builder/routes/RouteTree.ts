/**
 * The paths at which the code of an app answers GET: what its files name, from its main module on through its imports,
 * and routers put together as they are mounted.
 */
import { fileRoutes, type FileRoutes } from "./RouteCode.ts"
import type { RouteAnswer, RouteBounds, RouteOrder } from "./RouteMessages.ts"
import { isStatic } from "./StaticPath.ts"
import { resolve } from "../bundler/TreeResolver.ts"
import { textOf } from "@pawl/core/primitives/Utf8"

type Files = ReadonlyMap<string, FileRoutes>

const isCode = (path: string): boolean => /\.[cm]?[jt]sx?$/.test(path) && !/(?:^|\/)node_modules\//.test(path)

interface Source {
  readonly texts: ReadonlyMap<string, Uint8Array>
  readonly resolved: (importer: string, specifier: string) => string | null
}

const sourceOf = (texts: ReadonlyMap<string, Uint8Array>): Source => {
  const tree = {
    has: (path: string) => texts.has(path),
    text: (path: string) => {
      const content = texts.get(path)
      return content === undefined ? undefined : textOf(content)
    }
  }
  return {
    texts,
    resolved: (importer, specifier) => {
      const found = resolve(tree, { specifier, importer, kind: "import", flags: [] })
      return found._tag === "File" && isCode(found.path) ? found.path : null
    }
  }
}

/** The files that the main module reaches, itself first. */
const reached = (main: string, source: Source, bounds: RouteBounds): Files => {
  const files = new Map<string, FileRoutes>()
  const open = [main]
  const seen = new Set(open)
  for (let path = open.shift(); path !== undefined && files.size < bounds.files; path = open.shift()) {
    const text = textOf(source.texts.get(path) ?? new Uint8Array())
    const read = text.length > bounds.parseCharacters ? null : fileRoutes(path, text)
    if (read === null) continue
    files.set(path, read)
    for (const specifier of read.names.specifiers) {
      const next = source.resolved(path, specifier)
      if (next === null || seen.has(next)) continue
      seen.add(next)
      open.push(next)
    }
  }
  return files
}

/** A router, by its file and its name there. */
const keyOf = (path: string, name: string): string => `${path}\n${name}`

/** Names that are passed on from file to file are followed this far, and so are routers mounted in each other. */
const steps = 8

/** The routers that a name of a file stands for. */
const routersOf = (files: Files, source: Source, path: string, name: string, left = steps): ReadonlyArray<string> => {
  const file = files.get(path)
  if (file === undefined || left === 0) return []
  if (file.names.routers.has(name)) return [keyOf(path, name)]
  const imported = file.names.imports.get(name)
  return imported === undefined ? [] : exportedBy(files, source, { path, ...imported }, left - 1)
}

const exportedBy = (
  files: Files,
  source: Source,
  from: { readonly path: string; readonly specifier: string; readonly name: string },
  left: number
): ReadonlyArray<string> => {
  const path = source.resolved(from.path, from.specifier)
  const file = path === null ? undefined : files.get(path)
  if (path === null || file === undefined || left === 0) return []
  const passed = file.names.passedOn.get(from.name)
  if (passed !== undefined) return exportedBy(files, source, { path, ...passed }, left - 1)
  const local = file.names.exports.get(from.name)
  const known = local === undefined ? [] : routersOf(files, source, path, local, left - 1)
  // A function that makes a router, or a namespace: then it may be any of the file's.
  return known.length > 0 ? known : [...file.names.routers.keys()].map((name) => keyOf(path, name))
}

/** By router: where it is mounted. A prefix that is not known is null. */
const mountsOf = (files: Files, source: Source) => {
  const mounts = new Map<string, Array<{ readonly into: string; readonly prefix: string | null }>>()
  for (const [path, file] of files)
    for (const { into, prefix, target } of file.mounts)
      for (const router of routersOf(files, source, path, target)) {
        const there = mounts.get(router) ?? []
        there.push({ into: routersOf(files, source, path, into)[0] ?? keyOf(path, into), prefix })
        mounts.set(router, there)
      }
  return mounts
}

const joined = (prefix: string, path: string): string =>
  path === "/" && prefix !== "" ? prefix : `${prefix}${path}`.replace(/\/{2,}/g, "/")

/** The static paths at which the app answers GET, in the order of its source; each once. */
const codeRoutes = (
  main: string,
  texts: ReadonlyMap<string, Uint8Array>,
  bounds: RouteBounds
): ReadonlyArray<string> => {
  const source = sourceOf(texts)
  const files = reached(main, source, bounds)
  const mounts = mountsOf(files, source)
  const prefixes = (router: string, left = steps): ReadonlyArray<string> => {
    if (left === 0) return []
    const [path = "", name = ""] = router.split("\n")
    const known = files.get(path)?.names.routers.get(name)
    const base = known?.base ?? ""
    const above =
      known?.parent === null || known?.parent === undefined
        ? mounts
            .get(router)
            ?.flatMap(({ into, prefix }) =>
              prefix === null ? [] : prefixes(into, left - 1).map((each) => joined(each, prefix === "" ? "/" : prefix))
            )
        : prefixes(keyOf(path, known.parent), left - 1)
    return (above ?? [""]).map((each) => `${each === "/" ? "" : each}${base}`)
  }
  const found = new Set<string>()
  for (const [path, file] of files)
    for (const { path: route, router } of file.routes)
      for (const prefix of router === null
        ? [""]
        : prefixes(routersOf(files, source, path, router)[0] ?? keyOf(path, router))) {
        const whole = joined(prefix, route)
        if (isStatic(whole)) found.add(whole)
      }
  return [...found]
}

/** The paths of each tree of an order. */
export const routesOf = ({ bounds, trees }: RouteOrder): RouteAnswer =>
  trees.map(({ files, main }) => (main === null ? [] : codeRoutes(main, files, bounds)))
