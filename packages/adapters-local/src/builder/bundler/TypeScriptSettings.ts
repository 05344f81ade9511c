/**
 * What a tsconfig.json says that changes what is built: how JSX is written, how classes are, and which other names files
 * have. The nearest one to the app's main module counts, with what it extends, within the source and its packages.
 */
import { Limits } from "@pawl/core/primitives/Limits"
import { isValueTooDeep } from "@pawl/core/primitives/Nesting"
import * as Jsonc from "jsonc-parser"
import { LocalLimits } from "../../LocalLimits.ts"
import type { LayerTree } from "../layer/LayerTree.ts"
import { folderOf, foldersAbove, join, packageName, plain, type Tree } from "./TreePaths.ts"

/** Paths of the source that a specifier may stand for, in the order in which they are tried. */
export type PathAliases = (specifier: string) => ReadonlyArray<string>

/** What of it a build goes by. */
export interface TypeScriptSettings {
  /** For esbuild's `tsconfigRaw`. */
  readonly raw: string
  readonly aliases: PathAliases
}

/** JSX as a wrangler file says it; a tsconfig says it louder. */
export interface JsxDefaults {
  readonly factory: string | null
  readonly fragment: string | null
}

interface Where {
  readonly tree: Tree
  readonly layer: LayerTree | null
}

type Fields = Readonly<Record<string, unknown>>
interface Merged {
  readonly options: Fields
  /** The folder that `paths` and `baseUrl` of these options are relative to. */
  readonly pathsFrom: string
  readonly baseFrom: string
}

const nothing: Merged = { options: {}, pathsFrom: "", baseFrom: "" }
const isMap = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value)

const inLayer = (path: string): boolean => path.startsWith("node_modules/")

const parsed = (where: Where, path: string): Fields | null => {
  const text = where.tree.text(path) ?? (inLayer(path) ? where.layer?.text(where.layer.real(path)) : undefined)
  if (text === undefined || text.length > LocalLimits.appSettingsBytes) return null
  try {
    const value: unknown = Jsonc.parse(text.replace(/^\uFEFF/, ""), [], { allowTrailingComma: true })
    return isMap(value) && !isValueTooDeep(value) ? value : null
  } catch {
    // Nested too deeply.
    return null
  }
}

/** The file that an `extends` names, as a path. */
const extended = (where: Where, from: string, name: string): string | null => {
  const has = (path: string) => where.tree.has(path) || (where.layer?.has(where.layer.real(path)) ?? false)
  const isRelative = /^\.{1,2}(\/|$)/.test(name)
  if (!isRelative && packageName(name) === null) return null
  const path = plain(isRelative ? join(folderOf(from), name) : `node_modules/${name}`)
  if (path === undefined) return null
  const candidates = [path, `${path}.json`, join(path, "tsconfig.json")]
  return candidates.find((one) => one.endsWith(".json") && has(one)) ?? null
}

const maxExtends = 16

/** What all files say together, the nearest loudest. Bounded in how many files are read. */
const merged = (where: Where, path: string, left: { files: number }): Merged => {
  const fields = left.files-- > 0 ? parsed(where, path) : null
  if (fields === null) return nothing
  const named = fields["extends"]
  const names = (Array.isArray(named) ? named : [named]).filter((one): one is string => typeof one === "string")
  let under = nothing
  for (const name of names) {
    const base = extended(where, path, name)
    if (base === null) continue
    const more = merged(where, base, left)
    under = over(under, more.options, more)
  }
  const own = fields["compilerOptions"]
  return over(under, isMap(own) ? own : {}, { pathsFrom: folderOf(path), baseFrom: folderOf(path) })
}

const over = (under: Merged, options: Fields, from: Pick<Merged, "pathsFrom" | "baseFrom">): Merged => ({
  options: { ...under.options, ...options },
  pathsFrom: Object.hasOwn(options, "paths") ? from.pathsFrom : under.pathsFrom,
  baseFrom: Object.hasOwn(options, "baseUrl") ? from.baseFrom : under.baseFrom
})

const aliasesOf = ({ baseFrom, options, pathsFrom }: Merged): PathAliases => {
  const baseUrl = options["baseUrl"]
  const base = typeof baseUrl === "string" ? plain(join(baseFrom, baseUrl)) : undefined
  const named = options["paths"]
  const from = base ?? pathsFrom
  const patterns = (isMap(named) ? Object.entries(named) : []).slice(0, Limits.pageSize).map(([pattern, targets]) => ({
    pattern,
    targets: (Array.isArray(targets) ? targets : []).filter((one): one is string => typeof one === "string")
  }))
  const starOf = (pattern: string, specifier: string): string | null => {
    const at = pattern.indexOf("*")
    if (at < 0) return pattern === specifier ? "" : null
    const [before, after] = [pattern.slice(0, at), pattern.slice(at + 1)]
    return specifier.length >= before.length + after.length && specifier.startsWith(before) && specifier.endsWith(after)
      ? specifier.slice(before.length, specifier.length - after.length)
      : null
  }
  const rank = (pattern: string) => (pattern.includes("*") ? pattern.indexOf("*") : Number.POSITIVE_INFINITY)
  return (specifier) => {
    const best = patterns
      .filter(({ pattern }) => starOf(pattern, specifier) !== null)
      .sort((a, b) => rank(b.pattern) - rank(a.pattern))[0]
    const star = best === undefined ? "" : (starOf(best.pattern, specifier) ?? "")
    const targets = (best?.targets ?? []).map((target) =>
      plain(
        join(
          from,
          target.replace("*", () => star)
        )
      )
    )
    return [...targets, ...(base === undefined ? [] : [plain(join(base, specifier))])].filter(
      (path): path is string => path !== undefined && path !== ""
    )
  }
}

/** `preserve` leaves JSX to another program, which there is not here. */
const jsxModes: Readonly<Record<string, string>> = {
  "react-jsx": "react-jsx",
  "react-jsxdev": "react-jsx",
  react: "react"
}
const plainOptions = [
  "jsxFactory",
  "jsxFragmentFactory",
  "jsxImportSource",
  "experimentalDecorators",
  "useDefineForClassFields"
]

/** The settings of the nearest tsconfig.json to `main`; `named` is another file that the wrangler file names. */
export const typeScriptSettings = (
  where: Where,
  main: string,
  jsx: JsxDefaults,
  named: string | null = null
): TypeScriptSettings => {
  const near = foldersAbove(main)
    .map((folder) => join(folder, "tsconfig.json"))
    .find(where.tree.has)
  const path = named ?? near
  const all = path === undefined ? nothing : merged(where, path, { files: maxExtends })
  const mode = all.options["jsx"]
  const options: Record<string, unknown> = {
    ...(jsx.factory === null ? {} : { jsxFactory: jsx.factory }),
    ...(jsx.fragment === null ? {} : { jsxFragmentFactory: jsx.fragment })
  }
  for (const name of plainOptions) if (Object.hasOwn(all.options, name)) options[name] = all.options[name]
  if (typeof mode === "string" && Object.hasOwn(jsxModes, mode)) options["jsx"] = jsxModes[mode]
  else if (typeof options["jsxImportSource"] === "string") options["jsx"] = "react-jsx"
  return { raw: JSON.stringify({ compilerOptions: options }), aliases: aliasesOf(all) }
}
