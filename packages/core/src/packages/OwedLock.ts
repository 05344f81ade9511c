/** Whether a merge owes a lock, and what it is to be made of. Only dependencies that changed, and overrides, ask for one. */
import { compareCodePoints } from "../primitives/CodePoints.ts"
import { canonicalJson, sameBytes } from "../primitives/Digest.ts"
import { pnpmLockFile } from "./LockFiles.ts"
import { npmLockFile } from "./NpmLock.ts"
import type { LockFormat } from "./PackageLock.ts"
import { dependenciesOf, dependencyKinds, isObject, type JsonObject, readObject } from "./PackageManifest.ts"
import { readPnpmText } from "./PnpmLockText.ts"
import { wholeText } from "../primitives/Utf8.ts"

/** The files of one side of a merge that say which packages it has; null for one that is not there. */
export interface PackageSide {
  readonly manifest: Uint8Array | null
  /** package-lock.json. */
  readonly lock: Uint8Array | null
  /** pnpm-lock.yaml. */
  readonly pnpm: Uint8Array | null
}

/** A merge, by these files. */
export interface PackageMerge {
  readonly base: PackageSide
  readonly ours: PackageSide
  readonly theirs: PackageSide
  /** The merged package.json; null for none. */
  readonly manifest: Uint8Array | null
  /** The lock, in the one form that it has, as it was merged by its lines; null for none, and for lines in conflict. */
  readonly lock: Uint8Array | null
}

/** The lock that a merge owes. */
export interface OwedLock {
  readonly format: LockFormat
  /** `merged`: both sides altered it. `made`: package.json moved on without it. */
  readonly why: "made" | "merged"
  readonly manifest: Uint8Array
  readonly locks: ReadonlyArray<Uint8Array>
}

const objectOf = (bytes: Uint8Array | null): JsonObject => {
  const read = readObject(bytes === null ? null : wholeText(bytes))
  return "object" in read ? read.object : {}
}

/** Dependencies of all kinds, as one text to compare. */
const asked = (object: JsonObject): string =>
  canonicalJson(
    [...dependenciesOf(object)].map(([kind, ranges]) => [
      kind,
      [...ranges].toSorted(([a], [b]) => compareCodePoints(a, b))
    ])
  )

/** What package.json says of packages beside asking for them: the fields that each kind of lock is made by. */
const told = (format: LockFormat, object: JsonObject): string => {
  if (format === "npm") return canonicalJson(object["overrides"] ?? null)
  const pnpm = partOf(object, "pnpm")
  return canonicalJson(
    [object["resolutions"], pnpm["overrides"], pnpm["packageExtensions"], pnpm["ignoredOptionalDependencies"]].map(
      (each) => each ?? null
    )
  )
}

const rootOf = (lock: Uint8Array): JsonObject => {
  const packages = objectOf(lock)["packages"]
  const root = isObject(packages) ? packages[""] : undefined
  return isObject(root) ? root : {}
}

const partOf = (object: JsonObject, key: string): JsonObject => {
  const value = Object.hasOwn(object, key) ? object[key] : undefined
  return isObject(value) ? value : {}
}

const isSame = (one: Uint8Array | null, other: Uint8Array | null): boolean =>
  one === null || other === null ? one === other : sameBytes(one, other)

const rangesOf = (object: JsonObject): ReadonlySet<string> =>
  new Set(
    [...dependenciesOf(object).values()].flatMap((ranges) => [...ranges].map(([name, range]) => `${name} ${range}`))
  )

/** Whether something is asked for that was not before, and that does not come along with every build. */
const asksForMore = (before: JsonObject, after: JsonObject, vendored: ReadonlyArray<string>): boolean => {
  const known = rangesOf(before)
  return [...rangesOf(after)].some((each) => !known.has(each) && !vendored.includes(each.slice(0, each.indexOf(" "))))
}

/** Where a lock of each form stands. */
export const lockFiles: Readonly<Record<LockFormat, string>> = { npm: npmLockFile, pnpm: pnpmLockFile }

/** Whose lock this is about: one of pnpm where there is no other, or where package.json says that pnpm is used. */
export const lockFormat = ({ base, manifest, ours, theirs }: Omit<PackageMerge, "lock">): LockFormat | null => {
  const all = [base, ours, theirs]
  const [hasNpm, hasPnpm] = [all.some(({ lock }) => lock !== null), all.some(({ pnpm }) => pnpm !== null)]
  if (hasNpm && hasPnpm) return null
  const manager = hasNpm || hasPnpm ? undefined : objectOf(manifest)["packageManager"]
  return hasPnpm || (typeof manager === "string" && manager.startsWith("pnpm@")) ? "pnpm" : "npm"
}

/** Of `a>b@1` it is `b` that is overridden. */
const overriddenName = (key: string): string => (key.split(">").at(-1) ?? "").replace(/(?<=.)@.*$/, "")

/** Whether a lock of pnpm is not of this package.json. One that is not as pnpm writes it is made again, or refused then. */
const isPnpmBehind = (lock: Uint8Array, manifest: JsonObject): boolean => {
  const read = readPnpmText(lock)
  if (read === null) return true
  const root = partOf(partOf(read, "importers"), ".")
  const exempt = new Set(Object.keys(partOf(read, "overrides")).map(overriddenName))
  const wanted = dependenciesOf(manifest)
  const peers = wanted.get("peerDependencies") ?? new Map<string, string>()
  return dependencyKinds.some((kind) => {
    if (kind === "peerDependencies") return false
    const [has, needs] = [partOf(root, kind), wanted.get(kind) ?? new Map<string, string>()]
    const isOther = [...needs].some(([name, range]) => {
      if (!Object.hasOwn(has, name)) return kind !== "optionalDependencies"
      return partOf(has, name)["specifier"] !== range && !exempt.has(name)
    })
    return isOther || Object.keys(has).some((name) => !needs.has(name) && !peers.has(name))
  })
}

/** The lock that is owed; null for none. What comes along with every build, by the names in `vendored`, needs none. */
export const owedLock = (merge: PackageMerge, vendored: ReadonlyArray<string>): OwedLock | null => {
  const { base, lock, manifest, ours, theirs } = merge
  const format = lockFormat(merge)
  if (manifest === null || format === null) return null
  const lockOf = (side: PackageSide) => (format === "npm" ? side.lock : side.pnpm)
  const [old, mine, other] = [lockOf(base), lockOf(ours), lockOf(theirs)]
  if (mine !== null && other !== null && !isSame(mine, other) && !isSame(mine, old) && !isSame(other, old)) {
    const isRead = format === "npm" || [mine, other].every((each) => readPnpmText(each) !== null)
    return isRead ? { format, why: "merged", manifest, locks: [mine, other] } : null
  }
  const [before, after] = [objectOf(ours.manifest), objectOf(manifest)]
  const isTold = told(format, before) !== told(format, after)
  if (asked(before) === asked(after) && !isTold) return null
  if (lock === null) {
    // A lock that was taken away, or that is in conflict with that, is not made again.
    if (old !== null || mine !== null || other !== null) return null
    return asksForMore(before, after, vendored) ? { format, why: "made", manifest, locks: [] } : null
  }
  const isBehind = format === "npm" ? asked(rootOf(lock)) !== asked(after) : isPnpmBehind(lock, after)
  // A lock does not show what it was overridden by: one that came along with that is taken as it is.
  return isBehind || (isTold && isSame(lock, mine)) ? { format, why: "made", manifest, locks: [lock] } : null
}
