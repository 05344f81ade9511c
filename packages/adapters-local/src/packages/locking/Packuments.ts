/** What there is to choose from: each package's versions, from a registry or from lock files. */
import { npmLockFile } from "@pawl/core/packages/NpmLock"
import { compare } from "semver"
import { installScripts } from "../InstallScripts.ts"
import { type LockEntry, problem, Refusal } from "./LockInput.ts"
import { type Fields, integrityOf, isFields, own, packageFields, tarballUrl, versionOf } from "./PackageFields.ts"

/** A package's versions, as a registry tells of them. */
export interface Packument {
  readonly name: string
  readonly "dist-tags": Readonly<Record<string, string>>
  readonly versions: Readonly<Record<string, Fields>>
}

const version = (name: string, number: string, fields: Fields, dist: Fields): Fields => ({
  ...fields,
  name,
  version: number,
  dist: { ...dist, tarball: tarballUrl(name, number) }
})

/** The digests of an integrity, by algorithm. */
const digestsOf = (integrity: unknown): ReadonlyMap<string, string> =>
  new Map(
    String(integrity)
      .trim()
      .split(/ +/)
      .map((each) => [each.slice(0, each.indexOf("-")), each])
  )

/** The same version in two lock files: it must be the same archive, as far as their digests can be compared. Throws a `Refusal`. */
const requireSame = (one: LockEntry, other: LockEntry): void => {
  const [known, next] = [one, other].map(({ fields }) => digestsOf(own(fields, "integrity")))
  for (const [algorithm, digest] of known!)
    if ((next!.get(algorithm) ?? digest) !== digest)
      throw new Refusal([
        problem(
          "lock_conflict",
          `The two locks have ${one.name}@${one.version} with another integrity each.`,
          npmLockFile
        )
      ])
}

/** The versions that stand in lock files, by name. `latest` is the newest of them. Throws a `Refusal` where they contradict each other. */
export const packumentsOf = (entries: ReadonlyArray<LockEntry>): ReadonlyMap<string, Packument> => {
  const byName = new Map<string, Map<string, LockEntry>>()
  for (const entry of entries) {
    const integrity = own(entry.fields, "integrity")
    // What lies in another package's archive is no package of its own.
    if (integrity === undefined) continue
    const known = byName.get(entry.name) ?? new Map<string, LockEntry>()
    const same = known.get(entry.version)
    if (same === undefined) known.set(entry.version, entry)
    else requireSame(same, entry)
    byName.set(entry.name, known)
  }
  return new Map(
    [...byName].map(([name, known]) => {
      const versions = [...known.values()].sort((a, b) => compare(a.version, b.version))
      return [
        name,
        {
          name,
          "dist-tags": { latest: versions.at(-1)!.version },
          versions: Object.fromEntries(
            versions.map((entry) => [
              entry.version,
              version(name, entry.version, packageFields(entry.fields), { integrity: own(entry.fields, "integrity") })
            ])
          )
        }
      ]
    })
  )
}

const hasInstallScript = (fields: Fields): boolean => {
  const scripts = own(fields, "scripts")
  const asks = isFields(scripts) && installScripts.some((name) => typeof own(scripts, name) === "string")
  return asks || own(fields, "hasInstallScript") === true || own(fields, "gypfile") === true
}

const shasum = (value: unknown): Fields =>
  typeof value === "string" && /^[0-9a-f]{40}$/.test(value) ? { shasum: value } : {}

/** A registry's document of a package; null when it is none, or one of another package. `more`: fields to keep besides. */
export const packumentFrom = (
  name: string,
  document: unknown,
  more: (fields: Fields) => Fields = () => ({})
): Packument | null => {
  if (!isFields(document) || own(document, "name") !== name) return null
  const versions = own(document, "versions")
  if (!isFields(versions)) return null
  const kept: Array<readonly [string, Fields]> = []
  for (const [number, fields] of Object.entries(versions)) {
    if (versionOf(number) === null || !isFields(fields)) continue
    const dist = own(fields, "dist")
    if (!isFields(dist)) continue
    const integrity = integrityOf(own(dist, "integrity"))
    const sums = integrity === undefined ? shasum(own(dist, "shasum")) : { integrity }
    const install = hasInstallScript(fields) ? { hasInstallScript: true } : {}
    kept.push([number, version(name, number, { ...packageFields(fields), ...install, ...more(fields) }, sums)])
  }
  const tags = own(document, "dist-tags")
  return {
    name,
    "dist-tags": Object.fromEntries(
      Object.entries(isFields(tags) ? tags : {}).filter(
        (tag): tag is [string, string] => tag[0] !== "__proto__" && versionOf(tag[1]) !== null
      )
    ),
    versions: Object.fromEntries(kept)
  }
}
