/** The esbuild plugin that gives it the file map instead of a disk. Runs in the process of one build. */
import { createHash } from "node:crypto"
import type { OnLoadResult, OnResolveArgs, OnResolveResult, PartialMessage, Plugin } from "esbuild"
import type { BundlerOrder } from "./BundlerMessages.ts"
import { importableExtensions, moduleKind } from "./ModuleTypes.ts"
import { resolve, type Tree } from "./TreeResolver.ts"
import { vendoredTree } from "../vendored/VendoredFiles.ts"

/** Every file of the tree stands in this namespace, so that esbuild never takes one for a file of the disk. */
export const namespace = "app"
/** Files of packages that Pawl brings along. They import each other and the runtime's modules, never the app's files. */
const vendoredNamespace = "vendored"

/** A file that stays a module of its own beside the bundle; `name` is what the bundle imports it as, `./` apart. */
export interface KeptModule {
  readonly name: string
  readonly type: "text" | "data" | "wasm"
  readonly content: Uint8Array
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const textOf = (content: Uint8Array | undefined): string | undefined => {
  try {
    return content === undefined ? undefined : utf8.decode(content)
  } catch {
    return undefined
  }
}

const refused = (code: string, text: string): { errors: Array<PartialMessage> } => ({
  errors: [{ text, detail: { code } }]
})

/** A file of code, for the bundler. */
const load = (path: string, content: Uint8Array | undefined): OnLoadResult => {
  const module = moduleKind(path)
  const contents = textOf(content)
  if (module?._tag !== "Bundled")
    return refused("module_type_unknown", `${path} is not a type of file that holds code.`)
  return contents === undefined
    ? refused("not_text", `${path} is not UTF-8 text, so it cannot be code.`)
    : { contents, loader: module.loader }
}

const treeOf = (files: ReadonlyMap<string, Uint8Array>): Tree => ({
  has: (path) => files.has(path),
  text: (path) => textOf(files.get(path))
})

/**
 * The plugin for one build, and what it gathers while that build runs. What it refuses is an error of esbuild with our
 * code.
 */
export const makeTreePlugin = (
  order: BundlerOrder
): {
  readonly plugin: Plugin
  readonly kept: ReadonlyMap<string, KeptModule>
  /** Files of the tree that the bundle is made of, as far as it has been read. */
  readonly reached: ReadonlySet<string>
} => {
  const tree = treeOf(order.files)
  const vendored = vendoredTree()
  const kept = new Map<string, KeptModule>()
  const reached = new Set<string>()

  const keep = (path: string, type: KeptModule["type"], content: Uint8Array): OnResolveResult => {
    if (content.byteLength > order.moduleBytes)
      return refused(
        "module_over_limit",
        `${path} is ${content.byteLength} bytes; a module may have ${order.moduleBytes}.`
      )
    if (type === "text" && textOf(content) === undefined)
      return refused("not_text", `${path} is imported as text, but is not UTF-8.`)
    const digest = createHash("sha256").update(content).digest("hex").slice(0, 32)
    const name = `${digest}-${path.slice(path.lastIndexOf("/") + 1).replace(/[^A-Za-z0-9._-]/g, "_")}`
    kept.set(name, { name, type, content })
    return { path: `./${name}`, external: true }
  }

  const onResolve = (args: OnResolveArgs): OnResolveResult => {
    if (args.kind === "entry-point") return { path: args.path, namespace }
    const kind = args.kind === "require-call" || args.kind === "require-resolve" ? "require" : "import"
    const specifier = args.path.endsWith(".wasm?module") ? args.path.slice(0, -"?module".length) : args.path
    const isVendored = args.namespace === vendoredNamespace
    const asked = { specifier, importer: args.importer, kind, flags: order.flags } as const
    const found = resolve(isVendored ? vendored : tree, isVendored ? asked : { ...asked, vendored })
    if (found._tag === "Refused") return refused(found.code, found.message)
    if (found._tag === "Runtime") return { path: found.name, external: true }
    if (found._tag === "Vendored" || isVendored) return { path: found.path, namespace: vendoredNamespace }
    const module = moduleKind(found.path)
    reached.add(found.path)
    if (module === undefined) {
      const known = importableExtensions.map((extension) => `.${extension}`).join(", ")
      return refused(
        "module_type_unknown",
        `${args.importer} imports ${found.path}: a file of this type cannot be imported; these can: ${known}.`
      )
    }
    return module._tag === "Bundled"
      ? { path: found.path, namespace }
      : keep(found.path, module.type, order.files.get(found.path) ?? new Uint8Array())
  }

  const plugin: Plugin = {
    name: namespace,
    setup: (build) => {
      // What a callback throws would be told with places of the host: it never leaves here.
      build.onResolve({ filter: /.*/ }, (args) => {
        try {
          return onResolve(args)
        } catch {
          return refused("import_missing", `An import of ${args.importer} cannot be resolved.`)
        }
      })
      build.onLoad({ filter: /.*/, namespace }, (args) => {
        reached.add(args.path)
        return load(args.path, order.files.get(args.path))
      })
      build.onLoad({ filter: /.*/, namespace: vendoredNamespace }, (args) => load(args.path, vendored.bytes(args.path)))
    }
  }
  return { plugin, kept, reached }
}
