/** The `rules` of a wrangler file: which files are modules of which type, by their path. */
import { ignoredPaths } from "../assets/AssetsIgnore.ts"

/** How a module is loaded. */
export type RuleType = "esm" | "text" | "data" | "wasm"

/** Files whose path below the base folder fits one of the globs. */
export interface ModuleRule {
  readonly type: RuleType
  readonly globs: ReadonlyArray<string>
}

/** What wrangler calls them; CommonJS and Python are not to be had. */
export const ruleTypes: Readonly<Record<string, RuleType>> = {
  ESModule: "esm",
  Text: "text",
  Data: "data",
  CompiledWasm: "wasm"
}

/** What holds where the file's own rules say nothing, as in wrangler. */
export const defaultRules: ReadonlyArray<ModuleRule> = [
  { type: "text", globs: ["**/*.txt", "**/*.html", "**/*.sql"] },
  { type: "data", globs: ["**/*.bin"] },
  { type: "wasm", globs: ["**/*.wasm", "**/*.wasm?module"] }
]

/**
 * The type of each path that a rule fits, of paths below the base folder. Null when the globs take too long to compare:
 * whoever wrote them is a stranger.
 */
export const typesByRule = (
  rules: ReadonlyArray<ModuleRule>,
  paths: ReadonlyArray<string>
): ReadonlyMap<string, RuleType> | null => {
  const types = new Map<string, RuleType>()
  for (const { globs, type } of rules) {
    // The same patterns as those of .assetsignore, from the root on.
    const lines = globs.map((glob) => `/${glob.replace(/^\.?\//, "").replaceAll("\n", "")}`)
    const fits = ignoredPaths(lines.join("\n"), paths)
    if (fits === null) return null
    for (const path of fits) if (!types.has(path)) types.set(path, type)
  }
  return types
}
