/**
 * What runs inside the Worker of one build: esbuild as WebAssembly, with our own plugin. It has no network and no binding,
 * and is dropped after its one order. `deploy/Bundler.ts` makes one module of it, beside
 * which lie the wasm and the packages that come along.
 */
import { build, initialize, stop } from "esbuild-wasm/esm/browser.js"
import { makeWork } from "@pawl/adapters-local/builder/bundler/BundlerWork"
import type { BundlerAnswer, BundlerOrder } from "@pawl/adapters-local/builder/bundler/BundlerMessages"
import type { BundlerTools } from "@pawl/adapters-local/builder/bundler/BundlerTools"
import { FileComing, type LayerTree, layerTree } from "@pawl/adapters-local/builder/layer/LayerTree"
import { vendoredTree } from "@pawl/adapters-local/builder/vendored/VendoredTree"
import { utf8 } from "@pawl/core/primitives/Digest"
import type { GivenLayer } from "../packages/LayerReads.ts"

const packagesOf = (texts: Readonly<Record<string, string>>) => {
  const files = new Map(Object.entries(texts))
  return vendoredTree({
    has: (path) => files.has(path),
    bytes: (path) => {
      const text = files.get(path)
      return text === undefined ? undefined : utf8(text)
    }
  })
}

/** The packages of a lock file, whose files come when they are asked for. */
const layerFrom = ({ manifest, read }: GivenLayer, maxBytes: number): LayerTree => {
  const files = new Map<string, Uint8Array>()
  const coming = new Map<string, Promise<void>>()
  const bring = async (path: string): Promise<void> => {
    for (const [each, bytes] of await read(path)) files.set(each, bytes)
    if (!files.has(path)) throw new Error("a file of a package did not come")
  }
  return layerTree(
    manifest,
    (path) => {
      const bytes = files.get(path)
      if (bytes !== undefined) return bytes
      const there = coming.get(path) ?? bring(path)
      coming.set(path, there)
      throw new FileComing(there)
    },
    maxBytes
  )
}

/**
 * Does the one order of this Worker, with esbuild's wasm and the texts of the packages that come along, by path. `layer` has
 * the packages of the lock file; null for none. Rejects when the bundler cannot start.
 */
export const answer = async (
  order: BundlerOrder,
  wasm: WebAssembly.Module,
  packages: Readonly<Record<string, string>>,
  layer: GivenLayer | null
): Promise<BundlerAnswer> => {
  await initialize({ wasmModule: wasm, worker: false })
  const openLayer: BundlerTools["openLayer"] = (_, { packageBytes }) => {
    if (layer === null) throw new Error("no packages of a lock file were given")
    return layerFrom(layer, packageBytes)
  }
  return makeWork({ build, stop, vendored: packagesOf(packages), openLayer }).finish(order, null)
}
