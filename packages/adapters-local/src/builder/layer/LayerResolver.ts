/**
 * Finds imports inside a layer, as Node and esbuild do for browsers: the nearest `node_modules` upward from the real
 * place of who imports, a package's `exports` and `imports`, and its `browser`, `module` and `main` fields. Nothing of
 * the project and nothing outside the layer is ever found from there.
 */
import { authPackage } from "../auth/AuthPackages.ts"
import { exportTarget, importTarget, layerConditionsOf } from "../bundler/PackageExports.ts"
import { runtimeModule } from "../bundler/RuntimeModules.ts"
import { folderOf, foldersAbove, join, packageName, plain, shown } from "../bundler/TreePaths.ts"
import { type LayerTree, packageOf } from "./LayerTree.ts"
import { browserInstead, hasSideEffects } from "./PackageFiles.ts"

/** What an import of a package is: a file of the layer, nothing at all, a module of the runtime, or a refusal. */
export type LayerResolution =
  | { readonly _tag: "Package"; readonly path: string; readonly sideEffects: boolean }
  /** The package says that it needs nothing in its place where there is no Node. */
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Runtime"; readonly name: string }
  | { readonly _tag: "Refused"; readonly code: string; readonly message: string }

/** One import, as `TreeResolver` has it. */
interface Asked {
  readonly specifier: string
  readonly importer: string
  readonly kind: "import" | "require"
  readonly flags: ReadonlyArray<string>
}

const extensions = [".js", ".mjs", ".cjs", ".jsx", ".json", ".css", ".ts", ".mts", ".tsx", ".cts"]
const maxHops = 16

const refused = (asked: Asked, code: string, reason: string): LayerResolution => ({
  _tag: "Refused",
  code,
  message: `${asked.importer} imports ${shown(asked.specifier)}: ${reason}.`
})

const asFile = (layer: LayerTree, path: string): string | undefined => {
  const real = layer.real(path)
  if (layer.has(real)) return real
  const extension = extensions.find((one) => layer.has(real + one))
  return extension === undefined ? undefined : real + extension
}

/** A `require` of what has both gets CommonJS: who wrote it means that. */
const mainFields = { import: ["browser", "module", "main"], require: ["browser", "main", "module"] } as const

const asFolder = (layer: LayerTree, path: string, kind: Asked["kind"]): string | undefined => {
  const folder = layer.real(path)
  const fields = layer.fields(folder)
  for (const name of mainFields[kind]) {
    const value = fields?.[name]
    const main = typeof value === "string" ? plain(join(folder, value)) : undefined
    if (main === undefined || !`${main}/`.startsWith(`${folder}/`)) continue
    const found = asFile(layer, main) ?? asFile(layer, join(main, "index"))
    if (found !== undefined) return found
  }
  return asFile(layer, join(folder, "index"))
}

/** The folder of the package that a file belongs to. */
const homeOf = (file: string): string => {
  const above = file.slice(0, file.lastIndexOf("node_modules/") + "node_modules/".length)
  return above + packageOf(file)
}

/** The file that was found, or what its package puts in its place. */
const instead = (layer: LayerTree, asked: Asked, path: string, hops: number): LayerResolution => {
  const home = homeOf(path)
  const fields = layer.fields(home)
  const inside = path.slice(home.length + 1)
  const other = browserInstead(fields, `./${inside}`)
  if (other === false) return { _tag: "Empty" }
  if (other !== undefined && hops < maxHops) {
    const target = other.startsWith(".") ? plain(join(home, other)) : undefined
    const found = target?.startsWith(`${home}/`) === true ? asFile(layer, target) : undefined
    if (found !== undefined && found !== path)
      return { _tag: "Package", path: found, sideEffects: hasSideEffects(fields, found.slice(home.length + 1)) }
  }
  return { _tag: "Package", path, sideEffects: hasSideEffects(fields, inside) }
}

/** Answers what a package has under a path below it; `""` is the package itself. `folder` is real. */
const inPackage = (layer: LayerTree, asked: Asked, folder: string, rest: string, hops: number): LayerResolution => {
  const exports = layer.fields(folder)?.["exports"]
  const name = packageName(asked.specifier)?.name ?? asked.specifier
  if (exports === undefined || exports === null) {
    const path = join(folder, rest)
    const found =
      rest === "" ? asFolder(layer, folder, asked.kind) : (asFile(layer, path) ?? asFolder(layer, path, asked.kind))
    return found === undefined
      ? refused(asked, "import_missing", `the package ${shown(name)} has no such file`)
      : instead(layer, asked, found, hops)
  }
  const target = exportTarget(exports, rest === "" ? "." : `./${rest}`, layerConditionsOf(asked.kind))
  if (target === undefined) return refused(asked, "import_missing", `the package ${shown(name)} does not export it`)
  const segments = target.split("/").slice(1)
  if (
    segments.some(
      (one) => one === "" || one === "." || one === ".." || one === "node_modules" || /%2f|%5c|\\/i.test(one)
    )
  )
    return refused(asked, "package_exports_outside", `the exports of the package ${shown(name)} lead out of it`)
  const path = layer.real(join(folder, segments.join("/")))
  return layer.has(path)
    ? instead(layer, asked, path, hops)
    : refused(asked, "import_missing", `the package ${shown(name)} exports a file that it has not`)
}

/** The package of a name, looked for in the `node_modules` of every folder upward. Null when none has it. */
export const packageInLayer = (layer: LayerTree, asked: Asked, hops = 0): LayerResolution | null => {
  const named = packageName(asked.specifier.replace(/\/$/, ""))
  if (named === null) return null
  for (const above of foldersAbove(asked.importer)) {
    if (above === "node_modules" || above.endsWith("/node_modules")) continue
    const folder = layer.real(join(above, `node_modules/${named.name}`))
    if (layer.fields(folder) === undefined) continue
    // Whatever it is called here: a lock may give a package another name.
    const names = [layer.nameAt(folder), layer.fields(folder)?.["name"]]
    const auth = names
      .map((name) => (typeof name === "string" ? authPackage(join(name, named.rest)) : null))
      .find((one) => one !== null)
    if (auth !== undefined && auth !== null)
      return refused(
        asked,
        "auth_package",
        `this is ${auth.name}, ${auth.kind}. Apps have no real login: let people pick a demo user`
      )
    return inPackage(layer, asked, folder, named.rest, hops)
  }
  return null
}

/** A package may import itself by its name, through its exports. */
const itself = (layer: LayerTree, asked: Asked, hops: number): LayerResolution | null => {
  const named = packageName(asked.specifier)
  const home = homeOf(asked.importer)
  if (named === null) return null
  const fields = layer.fields(home)
  return fields?.["name"] === named.name && fields["exports"] !== undefined && fields["exports"] !== null
    ? inPackage(layer, asked, home, named.rest, hops)
    : null
}

const relative = (layer: LayerTree, asked: Asked, hops: number): LayerResolution => {
  const path = plain(join(folderOf(asked.importer), asked.specifier))
  if (path === undefined || !path.startsWith("node_modules/"))
    return refused(asked, "import_outside", "it leads out of the packages")
  const isFolder = /(?:^|\/)\.{0,2}\/?$/.test(asked.specifier)
  const found = (isFolder ? undefined : asFile(layer, path)) ?? asFolder(layer, path, asked.kind)
  return found === undefined
    ? refused(asked, "import_missing", "the package has no such file")
    : instead(layer, asked, found, hops)
}

const fromImports = (layer: LayerTree, asked: Asked, hops: number): LayerResolution => {
  const home = homeOf(asked.importer)
  const imports = layer.fields(home)?.["imports"]
  const target = importTarget(imports, asked.specifier, layerConditionsOf(asked.kind))
  if (target === undefined || target.startsWith("#") || target.startsWith("../"))
    return refused(asked, "import_missing", 'no "imports" of its package.json names it')
  if (!target.startsWith("./")) return fromLayer(layer, { ...asked, specifier: target }, hops + 1)
  const path = plain(join(home, target))
  const found = path?.startsWith(`${home}/`) === true ? asFile(layer, path) : undefined
  return found === undefined
    ? refused(asked, "import_missing", "the package has no such file")
    : instead(layer, asked, found, hops)
}

/** Where an import by a file of the layer leads. `importer` is its real path. */
export const fromLayer = (layer: LayerTree, asked: Asked, hops = 0): LayerResolution => {
  if (hops > maxHops) return refused(asked, "import_missing", "it leads around in a circle")
  const { specifier } = asked
  if (/^\.{1,2}(\/|$)/.test(specifier)) return relative(layer, asked, hops)
  if (specifier.startsWith("#")) return fromImports(layer, asked, hops)
  const home = homeOf(asked.importer)
  const other = browserInstead(layer.fields(home), specifier)
  if (other === false) return { _tag: "Empty" }
  if (other !== undefined)
    return fromLayer(layer, { ...asked, importer: `${home}/package.json`, specifier: other }, hops + 1)
  const given = runtimeModule(specifier, asked.flags)
  if (given?._tag === "Given") return { _tag: "Runtime", name: given.name }
  if (given?._tag === "Refused") {
    const found = specifier.includes(":") ? null : packageInLayer(layer, asked, hops)
    return found?._tag === "Package" ? found : refused(asked, given.code, given.reason)
  }
  if (specifier.startsWith("/") || /^([a-z]:)?\\/i.test(specifier))
    return refused(asked, "import_outside", "an absolute path leads out of the packages")
  if (/^[a-z][a-z0-9+.-]*:/i.test(specifier))
    return refused(asked, "import_remote", "only files of packages can be imported")
  const auth = authPackage(specifier)
  if (auth !== null)
    return refused(
      asked,
      "auth_package",
      `this is ${auth.kind}, which the package brings along. Apps have no real login: do without that package`
    )
  return (
    itself(layer, asked, hops) ??
    packageInLayer(layer, asked, hops) ??
    refused(asked, "package_missing", "the lock file has no such package")
  )
}
