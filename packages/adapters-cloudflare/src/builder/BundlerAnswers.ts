/**
 * What runs inside the Worker of one build: esbuild as WebAssembly, with our own plugin. It has no network and no binding,
 * and is dropped after its one order. `deploy/Bundler.ts` makes one module of it, beside
 * which lie the wasm and the packages that come along.
 */
import { build, initialize, stop } from "esbuild-wasm/esm/browser.js"
import { makeWork } from "@pawl/adapters-local/builder/bundler/BundlerWork"
import type { BundlerAnswer, BundlerOrder } from "@pawl/adapters-local/builder/bundler/BundlerMessages"
import { vendoredTree } from "@pawl/adapters-local/builder/vendored/VendoredTree"
import { utf8 } from "@pawl/core/primitives/Digest"

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

/**
 * Does the one order of this Worker, with esbuild's wasm and the texts of the packages that come along, by path. Rejects
 * when the bundler cannot start.
 */
export const answer = async (
  order: BundlerOrder,
  wasm: WebAssembly.Module,
  packages: Readonly<Record<string, string>>
): Promise<BundlerAnswer> => {
  await initialize({ wasmModule: wasm, worker: false })
  const openLayer = () => {
    throw new Error("no packages of a lock file are kept here")
  }
  return makeWork({ build, stop, vendored: packagesOf(packages), openLayer }).finish(order, null)
}
