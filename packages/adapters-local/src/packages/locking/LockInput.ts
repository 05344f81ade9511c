/** Reads what a lock is to be made of: a package.json and lock files of anyone. What is strange in them goes no further. */
import { dependencyKinds, readManifest as readPackageManifest, readObject } from "@pawl/core/packages/PackageManifest"
import { foreignSource, foreignWords, isPackageName } from "@pawl/core/packages/PackageNames"
import { packageProblems, quoted } from "@pawl/core/packages/PackageProblems"
import type { PackageProblem } from "@pawl/core/packages/PackageStore"
import { type Fields, integrityOf, isFields, own, packageFields, tarballUrl, versionOf } from "./PackageFields.ts"
import { wholeText } from "@pawl/core/primitives/Utf8"

/** Why a lock cannot be made, thrown on the way. */
export class Refusal extends Error {
  readonly problems: ReadonlyArray<PackageProblem>
  constructor(problems: ReadonlyArray<PackageProblem>) {
    super(problems.map(({ message }) => message).join("\n"))
    this.problems = problems
  }
}

/** One reason, about a file. */
export const problem = (code: string, message: string, file: string | null = "package.json"): PackageProblem => ({
  code,
  message,
  file,
  line: null
})

const unreadable = (code: string, file: string, why: string) =>
  new Refusal([problem(code, `${file} cannot be read: ${why}.`, file)])

/** A package.json as a lock is made for it. */
export interface Manifest {
  readonly fields: Fields
}

const overrideSpecs = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string" ? [value] : isFields(value) ? Object.values(value).flatMap(overrideSpecs) : []

const overrideProblems = (overrides: unknown): ReadonlyArray<PackageProblem> =>
  overrideSpecs(overrides).flatMap((spec) => {
    const foreign = spec.startsWith("$") ? null : foreignSource(spec)
    const message = `"overrides" asks for ${quoted(spec)}, which ${foreign === null ? "" : foreignWords(foreign)}. Packages come from the registry alone: name a published version.`
    return foreign === null ? [] : [problem("package_source", message)]
  })

const ofRoot = [...dependencyKinds, "peerDependenciesMeta", "engines", "bin", "license"]

/** Reads a package.json. Throws a `Refusal`. */
export const readManifest = (bytes: Uint8Array): Manifest => {
  const read = readPackageManifest(bytes)
  if ("wrong" in read) throw unreadable("manifest_unreadable", "package.json", read.wrong)
  const fields = read.object
  const overrides = own(fields, "overrides")
  const problems = [...read.problems, ...overrideProblems(overrides)]
  if (problems.length > 0) throw new Refusal(packageProblems(problems))
  const name = own(fields, "name")
  const version = versionOf(own(fields, "version"))
  return {
    fields: {
      ...(typeof name === "string" && isPackageName(name) ? { name } : {}),
      ...(version === null ? {} : { version }),
      ...packageFields(fields, ofRoot),
      ...(isFields(overrides) ? { overrides } : {})
    }
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
  return first === "" && names.length > 0 && names.every(isPackageName)
}

const flags = ["dev", "optional", "devOptional", "peer", "inBundle"]

const entryOf = (path: string, value: unknown): LockEntry | null => {
  if (!isPackagePath(path) || !isFields(value) || own(value, "link") === true) return null
  const version = versionOf(own(value, "version"))
  const alias = own(value, "name")
  const name = typeof alias === "string" ? alias : nameIn(path)
  if (version === null || !isPackageName(name)) return null
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
  const text = wholeText(bytes)
  const read = readObject(text)
  if ("wrong" in read) throw unreadable("lock_unreadable", file, read.wrong)
  const version = own(read.object, "lockfileVersion")
  const packages = own(read.object, "packages")
  if ((version !== 2 && version !== 3) || !isFields(packages))
    throw new Refusal([
      problem(
        "lock_version",
        "package-lock.json is not of version 2 or 3. Run `npm install --package-lock-only --lockfile-version 3` and commit the lock.",
        file
      )
    ])
  const root = own(packages, "")
  return {
    indent: /^\{\r?\n([ \t]{1,10})"/.exec(text ?? "")?.[1] ?? "  ",
    root: isFields(root) ? packageFields(root, ofRoot) : {},
    entries: Object.entries(packages).flatMap(([path, value]) => entryOf(path, value) ?? [])
  }
}
