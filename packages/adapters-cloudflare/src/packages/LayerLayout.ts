/** Which files stand at which place of a layer that is kept as objects. Every path was judged when the lock was read. */
import { type LaidPackage, layered, standing } from "@pawl/adapters-local/packages/LayerParts"
import { digestName } from "@pawl/adapters-local/packages/UnpackedFacts"
import type { OrderedPackage } from "@pawl/adapters-local/packages/InstallMessages"
import type { PackageLink } from "@pawl/core/packages/PackageLock"
import type { KeptFacts, KeptLayer } from "./KeptPackages.ts"

/** A layer, or the package that cannot stand where it should, because another's files are in its way. */
export type LaidOut = { readonly layer: KeptLayer } | { readonly clash: OrderedPackage }

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")))

/** Files and folders as they would stand on a disk. */
class Places {
  readonly #files = new Set<string>()
  readonly #folders = new Set<string>()

  /** False where a file stands in the way. */
  folder(path: string): boolean {
    for (let at = path; at !== "" && !this.#folders.has(at); at = folderOf(at)) {
      if (this.#files.has(at)) return false
      this.#folders.add(at)
    }
    return true
  }

  /** False where anything stands there, or a file stands in the way. */
  file(path: string): boolean {
    if (!this.folder(folderOf(path)) || this.#files.has(path) || this.#folders.has(path)) return false
    this.#files.add(path)
    return true
  }
}

/** Where the files of a package begin in its object, by their names. */
const offsetsOf = ({ facts, lengths }: KeptFacts): ReadonlyMap<string, readonly [offset: number, length: number]> => {
  let offset = 0
  return new Map(
    facts.files.map((name, at) => {
      const length = lengths[at] ?? 0
      const begin = offset
      offset += length
      return [name, [begin, length]] as const
    })
  )
}

/** Lays out packages, by path; `kept` knows the object of each, by its digest. */
export const laidOut = (
  placed: ReadonlyArray<LaidPackage>,
  links: ReadonlyArray<PackageLink>,
  kept: ReadonlyMap<string, KeptFacts>
): LaidOut => {
  const places = new Set(placed.map(({ ordered }) => ordered.path))
  const disk = new Places()
  const contents: Array<KeptLayer["contents"][number]> = []
  for (const each of placed) {
    const { ordered } = each
    const digest = digestName(ordered.integrity)
    const own = kept.get(digest)
    if (own === undefined) throw new Error("a package of the layer is not known")
    const offsets = offsetsOf(own)
    const names = standing(each, places)
    if (!disk.folder(ordered.path) || !names.every((name) => disk.file(`${ordered.path}/${name}`)))
      return { clash: ordered }
    const files = names.map((name) => [name, ...(offsets.get(name) ?? ([0, 0] as const))] as const)
    contents.push({ path: ordered.path, digest, sha256: own.sha256, files })
  }
  return { layer: { packages: placed.map(layered), links: links.filter(({ target }) => places.has(target)), contents } }
}
