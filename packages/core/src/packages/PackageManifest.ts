/** What a package.json depends on by itself. */
import { isTextTooDeep, tooDeep } from "../primitives/Nesting.ts"
import { Limits } from "../primitives/Limits.ts"
import { aliasOf, foreignSource, foreignWords, isPackageName } from "./PackageNames.ts"
import { keyLines, packageProblem, quoted } from "./PackageProblems.ts"
import type { PackageProblem } from "./PackageStore.ts"
import { wholeText } from "../primitives/Utf8.ts"

/** The fields of package.json that ask for packages. Who is in `optionalDependencies` counts as that alone, as npm does it. */
export const dependencyKinds = ["dependencies", "optionalDependencies", "devDependencies", "peerDependencies"] as const
/** One of these fields. */
export type DependencyKind = (typeof dependencyKinds)[number]

/** One of package.json's own dependencies. */
export interface ManifestDependency {
  readonly kind: DependencyKind
  readonly name: string
  readonly range: string
  readonly line: number | null
}

/** A JSON object of a file. Its keys are read as a list alone: any may be called `__proto__`. */
export type JsonObject = { readonly [key: string]: unknown }

/** Whether a value is an object, and no list. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The object that a JSON text is, or why it is none, in words. */
export const readObject = (text: string | null): { readonly object: JsonObject } | { readonly wrong: string } => {
  if (text === null) return { wrong: "it is not UTF-8" }
  if (isTextTooDeep(text)) return { wrong: tooDeep }
  try {
    const object: unknown = JSON.parse(text)
    return isObject(object) ? { object } : { wrong: "it is not a JSON object" }
  } catch {
    return { wrong: "it is not JSON" }
  }
}

/** The dependencies of a package.json or of the root of a lock, by kind: names and ranges that are texts. */
export const dependenciesOf = (object: JsonObject): ReadonlyMap<DependencyKind, ReadonlyMap<string, string>> => {
  const kinds = new Map<DependencyKind, Map<string, string>>()
  for (const kind of dependencyKinds) {
    const value = object[kind]
    const entries = isObject(value) ? Object.entries(value) : []
    kinds.set(kind, new Map(entries.flatMap(([name, range]) => (typeof range === "string" ? [[name, range]] : []))))
  }
  for (const name of kinds.get("optionalDependencies")?.keys() ?? []) kinds.get("dependencies")?.delete(name)
  return kinds
}

const isOptionalPeer = (manifest: JsonObject, name: string): boolean => {
  const meta = manifest["peerDependenciesMeta"]
  const own = isObject(meta) && Object.hasOwn(meta, name) ? meta[name] : undefined
  return isObject(own) && own["optional"] === true
}

/** A package.json, read. */
export interface PackageManifest {
  readonly object: JsonObject
  readonly dependencies: ReadonlyArray<ManifestDependency>
  /** Names that may be missing in a lock. */
  readonly optional: ReadonlySet<string>
  /** What packages cannot be had for, whatever the lock says. */
  readonly problems: ReadonlyArray<PackageProblem>
}

const file = "package.json"

const dependencyProblem = ({ line, name, range }: ManifestDependency): PackageProblem | null => {
  const spot = { file, line }
  if (!isPackageName(name)) return packageProblem("package_name", `${quoted(name)} is no name of a package.`, spot)
  const alias = aliasOf(range)
  if (alias !== null && !isPackageName(alias.name))
    return packageProblem(
      "package_name",
      `${quoted(alias.name)}, which ${name} stands for, is no name of a package.`,
      spot
    )
  if (range.length > Limits.packageRangeLength)
    return packageProblem(
      "package_range",
      `The range of ${name} is longer than ${Limits.packageRangeLength} characters.`,
      spot
    )
  const foreign = foreignSource(range)
  if (foreign === null) return null
  const instead = "Packages come from the registry alone: name a published version."
  return packageProblem("package_source", `${name} (${quoted(range)}) ${foreignWords(foreign)}. ${instead}`, spot)
}

const lineAfter = (text: string, kind: DependencyKind): ((name: string) => number | null) => {
  const at = new RegExp(`"${kind}"\\s{0,20}:`).exec(text)
  return at === null ? () => null : keyLines(text, at.index + kind.length + 2)
}

/** Reads a package.json; in words what is wrong with it where it is none. */
export const readManifest = (bytes: Uint8Array): PackageManifest | { readonly wrong: string } => {
  const text = wholeText(bytes)
  const read = readObject(text)
  if ("wrong" in read) return read
  const { object } = read
  const dependencies = [...dependenciesOf(object)].flatMap(([kind, ranges]) => {
    const lineOf = lineAfter(text ?? "", kind)
    return [...ranges].map(([name, range]) => ({ kind, name, range, line: lineOf(name) }))
  })
  const problems = dependencies.flatMap((each) => dependencyProblem(each) ?? [])
  const workspaces = object["workspaces"]
  if (workspaces !== undefined && !(Array.isArray(workspaces) && workspaces.length === 0))
    problems.push(
      packageProblem(
        "package_workspaces",
        "package.json has workspaces. A Project is one package: make a Project of each, or put their code below one package.json.",
        { file, line: keyLines(text ?? "")("workspaces") }
      )
    )
  const optional = dependencies.filter(
    ({ kind, name }) => kind === "optionalDependencies" || (kind === "peerDependencies" && isOptionalPeer(object, name))
  )
  return { object, dependencies, optional: new Set(optional.map(({ name }) => name)), problems }
}

/** Each name once, with the range that it is asked for by and whether only building needs it. */
export const directOf = (
  manifest: PackageManifest
): ReadonlyArray<{ readonly name: string; readonly range: string; readonly dev: boolean }> => {
  const found = new Map<string, { readonly name: string; readonly range: string; readonly dev: boolean }>()
  for (const { kind, name, range } of manifest.dependencies)
    if (!found.has(name)) found.set(name, { name, range, dev: kind === "devDependencies" })
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}
