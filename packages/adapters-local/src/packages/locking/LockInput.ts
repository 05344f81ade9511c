/** Reads what a lock is to be made of: a package.json and lock files of anyone. What is strange in them goes no further. */
import { isTextTooDeep, tooDeep } from "@pawl/core/primitives/Nesting"
import { isRegistrySpec, packageNameProblem } from "@pawl/core/packages/PackageSpec"
import type { PackageProblem } from "@pawl/core/packages/PackageStore"
import { short } from "@pawl/core/primitives/Words"
import { type Fields, integrityOf, isFields, own, packageFields, tarballUrl, versionOf } from "./PackageFields.ts"

/** Why a lock cannot be made, thrown on the way. */
export class Refusal extends Error {
  readonly problems: ReadonlyArray<PackageProblem>
  constructor(problems: ReadonlyArray<PackageProblem>) {
    super(problems.map(({ message }) => message).join("\n"))
    this.problems = problems
  }
}

/** One reason, about a file. */
export const problem = (
  code: string,
  message: string,
  file: string | null = "package.json",
  line: number | null = null
): PackageProblem => ({ code, message, file, line })

const parsed = (file: string, bytes: Uint8Array): { readonly text: string; readonly fields: Fields } => {
  const refuse = (why: string) => new Refusal([problem("packages_unreadable", `${file} cannot be read: ${why}.`, file)])
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    if (isTextTooDeep(text)) throw refuse(tooDeep)
    const fields: unknown = JSON.parse(text)
    if (!isFields(fields)) throw refuse("it is no JSON object")
    return { text, fields }
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw refuse("it is no JSON in UTF-8")
  }
}

/** The line of a JSON text in which a key stands, from 1 on; null when it is not found. */
const lineOf = (text: string, key: string): number | null => {
  const at = text.indexOf(`${JSON.stringify(key)}:`)
  return at < 0 ? null : text.slice(0, at).split("\n").length
}

const kinds = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"]

/** A package.json as a lock is made for it. */
export interface Manifest {
  readonly fields: Fields
  /** The names of its own dependencies of all kinds. */
  readonly direct: ReadonlySet<string>
}

const overrideSpecs = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string"
    ? [value]
    : isFields(value)
      ? Object.values(value).flatMap(overrideSpecs)
      : ["a value that is no text"]

const specProblems = (text: string, fields: Fields): ReadonlyArray<PackageProblem> => {
  const problems: Array<PackageProblem> = []
  for (const kind of kinds) {
    const dependencies = own(fields, kind)
    if (dependencies === undefined) continue
    if (!isFields(dependencies))
      problems.push(problem("packages_unreadable", `"${kind}" of package.json is no object.`))
    else
      for (const [name, spec] of Object.entries(dependencies)) {
        const wrong = packageNameProblem(name)
        const shown = JSON.stringify(short(name))
        const line = lineOf(text, name)
        if (wrong !== undefined)
          problems.push(
            problem("package_name_invalid", `${shown} is no name of a package: ${wrong}.`, "package.json", line)
          )
        else if (typeof spec !== "string" || !isRegistrySpec(spec))
          problems.push(
            problem(
              "dependency_not_from_registry",
              `${name} is asked for as ${JSON.stringify(short(String(spec)))}. Packages come from the npm registry: write a version or a range instead of a git, file, link or URL dependency.`,
              "package.json",
              line
            )
          )
      }
  }
  for (const spec of overrideSpecs(own(fields, "overrides") ?? {}))
    if (!isRegistrySpec(spec) && !spec.startsWith("$"))
      problems.push(
        problem(
          "dependency_not_from_registry",
          `"overrides" asks for ${JSON.stringify(short(spec))}. Packages come from the npm registry: write a version or a range.`,
          "package.json",
          lineOf(text, "overrides")
        )
      )
  if (own(fields, "workspaces") !== undefined)
    problems.push(
      problem(
        "workspaces_unsupported",
        "Workspaces are not supported: keep the app and its package.json in one folder.",
        "package.json",
        lineOf(text, "workspaces")
      )
    )
  return problems
}

/** Reads a package.json. Throws a `Refusal`. */
export const readManifest = (bytes: Uint8Array, maxProblems: number): Manifest => {
  const { fields, text } = parsed("package.json", bytes)
  const problems = specProblems(text, fields)
  if (problems.length > 0) throw new Refusal(problems.slice(0, maxProblems))
  const name = own(fields, "name")
  const version = versionOf(own(fields, "version"))
  const overrides = own(fields, "overrides")
  const names = [...kinds, "peerDependenciesMeta", "engines", "bin", "license"]
  return {
    fields: {
      ...(typeof name === "string" && packageNameProblem(name) === undefined ? { name } : {}),
      ...(version === null ? {} : { version }),
      ...packageFields(fields, names),
      ...(isFields(overrides) ? { overrides } : {})
    },
    direct: new Set(kinds.flatMap((kind) => Object.keys((own(fields, kind) ?? {}) as Fields)))
  }
}

/** One package of a lock file that came from a registry. */
export interface LockEntry {
  /** Its folder, as lock files write it. */
  readonly path: string
  readonly name: string
  readonly version: string
  /** All that a lock keeps of it. */
  readonly fields: Fields
}

/** A lock file. */
export interface Lock {
  /** How it is indented. */
  readonly indent: string
  readonly root: Fields
  readonly entries: ReadonlyArray<LockEntry>
}

const nameIn = (path: string): string => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)

const isPackagePath = (path: string): boolean => {
  const [first, ...names] = path.split(/(?:^|\/)node_modules\//)
  return first === "" && names.length > 0 && names.every((name) => packageNameProblem(name) === undefined)
}

const flags = ["dev", "optional", "devOptional", "peer", "inBundle"]

const entryOf = (path: string, value: unknown): LockEntry | null => {
  if (!isPackagePath(path) || !isFields(value) || own(value, "link") === true) return null
  const version = versionOf(own(value, "version"))
  const alias = own(value, "name")
  const name = typeof alias === "string" ? alias : nameIn(path)
  if (version === null || packageNameProblem(name) !== undefined) return null
  const resolved = own(value, "resolved")
  // What came from git or a file is no package of a registry: it is asked for anew.
  if (resolved !== undefined && (typeof resolved !== "string" || !/^https?:\/\//.test(resolved))) return null
  const inBundle = own(value, "inBundle") === true
  const integrity = integrityOf(own(value, "integrity"))
  if (!inBundle && integrity === undefined) return null
  return {
    path,
    name,
    version,
    fields: {
      ...(name === nameIn(path) ? {} : { name }),
      version,
      ...(inBundle ? {} : { resolved: tarballUrl(name, version), integrity }),
      ...packageFields(value),
      ...Object.fromEntries(flags.filter((flag) => own(value, flag) === true).map((flag) => [flag, true]))
    }
  }
}

/** Reads a package-lock.json of version 2 or 3. Throws a `Refusal`. */
export const readLock = (bytes: Uint8Array): Lock => {
  const file = "package-lock.json"
  const { fields, text } = parsed(file, bytes)
  const version = own(fields, "lockfileVersion")
  const packages = own(fields, "packages")
  if ((version !== 2 && version !== 3) || !isFields(packages))
    throw new Refusal([
      problem(
        "lock_version_unsupported",
        'package-lock.json is not of version 2 or 3. Run "npm install --package-lock-only" with npm 7 or newer.',
        file
      )
    ])
  const root = own(packages, "")
  return {
    indent: /^\{\r?\n([ \t]{1,10})"/.exec(text)?.[1] ?? "  ",
    root: isFields(root) ? packageFields(root, [...kinds, "peerDependenciesMeta", "engines", "bin", "license"]) : {},
    entries: Object.entries(packages).flatMap(([path, value]) => entryOf(path, value) ?? [])
  }
}
