/**
 * Finds imports inside the file map and nowhere else. Pure: it never sees a disk, so that `../`, absolute paths,
 * a parent's node_modules, tsconfig paths and a `browser` field lead nowhere.
 */
import { Limits } from "@pawl/core/primitives/Limits"
import { authPackage } from "../auth/AuthPackages.ts"
import { conditionsOf, exportTarget, importTarget } from "./PackageExports.ts"
import { runtimeModule } from "./RuntimeModules.ts"
import { vendoredFolder, vendoredNames, vendoredPackage } from "../vendored/VendoredPackages.ts"

/** Files by path, without a slash at the beginning. */
export interface Tree {
  readonly has: (path: string) => boolean
  /** The file's text, for a package.json. */
  readonly text: (path: string) => string | undefined
}

/** A file of the tree, of a vendored package, a module of the runtime, or a refusal with a code and a message. */
export type Resolution =
  | { readonly _tag: "File"; readonly path: string }
  /** A file of a package that Pawl brings along, in the tree of those. */
  | { readonly _tag: "Vendored"; readonly path: string }
  | { readonly _tag: "Runtime"; readonly name: string }
  | { readonly _tag: "Refused"; readonly code: string; readonly message: string }

/** One import as a file of the tree writes it; `flags` are the app's compatibility flags. */
export interface Import {
  readonly specifier: string
  /** The file of the tree that imports. */
  readonly importer: string
  readonly kind: "import" | "require"
  readonly flags: ReadonlyArray<string>
  /** The packages that Pawl brings along; none is to be had without it. What the tree has itself comes first. */
  readonly vendored?: Tree
}

const extensions = [".tsx", ".ts", ".jsx", ".js", ".mjs", ".cjs", ".json"]
/** TypeScript sources import each other by the names they will have once compiled. */
const sourcesOf: ReadonlyArray<readonly [compiled: string, sources: ReadonlyArray<string>]> = [
  [".js", [".ts", ".tsx"]],
  [".jsx", [".tsx"]],
  [".mjs", [".mts"]],
  [".cjs", [".cts"]]
]

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")))
const join = (folder: string, rest: string): string => (folder === "" ? rest : `${folder}/${rest}`)
const shown = (specifier: string): string =>
  JSON.stringify(specifier.length > Limits.repeatedLength ? `${specifier.slice(0, Limits.repeatedLength)}…` : specifier)

/** A path without `.` and `..`; `undefined` when it leads out of the tree. */
const plain = (path: string): string | undefined => {
  const out: Array<string> = []
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue
    if (segment !== "..") out.push(segment)
    else if (out.pop() === undefined) return undefined
  }
  return out.join("/")
}

const packageJson = (tree: Tree, folder: string): Readonly<Record<string, unknown>> | undefined => {
  const text = tree.text(join(folder, "package.json"))
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

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

/** The folders from the importer's up to the root. */
const foldersAbove = (path: string): ReadonlyArray<string> => {
  const out: Array<string> = []
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    out.push(folder)
    if (folder === "") return out
  }
}

const fromPackage = (tree: Tree, asked: Import): Resolution => {
  const parts = asked.specifier.split("/")
  const name = parts.slice(0, asked.specifier.startsWith("@") ? 2 : 1).join("/")
  if (
    !/^(@[\w.~-]+\/)?[\w~-][\w.~-]*$/.test(name) ||
    parts.some((part) => part === "" || part === "." || part === "..")
  )
    return refusedImport("import_missing", asked, "this is neither a path nor the name of a package")
  const auth = authPackage(asked.specifier)
  if (auth !== null)
    return refusedImport(
      "auth_package",
      asked,
      `this is ${auth.kind}. Apps have no real login: let people pick a demo user`
    )
  const rest = asked.specifier.slice(name.length + 1)
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
  const given = vendoredPackage(name)
  if (given !== null && asked.vendored !== undefined) {
    const path = inPackage(asked.vendored, vendoredFolder(name), rest, asked.kind)
    return path === undefined
      ? refusedImport("import_missing", asked, `${given.name} ${given.version} does not export it`)
      : { _tag: "Vendored", path }
  }
  const hint = name.startsWith("@/") || name.startsWith("~") ? ' (the "paths" of a tsconfig are not read)' : ""
  return refusedImport(
    "package_missing",
    asked,
    `the package ${shown(name)} is not in the source${hint}. Nothing is installed: an app is built from its own files, ` +
      `and can import ${vendoredNames} besides. Commit what it needs as files, bundled, or do without`
  )
}

const inPackage = (tree: Tree, folder: string, rest: string, kind: "import" | "require"): string | undefined => {
  const exports = packageJson(tree, folder)?.["exports"]
  if (exports !== undefined && exports !== null) {
    const target = exportTarget(exports, rest === "" ? "." : `./${rest}`, conditionsOf(kind))
    const path = target === undefined ? undefined : plain(join(folder, target))
    return path !== undefined && path.startsWith(`${folder}/`) && tree.has(path) ? path : undefined
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

/** Where an import leads. */
export const resolve = (tree: Tree, asked: Import): Resolution => {
  const { specifier } = asked
  const given = runtimeModule(specifier, asked.flags)
  // A package of the tree may bear the name of one of Node's modules (`buffer`, `events`): without the flag it is meant.
  if (given?._tag === "Given") return { _tag: "Runtime", name: given.name }
  if (given?._tag === "Refused") {
    const vendored = specifier.includes(":") ? undefined : fromPackage(tree, asked)
    return vendored?._tag === "File" ? vendored : refusedImport(given.code, asked, given.reason)
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
  return fromPackage(tree, asked)
}
