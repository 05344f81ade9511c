/**
 * The files of a layer, for one build: listed in `layer.json`, read when they are asked for, and bounded in all. A file is
 * read only where the list has it.
 */
import type { LayerManifest } from "../../packages/LayerManifest.ts"
import { fieldsOf, type PackageFields, type Tree } from "../bundler/TreePaths.ts"
import { textOf } from "@pawl/core/primitives/Utf8"

/** The layer's files. Paths that are asked for are real: `real` makes them so. */
export interface LayerTree extends Tree {
  /** A path with its links followed, as Node does. */
  readonly real: (path: string) => string
  /** The package.json of a folder. */
  readonly fields: (folder: string) => PackageFields | undefined
  /** The name in the registry of the package in a folder, whatever its own package.json says. */
  readonly nameAt: (folder: string) => string | undefined
  readonly bytes: (path: string) => Uint8Array | undefined
}

/** More of the packages is imported than one build may read. `names` are the biggest, with their bytes. */
export class PackagesTooBig extends Error {
  readonly names: ReadonlyArray<readonly [name: string, bytes: number]>
  constructor(names: ReadonlyArray<readonly [name: string, bytes: number]>) {
    super("packages over their bound")
    this.names = names
  }
}

/** A file of the packages is on its way: who asked for it asks again once it is there. */
export class FileComing extends Error {
  readonly there: Promise<void>
  constructor(there: Promise<void>) {
    super("a file is on its way")
    this.there = there
  }
}

/** What an answer is that asks for files: at once where all of them are there, else once they are. */
export const whenThere = <A>(answer: () => A): A | Promise<A> => {
  try {
    return answer()
  } catch (error) {
    if (!(error instanceof FileComing)) throw error
    return error.there.then(() => whenThere(answer))
  }
}

/** The name of the package that a file of some `node_modules` belongs to. */
export const packageOf = (path: string): string => {
  const inside = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length).split("/")
  return inside.slice(0, inside[0]?.startsWith("@") === true ? 2 : 1).join("/")
}

/** The biggest first, at most `count`. */
export const biggest = (
  sizes: ReadonlyMap<string, number>,
  count = 3
): ReadonlyArray<readonly [name: string, bytes: number]> =>
  [...sizes].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, count)

const maxLinks = 40

const linksFollowed = (links: ReadonlyMap<string, string>, path: string): string => {
  let now = path
  search: for (let hops = 0; hops < maxLinks; hops++) {
    for (let end = now.indexOf("/"); ; end = now.indexOf("/", end + 1)) {
      const target = links.get(end < 0 ? now : now.slice(0, end))
      if (target !== undefined) {
        now = end < 0 ? target : target + now.slice(end)
        continue search
      }
      if (end < 0) return now
    }
  }
  return now
}

/**
 * The tree of the files that a list names; `read` answers the bytes of one of them, or throws `FileComing`. What is read
 * beyond `maxBytes` throws `PackagesTooBig`.
 */
export const layerTree = (
  manifest: LayerManifest,
  read: (path: string) => Uint8Array | undefined,
  maxBytes: number
): LayerTree => {
  const files = new Set(manifest.files)
  const links = new Map(manifest.links.map(({ path, target }) => [path, target]))
  const names = new Map(manifest.packages.map(({ name, path }) => [linksFollowed(links, path), name]))
  const known = new Map<string, PackageFields | undefined>()
  const sizes = new Map<string, number>()
  const counted = new Set<string>()
  let total = 0
  const bytes = (path: string): Uint8Array | undefined => {
    const content = files.has(path) ? read(path) : undefined
    if (content === undefined || counted.has(path)) return content
    counted.add(path)
    total += content.byteLength
    const name = packageOf(path)
    sizes.set(name, (sizes.get(name) ?? 0) + content.byteLength)
    if (total > maxBytes) throw new PackagesTooBig(biggest(sizes))
    return content
  }
  const text = (path: string): string | undefined => {
    const content = bytes(path)
    return content === undefined ? undefined : textOf(content)
  }
  return {
    has: (path) => files.has(path),
    text,
    bytes,
    real: (path) => linksFollowed(links, path),
    nameAt: (path) => names.get(path),
    fields: (path) => {
      if (!known.has(path)) known.set(path, fieldsOf(text(`${path}/package.json`)))
      return known.get(path)
    }
  }
}
