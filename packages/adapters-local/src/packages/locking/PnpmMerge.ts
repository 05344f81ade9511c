/** Several locks of pnpm as one, the same whatever their order: what only one has, and of what both have the newer. */
import { packageProblems } from "@pawl/core/packages/PackageProblems"
import { pnpmLockFile } from "@pawl/core/packages/LockFiles"
import { compareCodePoints } from "@pawl/core/primitives/CodePoints"
import { compareBuild, valid } from "semver"
import { problem, Refusal } from "./LockInput.ts"
import { type Fields, isFields, own } from "./PackageFields.ts"
import { nameAndVersion, pnpmKinds, type PnpmLockInput } from "./PnpmInput.ts"

const textOf = (value: unknown): string => JSON.stringify(value) ?? ""

/** The later of two versions as locks have them, with their peers; of others the one whose text is. */
const later = (one: string, other: string): string => {
  const [a, b] = [one, other].map((each) => {
    const [plain = ""] = each.split("(", 1)
    return valid(plain) ?? valid(nameAndVersion(plain)[1])
  })
  const order = a === null || b === null || a === undefined || b === undefined ? 0 : compareBuild(a, b)
  return order > 0 || (order === 0 && compareCodePoints(one, other) >= 0) ? one : other
}

const merged = <A>(
  one: Readonly<Record<string, A>>,
  other: Readonly<Record<string, A>>,
  both: (one: A, other: A, key: string) => A
): Readonly<Record<string, A>> => {
  const all = new Map(Object.entries(one))
  for (const [key, value] of Object.entries(other)) {
    const known = all.get(key)
    all.set(key, known === undefined ? value : both(known, value, key))
  }
  return Object.fromEntries([...all].toSorted(([a], [b]) => compareCodePoints(a, b)))
}

const newerOf = (one: Fields, other: Fields, kind: string): Fields => {
  const [a, b] = [own(one, kind), own(other, kind)]
  const versions = merged<unknown>(isFields(a) ? a : {}, isFields(b) ? b : {}, (x, y) => later(String(x), String(y)))
  return Object.keys(versions).length === 0 ? {} : { [kind]: versions }
}

const snapshotOf = (one: Fields, other: Fields): Fields => {
  const peers = [one, other].flatMap((each) => {
    const list = own(each, "transitivePeerDependencies")
    return Array.isArray(list) ? list.map(String) : []
  })
  const optional = own(one, "optional") === true && own(other, "optional") === true
  return {
    ...newerOf(one, other, "dependencies"),
    ...newerOf(one, other, "optionalDependencies"),
    ...(peers.length === 0 ? {} : { transitivePeerDependencies: [...new Set(peers)].toSorted(compareCodePoints) }),
    ...(optional ? { optional } : {})
  }
}

const integrityIn = (fields: Fields): unknown => {
  const resolution = own(fields, "resolution")
  return isFields(resolution) ? own(resolution, "integrity") : undefined
}

/** The same package in two locks: it must be the same archive. Throws a `Refusal`. */
const packageOf = (one: Fields, other: Fields, key: string): Fields => {
  if (integrityIn(one) !== integrityIn(other))
    throw new Refusal(
      packageProblems([
        problem("lock_conflict", `The two locks have ${key} with another integrity each.`, pnpmLockFile)
      ])
    )
  return compareCodePoints(textOf(one), textOf(other)) <= 0 ? one : other
}

const two = (wanted: (kind: string, name: string) => unknown, one: PnpmLockInput, other: PnpmLockInput) => {
  const direct = pnpmKinds.map((kind) => {
    const both = merged(one.direct[kind] ?? {}, other.direct[kind] ?? {}, (a, b, name) => {
      const fit = [a, b].filter((each) => own(each, "specifier") === wanted(kind, name))
      if (fit.length === 1) return fit[0]!
      return later(String(own(a, "version")), String(own(b, "version"))) === own(a, "version") ? a : b
    })
    return [kind, both] as const
  })
  // What the whole was told differently is told anew.
  const about = Object.entries(one.about).filter(([name, value]) => textOf(value) === textOf(other.about[name]))
  return {
    about: { ...Object.fromEntries(about), settings: one.about["settings"] ?? other.about["settings"] },
    direct: Object.fromEntries(direct),
    packages: merged(one.packages, other.packages, packageOf),
    snapshots: merged(one.snapshots, other.snapshots, snapshotOf),
    hasAddresses: one.hasAddresses || other.hasAddresses
  } satisfies PnpmLockInput
}

/** All locks as one, for a package.json; null for none. Throws a `Refusal` where they contradict each other. */
export const mergedLocks = (locks: ReadonlyArray<PnpmLockInput>, manifest: Fields): PnpmLockInput | null => {
  const wanted = (kind: string, name: string) => {
    const ranges = own(manifest, kind)
    return isFields(ranges) ? own(ranges, name) : undefined
  }
  const [first, ...others] = locks.toSorted((a, b) => compareCodePoints(textOf(a), textOf(b)))
  return first === undefined ? null : others.reduce((all, each) => two(wanted, all, each), first)
}
