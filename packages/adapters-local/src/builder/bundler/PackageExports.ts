/** The `exports` and `imports` of a package.json, by Node's rules (nodejs.org/api/packages.html), for esbuild's conditions. */

/** The conditions that hold in workerd, for an `import` or a `require`. */
export const conditionsOf = (kind: "import" | "require"): ReadonlySet<string> =>
  new Set(["workerd", "worker", "browser", kind, "default"])

/** The same for packages of a lock file, which bundlers give their modules too. */
export const layerConditionsOf = (kind: "import" | "require"): ReadonlySet<string> =>
  new Set([...conditionsOf(kind), "module"])

const maxDepth = 16

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The first target whose conditions hold; `null` when the package closes this path; `undefined` when nothing matches. */
const choose = (
  target: unknown,
  star: string,
  conditions: ReadonlySet<string>,
  depth: number
): string | null | undefined => {
  if (depth > maxDepth) return undefined
  if (typeof target === "string") return target.replaceAll("*", star)
  if (target === null) return null
  const options = Array.isArray(target)
    ? target
    : isMap(target)
      ? Object.entries(target).flatMap(([condition, value]) => (conditions.has(condition) ? [value] : []))
      : []
  for (const option of options) {
    const chosen = choose(option, star, conditions, depth + 1)
    if (chosen !== undefined) return chosen
  }
  return undefined
}

const starOf = (pattern: string, key: string): string | undefined => {
  const at = pattern.indexOf("*")
  if (at < 0) return undefined
  const [before, after] = [pattern.slice(0, at), pattern.slice(at + 1)]
  return key.length > before.length + after.length - 1 &&
    key.startsWith(before) &&
    key.endsWith(after) &&
    key !== before
    ? key.slice(before.length, key.length - after.length)
    : undefined
}

const lookUp = (
  map: Readonly<Record<string, unknown>>,
  key: string,
  conditions: ReadonlySet<string>
): string | null | undefined => {
  if (Object.hasOwn(map, key) && !key.includes("*")) return choose(map[key], "", conditions, 0)
  const patterns = Object.keys(map).filter((pattern) => starOf(pattern, key) !== undefined)
  // The longest text before the star is the most specific.
  patterns.sort((a, b) => b.indexOf("*") - a.indexOf("*") || b.length - a.length)
  const best = patterns[0]
  return best === undefined ? undefined : choose(map[best], starOf(best, key) ?? "", conditions, 0)
}

/** The file that `exports` names for a subpath (`.` or `./x`), as a path that starts with `./`; else `undefined`. */
export const exportTarget = (
  exports: unknown,
  subpath: string,
  conditions: ReadonlySet<string>
): string | undefined => {
  const bySubpath = isMap(exports) && Object.keys(exports).some((key) => key.startsWith("."))
  const target = lookUp(bySubpath ? exports : { ".": exports }, subpath, conditions)
  return typeof target === "string" && target.startsWith("./") ? target : undefined
}

/** What `imports` names for a `#name`: a path that starts with `./`, or another package; else `undefined`. */
export const importTarget = (imports: unknown, name: string, conditions: ReadonlySet<string>): string | undefined =>
  isMap(imports) ? (lookUp(imports, name, conditions) ?? undefined) : undefined
