/** Where the vendored packages lie on this machine, and their files as a tree of their own. */
import { readdirSync, readFileSync, realpathSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, relative, sep } from "node:path"
import type { Tree } from "../bundler/TreePaths.ts"
import { vendoredFolder, vendoredPackages } from "./VendoredPackages.ts"
import { textOf } from "@pawl/core/primitives/Utf8"

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

/** The files below the vendored packages' folders, as bytes too. */
export interface VendoredTree extends Tree {
  readonly bytes: (path: string) => Uint8Array | undefined
}

/** Regular files of the packages' folders alone: no link is followed. Listed when first asked for. */
export const vendoredTree = (): VendoredTree => {
  let listed: ReadonlyMap<string, string> | null = null
  const files = (): ReadonlyMap<string, string> => (listed ??= list())
  const bytes = (path: string): Uint8Array | undefined => {
    const place = files().get(path)
    return place === undefined ? undefined : readFileSync(place)
  }
  return {
    has: (path) => files().has(path),
    text: (path) => {
      const content = bytes(path)
      return content === undefined ? undefined : textOf(content)
    },
    bytes
  }
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
