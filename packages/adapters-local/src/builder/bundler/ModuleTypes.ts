/** What becomes of an imported file, by its extension: bundled, or kept as a module of its own as wrangler keeps it. */
import type { Loader } from "esbuild"

/** Bundled by esbuild with a loader, or kept as a file beside the bundle. */
export type ModuleKind =
  | { readonly _tag: "Bundled"; readonly loader: Loader }
  | { readonly _tag: "Kept"; readonly type: "text" | "data" | "wasm" }

const bundled = (loader: Loader): ModuleKind => ({ _tag: "Bundled", loader })
const kept = (type: "text" | "data" | "wasm"): ModuleKind => ({ _tag: "Kept", type })

const kinds: Readonly<Record<string, ModuleKind>> = {
  js: bundled("jsx"),
  mjs: bundled("jsx"),
  cjs: bundled("jsx"),
  jsx: bundled("jsx"),
  ts: bundled("ts"),
  mts: bundled("ts"),
  cts: bundled("ts"),
  tsx: bundled("tsx"),
  json: bundled("json"),
  css: bundled("css"),
  txt: kept("text"),
  html: kept("text"),
  sql: kept("text"),
  bin: kept("data"),
  wasm: kept("wasm")
}

/** How a file is imported; `undefined` for a type that cannot be. */
export const moduleKind = (path: string): ModuleKind | undefined => {
  // Its class names are for the code that imports it.
  if (/\.module\.css$/i.test(path)) return bundled("local-css")
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ""
  return Object.hasOwn(kinds, extension) ? kinds[extension] : undefined
}

/** The extensions that can be imported, without dots, for messages. */
export const importableExtensions = Object.keys(kinds)
