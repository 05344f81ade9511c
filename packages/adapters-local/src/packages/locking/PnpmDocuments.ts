/** What locks of pnpm tell of the packages that stand in them, as a registry would: of what they need, the versions chosen. */
import { isPackageVersion } from "@pawl/core/packages/PackageNames"
import { compare } from "semver"
import { type Fields, isFields, own, packageFields, pnpmFields } from "./PackageFields.ts"
import { nameAndVersion, type PnpmLockInput } from "./PnpmInput.ts"
import type { Packument } from "./Packuments.ts"

const dependencyKinds = ["dependencies", "optionalDependencies"] as const

/** A range for one exact version, from what a lock has chosen: a version, or a package of another name. */
const rangeOf = (chosen: string): string => {
  const [plain = ""] = chosen.split("(", 1)
  if (isPackageVersion(plain)) return plain
  const [name, version] = nameAndVersion(plain)
  return `npm:${name}@${version}`
}

const addRanges = (into: Map<string, Set<string>>, chosen: unknown, peers: Fields): void => {
  for (const [name, value] of Object.entries(isFields(chosen) ? chosen : {}))
    if (typeof value === "string" && !Object.hasOwn(peers, name))
      into.set(name, (into.get(name) ?? new Set<string>()).add(rangeOf(value)))
}

/** Any of the versions; of packages of other names the first, as ranges know no choice among those. */
const joined = (ranges: ReadonlySet<string>): string => {
  const all = [...ranges].toSorted()
  return all.every(isPackageVersion) ? all.join(" || ") : all[0]!
}

const versionOf = (lock: PnpmLockInput, key: string, fields: Fields): Fields => {
  const [name, version] = nameAndVersion(key)
  const peers = own(fields, "peerDependencies")
  const kinds = dependencyKinds.map((kind) => [kind, new Map<string, Set<string>>()] as const)
  for (const [snapshot, needs] of Object.entries(lock.snapshots))
    if (nameAndVersion(snapshot).join("@") === key)
      for (const [kind, into] of kinds) addRanges(into, own(needs, kind), isFields(peers) ? peers : {})
  const ranges = kinds.flatMap(([kind, into]) =>
    into.size === 0 ? [] : [[kind, Object.fromEntries([...into].map(([each, all]) => [each, joined(all)]))] as const]
  )
  const resolution = own(fields, "resolution")
  return {
    ...packageFields(fields),
    ...Object.fromEntries(ranges),
    ...(own(fields, "hasBin") === true ? { bin: { [name.slice(name.indexOf("/") + 1)]: "bin.js" } } : {}),
    ...pnpmFields(fields),
    name,
    version,
    dist: { integrity: isFields(resolution) ? own(resolution, "integrity") : undefined }
  }
}

/** The versions that stand in a lock, by name. `latest` is the newest of them. */
export const documentsOf = (lock: PnpmLockInput): ReadonlyMap<string, Packument> => {
  const byName = new Map<string, Record<string, Fields>>()
  for (const [key, fields] of Object.entries(lock.packages)) {
    const [name, version] = nameAndVersion(key)
    const versions = byName.get(name) ?? {}
    versions[version] = versionOf(lock, key, fields)
    byName.set(name, versions)
  }
  return new Map(
    [...byName].map(([name, versions]) => [
      name,
      { name, "dist-tags": { latest: Object.keys(versions).toSorted(compare).at(-1)! }, versions }
    ])
  )
}
