/** What is loaded to bundle a source, or to unpack packages: one code for both, in a Worker of its own. */
import type { WorkerLoaderWorkerCode } from "@cloudflare/workers-types"

/** What `deploy/Bundler.ts` makes. */
export interface BundlerModules {
  /** The code that answers, as one module. */
  readonly code: string
  /** esbuild, of the version that `bundler` names. */
  readonly wasm: ArrayBuffer | WebAssembly.Module
  /** Texts of the packages that come along, by path, as JSON. */
  readonly packages: string
}

/** A Worker of these modules: no network, no binding, and these limits for each question. */
export const loadedCode = (
  { code, packages, wasm }: BundlerModules,
  limits: { readonly cpuMs: number; readonly subRequests: number }
): WorkerLoaderWorkerCode => ({
  compatibilityDate: "2026-07-01",
  // Compressed pages, and archives of packages, are read with Node's zlib.
  compatibilityFlags: ["nodejs_compat"],
  mainModule: "bundler.js",
  modules: {
    "bundler.js": { js: code },
    "esbuild.wasm": { wasm },
    "packages.json": { json: JSON.parse(packages) }
  },
  globalOutbound: null,
  limits
})
