/** What a package.json depends on: every field in which npm, pnpm or yarn names packages. */
import * as Jsonc from "jsonc-parser"
import { type AuthFinding, packageFinding, type Spot } from "./AuthFinding.ts"

const fields = new Set([
  "dependencies",
  "devDependencies",
  "peerDependencies",
  "peerDependenciesMeta",
  "optionalDependencies",
  "bundleDependencies",
  "bundledDependencies",
  "overrides",
  "resolutions"
])

const maxDepth = 8

/** Names stand as keys, as entries of a list, and behind `npm:` where a package has another name here. */
const named = (node: Jsonc.Node, depth: number): ReadonlyArray<readonly [name: string, at: Jsonc.Node]> => {
  if (depth === 0) return []
  const children = node.children ?? []
  if (node.type === "array")
    return children.flatMap((child) => (typeof child.value === "string" ? [[child.value, child] as const] : []))
  return children.flatMap((property) => {
    const [key, value] = property.children ?? []
    if (key === undefined || typeof key.value !== "string") return []
    const alias = typeof value?.value === "string" && value.value.startsWith("npm:") ? value.value : null
    const own = key.value.split(">").at(-1) ?? ""
    return [
      [own, key] as const,
      ...(alias === null ? [] : [[alias, key] as const]),
      ...(value?.type === "object" ? named(value, depth - 1) : [])
    ]
  })
}

const spotAt = (text: string, offset: number): Spot => {
  const lines = text.slice(0, offset).split("\n")
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}

/**
 * The packages of real login that a package.json asks for. Read with tolerance, so that a mistake in it hides no name.
 */
export const dependencyFindings = (text: string): ReadonlyArray<AuthFinding> => {
  const root = parsed(text)
  return (root?.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? []
    if (typeof key?.value !== "string" || !fields.has(key.value) || value === undefined) return []
    return named(value, maxDepth).flatMap(([name, at]) => packageFinding(name, spotAt(text, at.offset)))
  })
}

const parsed = (text: string): Jsonc.Node | undefined => {
  try {
    return Jsonc.parseTree(text, [], { allowTrailingComma: true })
  } catch {
    // Nested too deeply: nothing of it could be installed either.
    return undefined
  }
}
