/** Where the vendored packages lie on this machine, and their files as a tree of their own. */
import { readdirSync, readFileSync, realpathSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, relative, sep } from "node:path"
import { vendoredFolder, vendoredPackages } from "./VendoredPackages.ts"
import { vendoredTree, type VendoredTree } from "./VendoredTree.ts"

/** The package's own folder. Not every package exports its package.json, so that it is looked for upwards. */
const folderOf = (name: string): string | null => {
  const from = createRequire(import.meta.url)
  for (const folder of from.resolve.paths(name) ?? []) {
    try {
      return dirname(realpathSync(join(folder, name, "package.json")))
    } catch {
      // Not in this node_modules.
    }
  }
  return null
}

/** Folder by name of the package, of those that are installed. */
export const vendoredFolders = (): ReadonlyMap<string, string> =>
  new Map(
    vendoredPackages.flatMap(({ name }) => {
      const folder = folderOf(name)
      return folder === null ? [] : [[name, folder] as const]
    })
  )

/** The packages' files on this machine. */
export interface VendoredFiles extends VendoredTree {
  /** All that there are. */
  readonly paths: () => ReadonlyArray<string>
}

/** Regular files of the packages' folders alone: no link is followed. Listed when first asked for. */
export const vendoredFiles = (): VendoredFiles => {
  let listed: ReadonlyMap<string, string> | null = null
  const files = (): ReadonlyMap<string, string> => (listed ??= list())
  const bytes = (path: string): Uint8Array | undefined => {
    const place = files().get(path)
    return place === undefined ? undefined : readFileSync(place)
  }
  return { ...vendoredTree({ has: (path) => files().has(path), bytes }), paths: () => [...files().keys()] }
}

const list = (): ReadonlyMap<string, string> => {
  const files = new Map<string, string>()
  for (const [name, folder] of vendoredFolders())
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const place = join(entry.parentPath, entry.name)
      const inside = relative(folder, place).split(sep).join("/")
      if (entry.isFile() && !inside.startsWith("node_modules/")) files.set(`${vendoredFolder(name)}/${inside}`, place)
    }
  return files
}
