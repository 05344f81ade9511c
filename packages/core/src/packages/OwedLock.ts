/** Whether a merge owes a lock, and what it is to be made of. Only dependencies that changed ask for one. */
import { compareCodePoints } from "../primitives/CodePoints.ts"
import { canonicalJson, sameBytes } from "../primitives/Digest.ts"
import { dependenciesOf, fileText, isObject, type JsonObject, readObject } from "./PackageManifest.ts"

/** What packages come along with Pawl: apps import them without a lock. Builders bring exactly these. */
const vendoredNames: ReadonlySet<string> = new Set(["hono", "itty-router"])

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
  /** package-lock.json as it was merged by its lines; null for none, and where its lines are in conflict. */
  readonly lock: Uint8Array | null
}

/** The lock that a merge owes. */
export interface OwedLock {
  /** `merged`: both sides altered it. `made`: package.json moved on without it. */
  readonly why: "made" | "merged"
  readonly manifest: Uint8Array
  readonly locks: ReadonlyArray<Uint8Array>
}

const objectOf = (bytes: Uint8Array | null): JsonObject => {
  const read = readObject(bytes === null ? null : fileText(bytes))
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

const rootOf = (lock: Uint8Array): JsonObject => {
  const packages = objectOf(lock)["packages"]
  const root = isObject(packages) ? packages[""] : undefined
  return isObject(root) ? root : {}
}

const isSame = (one: Uint8Array | null, other: Uint8Array | null): boolean =>
  one === null || other === null ? one === other : sameBytes(one, other)

const rangesOf = (object: JsonObject): ReadonlySet<string> =>
  new Set(
    [...dependenciesOf(object).values()].flatMap((ranges) => [...ranges].map(([name, range]) => `${name} ${range}`))
  )

/** Whether something is asked for that was not before, and that does not come along with Pawl. */
const asksForMore = (before: JsonObject, after: JsonObject): boolean => {
  const known = rangesOf(before)
  return [...rangesOf(after)].some((each) => !known.has(each) && !vendoredNames.has(each.slice(0, each.indexOf(" "))))
}

/** The lock that is owed; null for none. pnpm's locks are never made: what is behind them is refused when it is built. */
export const owedLock = ({ base, lock, manifest, ours, theirs }: PackageMerge): OwedLock | null => {
  if (manifest === null || ours.pnpm !== null || theirs.pnpm !== null) return null
  const [mine, other] = [ours.lock, theirs.lock]
  if (mine !== null && other !== null && !isSame(mine, other) && !isSame(mine, base.lock) && !isSame(other, base.lock))
    return { why: "merged", manifest, locks: [mine, other] }
  const [before, after] = [objectOf(ours.manifest), objectOf(manifest)]
  if (asked(before) === asked(after)) return null
  if (lock === null) {
    // A lock that was taken away, or that is in conflict with that, is not made again.
    if (base.lock !== null || mine !== null || other !== null) return null
    return asksForMore(before, after) ? { why: "made", manifest, locks: [] } : null
  }
  return asked(rootOf(lock)) === asked(after) ? null : { why: "made", manifest, locks: [lock] }
}
