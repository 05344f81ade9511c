/** How the modules of an app are made, from the fields of a wrangler file: bundled, or kept as another program made them. */
import { LocalLimits } from "../../LocalLimits.ts"
import { folderOf } from "../bundler/TreePaths.ts"
import { defaultRules, type ModuleRule, ruleTypes } from "./ModuleRules.ts"
import { isFields } from "./SettingsFile.ts"

/** What a build goes by. */
export interface ModuleSettings {
  /** The folder below which all files that a rule fits stay modules of their own; null to bundle. */
  readonly modules: string | null
  /** What files are by their path, before their extension says it. */
  readonly rules: ReadonlyArray<ModuleRule>
  readonly jsx: { readonly factory: string | null; readonly fragment: string | null }
  /** The tsconfig that the settings name. */
  readonly tsconfig: string | null
}

/** The fields that this reads. */
export const moduleFields = [
  "no_bundle",
  "rules",
  "base_dir",
  "find_additional_modules",
  "jsx_factory",
  "jsx_fragment",
  "tsconfig"
] as const

/** Where nothing is said. */
export const noModuleSettings: ModuleSettings = {
  modules: null,
  rules: [],
  jsx: { factory: null, fragment: null },
  tsconfig: null
}

interface Read {
  readonly field: (name: string) => unknown
  /** A path of the tree, from a text that is relative to the settings; null when it leads elsewhere. */
  readonly path: (text: string) => string | null
  readonly refuse: (code: string, message: string, field: string) => void
}

interface OneRule extends ModuleRule {
  readonly fallthrough: boolean
}

const ruleOf = (value: unknown): OneRule | string => {
  const globs = isFields(value) ? value["globs"] : undefined
  if (!isFields(value) || !Array.isArray(globs) || !globs.every((glob) => typeof glob === "string"))
    return `"rules" must be a list of objects with a "type" and "globs".`
  const type = value["type"]
  if (typeof type !== "string" || !Object.hasOwn(ruleTypes, type))
    return `A rule's "type" must be one of ${Object.keys(ruleTypes).join(", ")}.`
  return { type: ruleTypes[type] ?? "esm", globs, fallthrough: value["fallthrough"] === true }
}

const none = { own: [], all: [] }

/** The project's rules, then those that hold anyway: a type whose rule does not say `fallthrough` has no further ones. */
const rulesOf = ({
  field,
  refuse
}: Read): { readonly own: ReadonlyArray<ModuleRule>; readonly all: ReadonlyArray<ModuleRule> } => {
  const value = field("rules") ?? []
  const globs = Array.isArray(value) ? value.flatMap((rule) => (isFields(rule) ? rule["globs"] : [])) : []
  if (!Array.isArray(value) || globs.length > LocalLimits.buildRuleGlobs) {
    refuse("settings_invalid", `"rules" must be a list with at most ${LocalLimits.buildRuleGlobs} globs.`, "rules")
    return none
  }
  const own: Array<ModuleRule> = []
  const closed = new Set<string>()
  for (const one of value) {
    const rule = ruleOf(one)
    if (typeof rule === "string") {
      refuse("settings_invalid", rule, "rules")
      return none
    }
    if (!closed.has(rule.type)) own.push({ type: rule.type, globs: rule.globs })
    if (!rule.fallthrough) closed.add(rule.type)
  }
  return { own, all: [...own, ...defaultRules.filter(({ type }) => !closed.has(type))] }
}

const textAt = ({ field, refuse }: Read, name: "jsx_factory" | "jsx_fragment"): string | null => {
  const value = field(name) ?? null
  if (value === null || (typeof value === "string" && /^[\w$.]{1,100}$/.test(value))) return value
  refuse("settings_invalid", `"${name}" must be the name of a function.`, name)
  return null
}

const pathAt = ({ field, path, refuse }: Read, name: "base_dir" | "tsconfig"): string | null => {
  const value = field(name) ?? null
  const found = typeof value === "string" ? path(value) : null
  if (value !== null && found === null) refuse("settings_invalid", `"${name}" must be a path inside the source.`, name)
  return found
}

/** Reads the fields; `main` is the main module's path. */
export const moduleSettings = (read: Read, main: string | null): ModuleSettings => {
  const noBundle = read.field("no_bundle") === true
  const additional = read.field("find_additional_modules")
  const rules = rulesOf(read)
  const base = pathAt(read, "base_dir")
  if (additional === true && !noBundle)
    read.refuse(
      "setting_unsupported",
      `"find_additional_modules" is not supported without "no_bundle": every module is found through imports.`,
      "find_additional_modules"
    )
  if (noBundle && main !== null && base !== null && base !== "" && !main.startsWith(`${base}/`))
    read.refuse("settings_invalid", `"base_dir" must be a folder that "main" lies in.`, "base_dir")
  return {
    modules: noBundle && main !== null ? (base ?? folderOf(main)) : null,
    rules: noBundle ? (additional === false ? [] : rules.all) : rules.own.filter(({ type }) => type !== "esm"),
    jsx: { factory: textAt(read, "jsx_factory"), fragment: textAt(read, "jsx_fragment") },
    tsconfig: pathAt(read, "tsconfig")
  }
}
