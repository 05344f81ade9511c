/** package-lock.json, versions 2 and 3, as npm writes it: which package stands at which place. */
import { compareCodePoints } from "../primitives/CodePoints.ts"
import { Limits } from "../primitives/Limits.ts"
import type { LockedPackage } from "./PackageLock.ts"
import { fits, type Machine, needsInWords, needsOf } from "./PackageMachine.ts"
import {
  dependenciesOf,
  dependencyKinds,
  directOf,
  isObject,
  type JsonObject,
  type PackageManifest,
  readObject
} from "./PackageManifest.ts"
import {
  aliasOf,
  foreignAddress,
  foreignWords,
  isPackageName,
  isPackageVersion,
  isRegistryAddress,
  packageAt,
  readIntegrity
} from "./PackageNames.ts"
import { keyLines, packageProblem, packageProblems, type PackageSpot, quoted } from "./PackageProblems.ts"
import type { PackageProblem, ReadLock } from "./PackageStore.ts"
import { wholeText } from "../primitives/Utf8.ts"

/** The name of the file. */
export const npmLockFile = "package-lock.json"

/** What a reader of locks needs to know beside them. */
export interface LockReading {
  readonly machine: Machine
  /** Whether a version is of a range (semver, as npm reads it). True for a range that is a tag. */
  readonly satisfies: (version: string, range: string) => boolean
}

const npmMend = "Run `npm install --package-lock-only` and commit the lock."

/** What is wrong with the integrity of a package, in words; else the digest that it is checked by. */
export const judgedIntegrity = (
  named: string,
  integrity: unknown,
  spot: PackageSpot,
  mend = npmMend
): { readonly integrity: string } | PackageProblem => {
  if (typeof integrity !== "string" || integrity === "")
    return packageProblem(
      "integrity_missing",
      `${named} has no integrity: what is fetched could be anything. ${mend}`,
      spot
    )
  const read = readIntegrity(integrity)
  if (read._tag === "Strong") return read
  return read._tag === "Weak"
    ? packageProblem(
        "integrity_weak",
        `${named} is locked by ${read.algorithms.join(" and ")} alone, which can be forged. sha512, sha384 and sha256 are taken. Remove its entry, then: ${mend}`,
        spot
      )
    : packageProblem(
        "integrity_malformed",
        `The integrity of ${named} (${quoted(integrity)}) is no digest. ${mend}`,
        spot
      )
}

type Judged = { readonly found: LockedPackage } | { readonly leftOut: string } | { readonly problem: PackageProblem }

const refused = (code: string, message: string, spot: PackageSpot): Judged => ({
  problem: packageProblem(code, message, spot)
})

/** What an entry is that is no package of a registry at a plain place; null when it is one. */
const oddity = (path: string, entry: JsonObject, spot: PackageSpot): PackageProblem | null => {
  const resolved = entry["resolved"]
  const instead = "Packages come from the registry alone."
  if (entry["link"] === true) {
    const target = typeof resolved === "string" ? resolved : "a folder"
    return packageProblem("package_source", `${quoted(path)} is a link to ${quoted(target)}. ${instead}`, spot)
  }
  const name = packageAt(path)
  if (name !== null) return null
  return path.split("/").includes("node_modules")
    ? packageProblem("package_place", `${quoted(path)} is no place that a package can stand at.`, spot)
    : packageProblem(
        "package_source",
        `${quoted(path)} is a folder of the source, a workspace or a link. ${instead}`,
        spot
      )
}

const judged = (path: string, entry: JsonObject, spot: PackageSpot, machine: Machine): Judged => {
  const odd = oddity(path, entry, spot)
  if (odd !== null) return { problem: odd }
  const name = entry["name"] ?? packageAt(path)
  if (typeof name !== "string" || !isPackageName(name))
    return refused("package_name", `${quoted(path)} names its package ${quoted(name)}, which is no name.`, spot)
  const needs = needsOf(entry)
  const optional = entry["optional"] === true || entry["devOptional"] === true
  if (!fits(needs, machine))
    return optional
      ? { leftOut: path }
      : refused(
          "package_machine",
          `${name} is not for this kind of machine (${machine.os} ${machine.cpu} ${machine.libc}): it needs ${needsInWords(needs)}.`,
          spot
        )
  const { resolved, version } = entry
  const instead = "Packages come from the registry alone: name a published version."
  if (resolved !== undefined && typeof resolved !== "string")
    return refused("package_source", `${name} says oddly where it comes from. ${npmMend}`, spot)
  if (typeof version !== "string" || !isPackageVersion(version)) {
    const source = typeof resolved === "string" ? foreignAddress(resolved) : null
    return source === null || source === "url"
      ? refused("package_version", `${name} has the version ${quoted(version)}, which is none. ${npmMend}`, spot)
      : refused("package_source", `${name} ${foreignWords(source)}. ${instead}`, spot)
  }
  if (resolved !== undefined && !isRegistryAddress(resolved, name, version))
    return refused(
      "package_source",
      `${name} ${version} ${foreignWords(foreignAddress(resolved))} (${quoted(shown(resolved))}). ${instead}`,
      spot
    )
  const integrity = judgedIntegrity(`${name} ${version}`, entry["integrity"], spot)
  if ("code" in integrity) return { problem: integrity }
  return {
    found: {
      path,
      name,
      version,
      integrity: integrity.integrity,
      dev: entry["dev"] === true,
      optional,
      installScript: entry["hasInstallScript"] === true,
      ...importedBy(entry),
      line: spot.line
    }
  }
}

/** The names of all that a package asks for, but for what only building it needs. */
const importedBy = (entry: JsonObject): Pick<LockedPackage, "needs"> => {
  const kinds = [entry["dependencies"], entry["optionalDependencies"], entry["peerDependencies"]]
  const names = new Set(kinds.flatMap((ranges) => (isObject(ranges) ? Object.keys(ranges) : [])))
  return names.size === 0 ? {} : { needs: [...names].toSorted(compareCodePoints) }
}

/** An address without a name and a password in it. */
const shown = (address: string): string => address.replace(/\/\/[^/@]*@/, "//")

/** What package.json asks for and the lock does not have so. */
const behind = (root: JsonObject, manifest: PackageManifest): ReadonlyArray<PackageProblem> => {
  const locked = dependenciesOf(root)
  const wanted = dependenciesOf(manifest.object)
  return dependencyKinds.flatMap((kind) => {
    const [has, wants] = [locked.get(kind), wanted.get(kind)]
    const names = [...new Set([...(wants?.keys() ?? []), ...(has?.keys() ?? [])])]
    return names.flatMap((name) => {
      const [old, now] = [has?.get(name), wants?.get(name)]
      if (old === now) return []
      const line = manifest.dependencies.find((each) => each.kind === kind && each.name === name)?.line ?? null
      const says =
        old === undefined
          ? `package.json asks for ${quoted(name)} (${quoted(now)}) in ${kind}, the lock does not.`
          : now === undefined
            ? `The lock has ${quoted(name)} in ${kind}, package.json does not.`
            : `package.json asks for ${quoted(name)} in ${kind} as ${quoted(now)}, the lock as ${quoted(old)}.`
      return [
        packageProblem("lock_behind", `${says} ${npmMend}`, {
          file: line === null ? npmLockFile : "package.json",
          line
        })
      ]
    })
  })
}

/** Dependencies of package.json for which another version stands in the lock, or none. */
const unmet = (
  manifest: PackageManifest,
  found: ReadonlyMap<string, LockedPackage>,
  leftOut: ReadonlySet<string>,
  satisfies: LockReading["satisfies"]
): ReadonlyArray<PackageProblem> =>
  manifest.dependencies.flatMap(({ line, name, range }) => {
    const path = `node_modules/${name}`
    const own = found.get(path)
    const spot = { file: "package.json", line }
    if (own === undefined)
      return leftOut.has(path) || manifest.optional.has(name)
        ? []
        : [
            packageProblem(
              "lock_behind",
              `${name} stands in package.json, and no package of it in the lock. ${npmMend}`,
              spot
            )
          ]
    const alias = aliasOf(range)
    const fitting = own.name === (alias?.name ?? name) && satisfies(own.version, alias?.range ?? range)
    return fitting
      ? []
      : [
          packageProblem(
            "lock_behind",
            `package.json asks for ${name} as ${quoted(range)}, and ${own.name} ${own.version} stands in the lock. ${npmMend}`,
            spot
          )
        ]
  })

/** Whether a package stands below one of these places. */
export const isBelowAny = (path: string, leftOut: ReadonlySet<string>): boolean => {
  for (let at = path.lastIndexOf("/node_modules/"); at > 0; at = path.lastIndexOf("/node_modules/", at - 1))
    if (leftOut.has(path.slice(0, at))) return true
  return false
}

const refusal = (problems: ReadonlyArray<PackageProblem>): ReadLock => ({
  _tag: "Refused",
  problems: packageProblems(problems)
})

const whole = (message: string, code = "lock_unreadable"): ReadLock =>
  refusal([packageProblem(code, message, { file: npmLockFile, line: null })])

/** One problem when a lock has more packages than a layer may hold. */
export const tooManyPackages = (file: string, count: number): ReadonlyArray<PackageProblem> =>
  count <= Limits.packagesPerLock
    ? []
    : [
        packageProblem(
          "packages_over_limit",
          `The lock has ${count} packages; ${Limits.packagesPerLock} may be installed. Take out what is not needed.`,
          { file, line: null }
        )
      ]

/** Reads a package-lock.json that stands beside this package.json. */
export const readNpmLock = (bytes: Uint8Array, manifest: PackageManifest, reading: LockReading): ReadLock => {
  const text = wholeText(bytes)
  const read = readObject(text)
  if ("wrong" in read) return whole(`package-lock.json cannot be read: ${read.wrong}. ${npmMend}`)
  const { lockfileVersion, packages } = read.object
  if (lockfileVersion !== 2 && lockfileVersion !== 3)
    return whole(
      `package-lock.json is of version ${quoted(lockfileVersion ?? 1)}; 2 and 3 are read. Run \`npm install --package-lock-only --lockfile-version 3\` and commit the lock.`,
      "lock_version"
    )
  if (!isObject(packages)) return whole(`package-lock.json has no list of packages. ${npmMend}`)
  const entries = Object.entries(packages)
  if (entries.length > Limits.packageLockEntries)
    return whole(`package-lock.json has more than ${Limits.packageLockEntries} entries.`, "packages_over_limit")
  const root = entries.find(([path]) => path === "")?.[1]
  if (!isObject(root)) return whole(`package-lock.json does not say what it was made for. ${npmMend}`, "lock_behind")

  const lineOf = keyLines(text ?? "")
  const found = new Map<string, LockedPackage>()
  const leftOut = new Set<string>()
  const problems: Array<PackageProblem> = [...manifest.problems, ...behind(root, manifest)]
  for (const [path, entry] of entries) {
    const spot = { file: npmLockFile, line: lineOf(path) }
    // What is bundled comes inside its parent's tarball; what is extraneous is not installed.
    if (path === "" || (isObject(entry) && (entry["inBundle"] === true || entry["extraneous"] === true))) continue
    const judgement = isObject(entry)
      ? judged(path, entry, spot, reading.machine)
      : refused("lock_unreadable", `${quoted(path)} is no entry of a package. ${npmMend}`, spot)
    if ("found" in judgement) found.set(path, judgement.found)
    else if ("leftOut" in judgement) leftOut.add(judgement.leftOut)
    else problems.push(judgement.problem)
  }
  // Where an entry was refused, or the lock is of another package.json, that is told alone.
  if (problems.length === 0) problems.push(...unmet(manifest, found, leftOut, reading.satisfies))
  const standing = [...found.values()].filter(({ path }) => !isBelowAny(path, leftOut))
  problems.push(...tooManyPackages(npmLockFile, standing.length))
  if (problems.length > 0) return refusal(problems)
  return {
    _tag: "Locked",
    lock: {
      file: npmLockFile,
      format: "npm",
      packages: standing.sort((a, b) => compareCodePoints(a.path, b.path)),
      links: [],
      direct: directOf(manifest)
    }
  }
}
