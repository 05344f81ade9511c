/** The esbuild plugin that gives it the file map and the packages instead of a disk. Runs in the process of one build. */
import { createHash } from "node:crypto"
import type { OnLoadResult, OnResolveArgs, OnResolveResult, PartialMessage, Plugin } from "esbuild"
import { fromLayer } from "../layer/LayerResolver.ts"
import { FileComing, type LayerTree, PackagesTooBig, whenThere } from "../layer/LayerTree.ts"
import { mapFile, readMap, withMap } from "../maps/CleanMap.ts"
import { typesByRule } from "../settings/ModuleRules.ts"
import type { VendoredTree } from "../vendored/VendoredTree.ts"
import type { BundlerOrder } from "./BundlerMessages.ts"
import { importableExtensions, moduleKind, type ModuleKind } from "./ModuleTypes.ts"
import { remedyOf } from "./PackageRemedy.ts"
import { resolve, type Resolution } from "./TreeResolver.ts"
import { folderOf, type Tree } from "./TreePaths.ts"
import type { PathAliases } from "./TypeScriptSettings.ts"
import { exactText } from "@pawl/core/primitives/Utf8"

/** Every file of the tree stands in this namespace, so that esbuild never takes one for a file of the disk. */
export const namespace = "app"
/** Files of the packages that the lock file names. They import each other and the runtime's modules, never the app's files. */
export const packageNamespace = "package"
/** Files of packages that Pawl brings along: the same. */
export const vendoredNamespace = "vendored"
/** In the place of what a package needs in Node alone. */
const emptyNamespace = "empty"

/** A file that stays a module of its own beside the bundle; `name` is what the bundle imports it as, `./` apart. */
export interface KeptModule {
  readonly name: string
  readonly type: "text" | "data" | "wasm"
  readonly content: Uint8Array
}

/** An import that has no end, with the code of the problem. */
export interface Missing {
  readonly code: string
  readonly message: string
}

/** What the bundler asks for imports by. */
export interface Places {
  readonly order: BundlerOrder
  readonly layer: LayerTree | null
  readonly aliases: PathAliases
  readonly vendored: VendoredTree
}

const refused = (code: string, text: string): { errors: Array<PartialMessage> } => ({
  errors: [{ text, detail: { code } }]
})

/** A file of code, for the bundler. */
const load = (path: string, content: Uint8Array | undefined): OnLoadResult => {
  const module = moduleKind(path)
  const contents = content === undefined ? null : exactText(content)
  if (module?._tag !== "Bundled")
    return refused("module_type_unknown", `${path} is not a type of file that holds code.`)
  return contents === null
    ? refused("not_text", `${path} is not UTF-8 text, so it cannot be code.`)
    : { contents, loader: module.loader }
}

/** The files of an order as a tree. */
export const treeOf = (files: ReadonlyMap<string, Uint8Array>): Tree => ({
  has: (path) => files.has(path),
  text: (path) => {
    const content = files.get(path)
    return content === undefined ? undefined : (exactText(content) ?? undefined)
  }
})

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`

/** Names of packages with their sizes, for a sentence. */
export const sizesShown = (sizes: ReadonlyArray<readonly [name: string, bytes: number]>): string =>
  sizes.map(([name, bytes]) => `${name} (${megabytes(bytes)})`).join(", ")

/** What may fail where a program expects that it may: esbuild leaves it to the run when the code catches it. */
const caughtKinds = new Set(["require-call", "require-resolve", "dynamic-import"])
const uncaught = new Set(["auth_package", "package_exports_outside"])

/** The name under which a missing import is remembered. */
export const missingKey = (importer: string, specifier: string): string => `${importer}\n${specifier}`

/** Says of files what they are to the bundle, and gathers those that stay modules of their own. */
const makePlacement = (order: BundlerOrder) => {
  const kept = new Map<string, KeptModule>()

  const kindOf = (path: string): ModuleKind | undefined => {
    const type = order.rules.length === 0 ? undefined : typesByRule(order.rules, [path])?.get(path)
    return type === undefined || type === "esm" ? moduleKind(path) : { _tag: "Kept", type }
  }

  const keep = (path: string, type: KeptModule["type"], content: Uint8Array): OnResolveResult => {
    if (content.byteLength > order.moduleBytes)
      return refused(
        "module_over_limit",
        `${path} is ${content.byteLength} bytes; a module may have ${order.moduleBytes}.`
      )
    if (type === "text" && exactText(content) === null)
      return refused("not_text", `${path} is imported as text, but is not UTF-8.`)
    const digest = createHash("sha256").update(content).digest("hex").slice(0, 32)
    const name = `${digest}-${path.slice(path.lastIndexOf("/") + 1).replace(/[^A-Za-z0-9._-]/g, "_")}`
    kept.set(name, { name, type, content })
    return { path: `./${name}`, external: true }
  }

  /** A file by what it is: bundled, or kept as it is. */
  const placed = (
    importer: string,
    path: string,
    space: string,
    content: () => Uint8Array | undefined
  ): OnResolveResult => {
    const module = kindOf(path)
    if (module?._tag === "Bundled") return { path, namespace: space }
    if (module !== undefined) return keep(path, module.type, content() ?? new Uint8Array())
    const known = importableExtensions.map((extension) => `.${extension}`).join(", ")
    return refused(
      "module_type_unknown",
      `${importer} imports ${path}: a file of this type cannot be imported; these can: ${known}.`
    )
  }
  return { kept, placed }
}

/** Finds what an import names, from wherever it stands. */
const makeFinding = ({ aliases, layer, order, vendored }: Places, tree: Tree) => {
  const remedy = remedyOf(order.files, layer !== null)
  return (args: OnResolveArgs): Resolution => {
    const kind = args.kind === "require-call" || args.kind === "require-resolve" ? "require" : "import"
    const specifier = args.path.endsWith(".wasm?module") ? args.path.slice(0, -"?module".length) : args.path
    const asked = { specifier, importer: args.importer, kind, flags: order.flags } as const
    if (args.namespace === vendoredNamespace) {
      const inside = resolve(vendored, asked)
      return inside._tag === "File" ? { _tag: "Vendored", path: inside.path } : inside
    }
    if (args.namespace === packageNamespace && layer !== null) return fromLayer(layer, asked)
    return resolve(tree, { ...asked, vendored, aliases, remedy, ...(layer === null ? {} : { layer }) })
  }
}

/** What reading the packages answers; too much of them is a refusal that names the biggest. */
const guarded = <A>(order: BundlerOrder, answer: () => A): A | { errors: Array<PartialMessage> } => {
  try {
    return answer()
  } catch (error) {
    if (!(error instanceof PackagesTooBig)) throw error
    const most = `The app imports more than ${megabytes(order.packageBytes)} of packages. The biggest: ${sizesShown(error.names)}. Import single files of them, or do without.`
    return refused("packages_over_limit", most)
  }
}

/** A file of the tree. One that a build command made names what it was made of. */
const ownFile = (order: BundlerOrder, tree: Tree, path: string): OnLoadResult => {
  const loaded = load(path, order.files.get(path))
  if (!order.generated.has(path) || typeof loaded.contents !== "string" || loaded.loader === "json") return loaded
  const map = readMap(tree.text(mapFile(path)), folderOf(path), tree.has)
  return map === null ? loaded : { ...loaded, contents: withMap(loaded.contents, map) }
}

/** What a plugin gathers while its build runs. */
export interface Gathered {
  readonly plugin: Plugin
  readonly kept: ReadonlyMap<string, KeptModule>
  /** Files of the tree that the bundle is made of, as far as it has been read. */
  readonly reached: ReadonlySet<string>
  /** Files of packages that are kept as modules of their own. */
  readonly keptOfPackages: ReadonlySet<string>
  /** Imports of others' code that esbuild was left to judge, by `missingKey`. */
  readonly missing: ReadonlyMap<string, Missing>
}

/**
 * The plugin for one build, and what it gathers while that build runs. What it refuses is an error of esbuild with our
 * code.
 */
export const makeTreePlugin = (places: Places): Gathered => {
  const { layer, order, vendored } = places
  const tree = treeOf(order.files)
  const found = makeFinding(places, tree)
  const { kept, placed } = makePlacement(order)
  const reached = new Set<string>()
  const keptOfPackages = new Set<string>()
  const missing = new Map<string, Missing>()

  /** An import that esbuild is left to judge: code of others, which may catch that there is no such thing. */
  const isLeft = (args: OnResolveArgs, code: string): boolean =>
    (args.namespace === packageNamespace || order.generated.has(args.importer)) &&
    caughtKinds.has(args.kind) &&
    !uncaught.has(code)

  const onResolve = (args: OnResolveArgs): OnResolveResult | undefined => {
    if (args.kind === "entry-point") return { path: args.path, namespace }
    // What a style sheet names is for a browser, which never gets it from here.
    if (args.kind === "url-token" || args.kind === "import-rule") return { path: args.path, external: true }
    const end = found(args)
    switch (end._tag) {
      case "Refused":
        if (!isLeft(args, end.code)) return refused(end.code, end.message)
        missing.set(missingKey(args.importer, args.path), end)
        return undefined
      case "Runtime":
        return { path: end.name, external: true }
      case "Empty":
        return { path: args.path, namespace: emptyNamespace }
      case "Vendored":
        return { path: end.path, namespace: vendoredNamespace }
      case "Package": {
        const at = placed(args.importer, end.path, packageNamespace, () => layer?.bytes(end.path))
        if (at.external === true) keptOfPackages.add(end.path)
        return at.namespace === undefined ? at : { ...at, sideEffects: end.sideEffects }
      }
      case "File":
        reached.add(end.path)
        return placed(args.importer, end.path, namespace, () => order.files.get(end.path))
    }
  }

  // What a callback throws would be told with places of the host: it never leaves here.
  const resolved = (args: OnResolveArgs): OnResolveResult | undefined => {
    try {
      return guarded(order, () => onResolve(args))
    } catch (error) {
      if (error instanceof FileComing) throw error
      return refused("import_missing", `An import of ${args.importer} cannot be resolved.`)
    }
  }

  const plugin: Plugin = {
    name: namespace,
    setup: (build) => {
      build.onResolve({ filter: /.*/ }, (args) => whenThere(() => resolved(args)))
      build.onLoad({ filter: /.*/, namespace }, (args) => {
        reached.add(args.path)
        return ownFile(order, tree, args.path)
      })
      build.onLoad({ filter: /.*/, namespace: packageNamespace }, (args) =>
        whenThere(() => guarded(order, () => load(args.path, layer?.bytes(args.path))))
      )
      build.onLoad({ filter: /.*/, namespace: vendoredNamespace }, (args) => load(args.path, vendored.bytes(args.path)))
      build.onLoad({ filter: /.*/, namespace: emptyNamespace }, () => ({
        contents: "module.exports = {}",
        loader: "js"
      }))
    }
  }
  return { plugin, kept, reached, keptOfPackages, missing }
}
