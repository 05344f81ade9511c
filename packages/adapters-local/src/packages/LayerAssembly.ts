/** Lays unpacked packages out as one `node_modules`, by hard links. Every path was judged when the lock was read. */
import { copyFileSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import type { PackageLink } from "@pawl/core/packages/PackageLock"
import { cacheFolders } from "./CacheFolders.ts"
import type { LayerFile } from "./LayerFile.ts"
import { layerManifestName } from "./LayerNames.ts"
import { type LaidPackage, layered, standing } from "./LayerParts.ts"
import { contentFolder } from "./UnpackedFolder.ts"

/** A package at its place, with where its files lie. */
export interface PlacedPackage extends LaidPackage {
  /** The folder of `writeUnpacked`. */
  readonly folder: string
}

/** What is laid out, and where to. */
export interface Assembly {
  readonly folder: string
  /** By path. */
  readonly placed: ReadonlyArray<PlacedPackage>
  readonly links: ReadonlyArray<PackageLink>
  readonly direct: ReadonlySet<string>
  readonly boot: string
}

/** A package cannot stand where it should, because another's files are in its way. */
export class Clash extends Error {
  readonly placed: PlacedPackage
  constructor(placed: PlacedPackage) {
    super("files in the way")
    this.placed = placed
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined)

/** A file system allows so many links to a file, or none across its borders: then it is a copy. */
const linkOrCopy = (from: string, to: string): void => {
  try {
    linkSync(from, to)
  } catch (error) {
    if (!["EMLINK", "EXDEV", "EPERM"].includes(String(codeOf(error)))) throw error
    copyFileSync(from, to)
  }
}

class Folders {
  readonly #made = new Set<string>()
  make(path: string): void {
    if (this.#made.has(path)) return
    mkdirSync(path, { recursive: true })
    this.#made.add(path)
  }
}

const symlink = (folders: Folders, root: string, path: string, target: string): void => {
  const place = join(root, path)
  folders.make(dirname(place))
  symlinkSync(relative(dirname(place), join(root, target)), place)
}

interface Program {
  readonly path: string
  readonly target: string
}

const atRoot = /^node_modules\/(?:@[^/]+\/)?[^./][^/]*$/

/** Programs by their place in `.bin`: of one name, that of a direct dependency, else the first by path. */
const programs = ({ direct, links, placed }: Assembly): ReadonlyArray<Program> => {
  const found = new Map<string, Program & { readonly rank: number }>()
  const seen = new Map(links.flatMap(({ path, target }) => (atRoot.test(path) ? [[target, path]] : [])))
  for (const { facts, ordered } of placed) {
    // Under pnpm a program is found where a direct dependency is linked to.
    const path = seen.get(ordered.path) ?? ordered.path
    const start = path.lastIndexOf("node_modules/") + "node_modules/".length
    if (path.startsWith("node_modules/.pnpm/")) continue
    const rank = start === "node_modules/".length && direct.has(path.slice(start)) ? 0 : 1
    for (const { name, target } of facts.programs) {
      const place = `${path.slice(0, start)}.bin/${name}`
      const other = found.get(place)
      if (other === undefined || rank < other.rank) found.set(place, { path: place, target: `${path}/${target}`, rank })
    }
  }
  return [...found.values()]
}

const layPackage = (root: string, each: PlacedPackage, files: ReadonlyArray<string>, folders: Folders): void => {
  try {
    folders.make(join(root, each.ordered.path))
    for (const file of files) {
      const place = join(root, each.ordered.path, file)
      folders.make(dirname(place))
      linkOrCopy(join(each.folder, contentFolder, file), place)
    }
  } catch (error) {
    throw ["EEXIST", "ENOTDIR", "EISDIR"].includes(String(codeOf(error))) ? new Clash(each) : error
  }
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Makes the layer in a folder that is not there yet. Throws `Clash`, or what the disk says. */
export const assemble = (assembly: Assembly): void => {
  const { folder, placed } = assembly
  const folders = new Folders()
  const places = new Set(placed.map(({ ordered }) => ordered.path))
  const there = (path: string) => places.has(path)
  const links = assembly.links.filter(({ target }) => there(target))
  const files: Array<string> = []
  for (const name of cacheFolders) folders.make(join(folder, "node_modules", name))
  for (const each of placed) {
    const own = standing(each, places)
    layPackage(folder, each, own, folders)
    for (const file of own) files.push(`${each.ordered.path}/${file}`)
  }
  for (const { path, target } of links) symlink(folders, folder, path, target)
  for (const { path, target } of programs({ ...assembly, links })) symlink(folders, folder, path, target)
  const written: LayerFile = {
    packages: placed.map(layered),
    links: links.toSorted((a, b) => byText(a.path, b.path)),
    files: files.sort(byText),
    boot: assembly.boot,
    bytes: placed.reduce((sum, { facts }) => sum + facts.bytes, 0)
  }
  writeFileSync(join(folder, layerManifestName), JSON.stringify(written))
}
