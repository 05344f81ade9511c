/**
 * Finds imports inside the file map, the packages of the lock file and those that Pawl brings along, and nowhere else.
 * It never sees a disk, so that `../`, absolute paths and a parent's node_modules lead nowhere.
 */
import { authPackage } from "../auth/AuthPackages.ts"
import { conditionsOf, exportTarget, importTarget } from "./PackageExports.ts"
import { type LayerResolution, packageInLayer } from "../layer/LayerResolver.ts"
import type { LayerTree } from "../layer/LayerTree.ts"
import { runtimeModule } from "./RuntimeModules.ts"
import { fieldsOf, folderOf, foldersAbove, join, packageName, plain, shown, type Tree } from "./TreePaths.ts"
import type { PathAliases } from "./TypeScriptSettings.ts"
import { vendoredFolder, vendoredNames, vendoredPackage } from "../vendored/VendoredPackages.ts"

/** A file of the tree, of a vendored package, a module of the runtime, or a refusal with a code and a message. */
export type Resolution =
  | { readonly _tag: "File"; readonly path: string }
  /** A file of a package that Pawl brings along, in the tree of those. */
  | { readonly _tag: "Vendored"; readonly path: string }
  | LayerResolution

/** One import as a file of the tree writes it; `flags` are the app's compatibility flags. */
export interface Import {
  readonly specifier: string
  /** The file of the tree that imports. */
  readonly importer: string
  readonly kind: "import" | "require"
  readonly flags: ReadonlyArray<string>
  /** The packages that Pawl brings along; none is to be had without it. What the tree has itself comes first. */
  readonly vendored?: Tree
  /** The packages of the lock file. */
  readonly layer?: LayerTree
  /** The other names of files that a tsconfig gives. */
  readonly aliases?: PathAliases
  /** How a package that is nowhere can be had, as the end of a sentence. */
  readonly remedy?: (name: string) => string
}

const extensions = [".tsx", ".ts", ".jsx", ".js", ".mjs", ".cjs", ".json"]
/** TypeScript sources import each other by the names they will have once compiled. */
const sourcesOf: ReadonlyArray<readonly [compiled: string, sources: ReadonlyArray<string>]> = [
  [".js", [".ts", ".tsx"]],
  [".jsx", [".tsx"]],
  [".mjs", [".mts"]],
  [".cjs", [".cts"]]
]

const packageJson = (tree: Tree, folder: string) => fieldsOf(tree.text(join(folder, "package.json")))

const asFile = (tree: Tree, path: string): string | undefined => {
  if (tree.has(path)) return path
  for (const [compiled, sources] of sourcesOf) {
    if (!path.endsWith(compiled)) continue
    const found = sources.map((source) => path.slice(0, -compiled.length) + source).find(tree.has)
    if (found !== undefined) return found
  }
  return extensions.map((extension) => path + extension).find(tree.has)
}

const asFolder = (tree: Tree, folder: string): string | undefined => {
  const fields = packageJson(tree, folder)
  for (const name of ["module", "main"]) {
    const value = fields?.[name]
    const path = typeof value === "string" ? plain(join(folder, value)) : undefined
    const found = path === undefined ? undefined : (asFile(tree, path) ?? asFile(tree, join(path, "index")))
    if (found !== undefined) return found
  }
  return asFile(tree, join(folder, "index"))
}

const relative = (tree: Tree, asked: Import): Resolution => {
  const path = plain(join(folderOf(asked.importer), asked.specifier))
  if (path === undefined) return refusedImport("import_outside", asked, "it leads out of the source")
  const found = (asked.specifier.endsWith("/") ? undefined : asFile(tree, path)) ?? asFolder(tree, path)
  return found === undefined
    ? refusedImport("import_missing", asked, "there is no such file in the source")
    : { _tag: "File", path: found }
}

const refusedImport = (code: string, asked: Import, reason: string): Resolution => ({
  _tag: "Refused",
  code,
  message: `${asked.importer} imports ${shown(asked.specifier)}: ${reason}.`
})

const fromPackage = (tree: Tree, asked: Import): Resolution => {
  const named = packageName(asked.specifier)
  if (named === null) return refusedImport("import_missing", asked, "this is neither a path nor the name of a package")
  const { name, rest } = named
  const auth = authPackage(asked.specifier)
  if (auth !== null)
    return refusedImport(
      "auth_package",
      asked,
      `this is ${auth.kind}. Apps have no real login: let people pick a demo user`
    )
  return (
    itself(tree, asked, name, rest) ??
    (asked.layer === undefined ? null : packageInLayer(asked.layer, asked)) ??
    inNodeModules(tree, asked, name, rest) ??
    fromVendored(asked, name, rest) ??
    refusedImport(
      "package_missing",
      asked,
      `the package ${shown(name)} is not in the source. ${asked.remedy?.(name) ?? `It can import ${vendoredNames}`}`
    )
  )
}

/** The project's own name, through its exports. */
const itself = (tree: Tree, asked: Import, name: string, rest: string): Resolution | null => {
  const home = foldersAbove(asked.importer).find((folder) => tree.has(join(folder, "package.json")))
  const fields = home === undefined ? undefined : packageJson(tree, home)
  if (home === undefined || fields?.["name"] !== name || fields["exports"] === undefined) return null
  const found = inPackage(tree, home, rest, asked.kind)
  return found === undefined ? null : { _tag: "File", path: found }
}

/** A package whose files are in the source. */
const inNodeModules = (tree: Tree, asked: Import, name: string, rest: string): Resolution | null => {
  for (const above of foldersAbove(asked.importer)) {
    const folder = join(above, `node_modules/${name}`)
    const found = inPackage(tree, folder, rest, asked.kind)
    if (found !== undefined) return { _tag: "File", path: found }
    if (packageJson(tree, folder) !== undefined)
      return refusedImport(
        "import_missing",
        asked,
        `the package ${shown(name)} in the source has no such file or does not export it`
      )
  }
  return null
}

const fromVendored = (asked: Import, name: string, rest: string): Resolution | null => {
  const given = vendoredPackage(name)
  if (given === null || asked.vendored === undefined) return null
  const path = inPackage(asked.vendored, vendoredFolder(name), rest, asked.kind)
  return path === undefined
    ? refusedImport("import_missing", asked, `${given.name} ${given.version} does not export it`)
    : { _tag: "Vendored", path }
}

const inPackage = (tree: Tree, folder: string, rest: string, kind: "import" | "require"): string | undefined => {
  const exports = packageJson(tree, folder)?.["exports"]
  if (exports !== undefined && exports !== null) {
    const target = exportTarget(exports, rest === "" ? "." : `./${rest}`, conditionsOf(kind))
    const path = target === undefined ? undefined : plain(join(folder, target))
    return path !== undefined && path.startsWith(join(folder, "")) && tree.has(path) ? path : undefined
  }
  return rest === "" ? asFolder(tree, folder) : (asFile(tree, join(folder, rest)) ?? asFolder(tree, join(folder, rest)))
}

/** `#name`: the `imports` of the package that the importer belongs to. */
const fromImports = (tree: Tree, asked: Import): Resolution => {
  const home = foldersAbove(asked.importer).find((folder) => tree.has(join(folder, "package.json")))
  const target =
    home === undefined
      ? undefined
      : importTarget(packageJson(tree, home)?.["imports"], asked.specifier, conditionsOf(asked.kind))
  if (home === undefined || target === undefined)
    return refusedImport("import_missing", asked, 'no "imports" of a package.json names it')
  if (!target.startsWith("./"))
    return target.startsWith("#") || target.startsWith("../")
      ? refusedImport("import_missing", asked, "it leads nowhere")
      : resolve(tree, { ...asked, specifier: target })
  const path = plain(join(home, target))
  const found = path === undefined ? undefined : asFile(tree, path)
  return found === undefined
    ? refusedImport("import_missing", asked, "there is no such file in the source")
    : { _tag: "File", path: found }
}

/** A file that a tsconfig gives this name. */
const aliased = (tree: Tree, asked: Import): Resolution | null => {
  for (const path of asked.aliases?.(asked.specifier) ?? []) {
    const found = asFile(tree, path) ?? asFolder(tree, path)
    if (found !== undefined) return { _tag: "File", path: found }
  }
  return null
}

/** Where an import leads. */
export const resolve = (tree: Tree, asked: Import): Resolution => {
  const { specifier } = asked
  const given = runtimeModule(specifier, asked.flags)
  // A package of the tree may bear the name of one of Node's modules (`buffer`, `events`): without the flag it is meant.
  if (given?._tag === "Given") return { _tag: "Runtime", name: given.name }
  if (given?._tag === "Refused") {
    const found = specifier.includes(":") ? undefined : fromPackage(tree, asked)
    return found?._tag === "File" || found?._tag === "Package" ? found : refusedImport(given.code, asked, given.reason)
  }
  if (/^\.{1,2}(\/|$)/.test(specifier)) return relative(tree, asked)
  if (specifier.startsWith("#")) return fromImports(tree, asked)
  if (specifier.startsWith("/") || /^([a-z]:)?\\/i.test(specifier))
    return refusedImport(
      "import_outside",
      asked,
      "an absolute path leads out of the source; write it relative to the importing file"
    )
  if (/^[a-z][a-z0-9+.-]*:/i.test(specifier))
    return refusedImport("import_remote", asked, "only files of the source can be imported")
  return aliased(tree, asked) ?? fromPackage(tree, asked)
}
