/** Layers of packages, made by hand: what a store of packages leaves on the disk. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import type { LayerManifest } from "@pawl/adapters-local/packages/LayerManifest"
import { layerManifestName } from "@pawl/adapters-local/packages/LayerNames"
import type { LayeredPackage, PackageLayer } from "@pawl/core/packages/PackageStore"

/** What is in a layer: files below `node_modules`, and links between folders there. */
export interface LayerFiles {
  readonly files: Readonly<Record<string, string | Uint8Array>>
  readonly links?: Readonly<Record<string, string>>
  /** Names in the registry, by path, where they differ from the last part of the path. */
  readonly names?: Readonly<Record<string, string>>
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)

/** A folder of layers, which goes with `remove`. */
export const makeLayers = () => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-layers-"))
  let count = 0
  const make = ({ files, links = {}, names = {} }: LayerFiles): PackageLayer => {
    const id = `layer${count++}`
    const root = join(folder, id)
    const put = (path: string, content: string | Uint8Array) => {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), content)
    }
    const paths = Object.keys(files).map((path) => `node_modules/${path}`)
    for (const [path, content] of Object.entries(files)) put(`node_modules/${path}`, content)
    for (const [path, target] of Object.entries(links)) {
      mkdirSync(dirname(join(root, "node_modules", path)), { recursive: true })
      symlinkSync(relative(dirname(path), target), join(root, "node_modules", path))
    }
    const packages = paths
      .filter((path) => /node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(path))
      .map((path): LayeredPackage => {
        const at = path.slice(0, -"/package.json".length)
        const name = names[at.slice("node_modules/".length)] ?? nameOf(at)
        return { path: at, name, version: "1.0.0", integrity: "sha512-AA==", dev: false, license: "MIT", scripts: [] }
      })
    const manifest: LayerManifest = {
      packages,
      links: Object.entries(links).map(([path, target]) => ({
        path: `node_modules/${path}`,
        target: `node_modules/${target}`
      })),
      files: paths.sort()
    }
    put(layerManifestName, JSON.stringify(manifest))
    return { id, packages }
  }
  return { folder, make, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
