/**
 * A Worker that another program has bundled (`no_bundle`): its modules stay as they are, under the names by which they
 * import each other. Runs in the process of one build.
 */
import { init, parse } from "es-module-lexer/minimal"
import type { BuildProblem } from "@pawl/core/bundle/AppBuilder"
import { exactText } from "@pawl/core/primitives/Utf8"
import { LocalLimits } from "../../LocalLimits.ts"
import { authPackage } from "../auth/AuthPackages.ts"
import { mapFile, namedMap, readMap } from "../maps/CleanMap.ts"
import { type RuleType, typesByRule } from "../settings/ModuleRules.ts"
import type { BundlerAnswer, BundlerOrder } from "./BundlerMessages.ts"
import { problem } from "./BundlerProblem.ts"
import { runtimeModule } from "./RuntimeModules.ts"
import { folderOf, join, plain, shown } from "./TreePaths.ts"

interface Module {
  readonly name: string
  /** Its path in the tree. */
  readonly path: string
  readonly type: RuleType
  readonly content: Uint8Array
}

interface Kept {
  readonly answer: BundlerAnswer
  readonly reached: ReadonlySet<string>
}

/** All files below the folder that a rule fits; null when the rules take too long to compare. */
const found = (main: string, base: string, order: BundlerOrder): ReadonlyArray<Module> | null => {
  const named = new Map<string, string>()
  for (const path of order.files.keys())
    if (base === "" || path.startsWith(`${base}/`)) named.set(path.slice(join(base, "").length), path)
  const types = typesByRule(order.rules, [...named.keys()])
  if (types === null) return null
  const modules = [...named].flatMap(([name, path]): ReadonlyArray<Module> => {
    const type = path === main ? "esm" : types.get(name)
    // Assets are for browsers.
    const isAsset = order.assets !== null && path.startsWith(`${order.assets}/`) && path !== main
    return type === undefined || isAsset
      ? []
      : [{ name, path, type, content: order.files.get(path) ?? new Uint8Array() }]
  })
  return [...modules].sort((a, b) => Number(b.path === main) - Number(a.path === main) || (a.name < b.name ? -1 : 1))
}

const overLimits = (modules: ReadonlyArray<Module>, base: string, order: BundlerOrder): ReadonlyArray<BuildProblem> => {
  if (modules.length > LocalLimits.buildModules) {
    const text = `There are ${modules.length} modules below ${base === "" ? "the root" : base}; an app may have ${LocalLimits.buildModules}.`
    return [problem("modules_over_limit", text, { file: base })]
  }
  let bytes = 0
  for (const { content } of modules) bytes += content.byteLength
  const tooBig = modules.filter(({ content }) => content.byteLength > order.moduleBytes)
  if (tooBig.length > 0)
    return tooBig.map(({ content, path }) =>
      problem(
        "module_over_limit",
        `This module is ${content.byteLength} bytes; a module may have ${order.moduleBytes}.`,
        { file: path }
      )
    )
  if (bytes <= LocalLimits.buildModulesBytes) return []
  const most = [...modules].sort((a, b) => b.content.byteLength - a.content.byteLength)[0]
  const text = `The modules have ${bytes} bytes together; an app may have ${LocalLimits.buildModulesBytes}. The biggest is ${most?.path}.`
  return [problem("modules_over_limit", text, { file: base })]
}

interface Parsed {
  readonly problems: ReadonlyArray<BuildProblem>
  /** It imports what only a bundler finds. */
  readonly needsBundler: boolean
  readonly exportsDefault: boolean
}

const lineAt = (text: string, at: number): number => {
  let line = 1
  for (let next = text.indexOf("\n"); next >= 0 && next < at; next = text.indexOf("\n", next + 1)) line++
  return line
}

/** What one module imports, judged as everywhere. */
const parsed = (module: Module, text: string, names: ReadonlySet<string>, order: BundlerOrder): Parsed => {
  const problems: Array<BuildProblem> = []
  let needsBundler = false
  const [imports, exports] = parse(text)
  for (const { d, n, ss } of imports) {
    // `import.meta`, and names that only a run knows.
    if (d === -2 || n === undefined) continue
    const refuse = (code: string, reason: string) =>
      problems.push(
        problem(code, `${module.path} imports ${shown(n)}: ${reason}.`, { file: module.path, line: lineAt(text, ss) })
      )
    const auth = authPackage(n)
    const given = runtimeModule(n, order.flags)
    if (auth !== null)
      refuse("auth_package", `this is ${auth.kind}. Apps have no real login: let people pick a demo user`)
    else if (given?._tag === "Given") needsBundler ||= given.name !== n
    else if (given?._tag === "Refused" && n.includes(":")) refuse(given.code, given.reason)
    else if (/^\.{1,2}\//.test(n)) {
      const to = plain(join(folderOf(module.name), n))
      // Code that is not there may be asked for on the way to what is.
      if ((to === undefined || !names.has(to)) && d < 0)
        refuse("import_missing", "there is no such module beside the main one")
    } else if (/^[a-z][a-z0-9+.-]*:/i.test(n) || n.startsWith("/"))
      refuse("import_remote", "only files of the source can be imported")
    else needsBundler = true
  }
  return { problems, needsBundler, exportsDefault: exports.some(({ n }) => n === "default") }
}

/** A map beside a module, or where its last line says. */
const mapOf = ({ content, path, type }: Module, order: BundlerOrder): Uint8Array | null => {
  if (type !== "esm") return null
  const named = namedMap(path, exactText(content) ?? "")
  for (const place of [mapFile(path), ...(named === null ? [] : [named])]) {
    const bytes = order.files.get(place)
    const map =
      bytes === undefined ? null : readMap(exactText(bytes) ?? "", folderOf(place), (one) => order.files.has(one))
    if (map !== null) return Buffer.from(JSON.stringify(map))
  }
  return null
}

const refused = (problems: ReadonlyArray<BuildProblem>, order: BundlerOrder): Kept => ({
  answer: { _tag: "Refused", problems: problems.slice(0, order.problems) },
  reached: new Set()
})

/** The modules of such a Worker; null when one of them imports what has to be bundled. */
export const keptModules = async (main: string, base: string, order: BundlerOrder): Promise<Kept | null> => {
  const modules = found(main, base, order)
  if (modules === null)
    return refused(
      [problem("settings_invalid", `The globs of "rules" take too long to compare with the files.`)],
      order
    )
  const over = overLimits(modules, base, order)
  if (over.length > 0) return refused(over, order)
  await init()
  const names = new Set(modules.map(({ name }) => name))
  const problems: Array<BuildProblem> = []
  for (const module of modules.filter(({ type }) => type !== "data" && type !== "wasm")) {
    const text = exactText(module.content)
    if (text === null) problems.push(problem("not_text", `${module.path} is not UTF-8 text.`, { file: module.path }))
    else if (module.type === "esm") {
      let one: Parsed
      try {
        one = parsed(module, text, names, order)
      } catch {
        problems.push(problem("syntax", `${module.path} is no module that can be read.`, { file: module.path }))
        continue
      }
      if (one.needsBundler && one.problems.length === 0) return null
      problems.push(...one.problems)
      if (module.path === main && !one.exportsDefault)
        problems.push(
          problem(
            "default_export_missing",
            `${main} has no default export: a Worker exports an object with a fetch function, or a class that has one.`,
            { file: main }
          )
        )
    }
  }
  if (problems.length > 0) return refused(problems, order)
  let left: number = LocalLimits.buildMapBytes
  const withMaps = modules.map(({ content, name, path, type }) => {
    const map = mapOf({ content, name, path, type }, order)
    left -= map?.byteLength ?? 0
    return { name, type, content, map: left < 0 ? null : map }
  })
  return {
    answer: { _tag: "Bundled", main: modules[0]?.name ?? null, modules: withMaps, packages: [], warnings: [] },
    reached: new Set(modules.map(({ path }) => path))
  }
}
