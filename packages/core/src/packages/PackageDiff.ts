/** What a lock file has that another has not: packages added, removed and moved to another version. Pure. */
import type { LockedPackage, PackageLock } from "./PackageLock.ts"
import { aliasOf } from "./PackageNames.ts"

/** One version that came, went, or took another's place. */
export interface PackageChange {
  readonly name: string
  /** Null for a package, or one more version of it, that is added. */
  readonly from: string | null
  /** Null for one that is removed. The same as `from` where only its content is another. */
  readonly to: string | null
  /** Only needed while the project is built and checked. */
  readonly dev: boolean
  /** Whether it asks for scripts when it is installed; null where the lock does not say. None ever runs. */
  readonly scripts: boolean | null
  /** The lock file that names `to`, and the line; null for what is removed, and where no line is known. */
  readonly file: string | null
  readonly line: number | null
}

/** All places of one version of one name, with the same content. */
interface Version {
  readonly name: string
  readonly version: string
  readonly dev: boolean
  readonly scripts: boolean | null
  readonly line: number | null
}

const keyOf = ({ integrity, name, version }: LockedPackage): string => JSON.stringify([name, version, integrity])

/** The versions of a lock by what they are: name, version and content. */
const versionsOf = (lock: PackageLock | null): ReadonlyMap<string, Version> => {
  const found = new Map<string, Version>()
  for (const each of lock?.packages ?? []) {
    const { dev, installScript, line, name, version } = each
    const there = found.get(keyOf(each))
    found.set(keyOf(each), {
      name,
      version,
      dev: dev && there?.dev !== false,
      scripts: there?.scripts === true ? true : installScript,
      line: there?.line ?? line
    })
  }
  return found
}

const numbersOf = (version: string): ReadonlyArray<number> =>
  (version.split(/[-+]/, 1)[0] ?? "").split(".").map((part) => Number.parseInt(part, 10) || 0)

/** From the lowest version on; by its text where the numbers say no more. */
const byVersion = (one: Version, other: Version): number => {
  const [own, others] = [numbersOf(one.version), numbersOf(other.version)]
  for (let at = 0; at < Math.max(own.length, others.length); at++) {
    const apart = (own[at] ?? 0) - (others[at] ?? 0)
    if (apart !== 0) return apart
  }
  return byText(one.version, other.version)
}

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

const byName = (versions: Iterable<Version>): ReadonlyMap<string, Array<Version>> => {
  const found = new Map<string, Array<Version>>()
  for (const each of versions) {
    const there = found.get(each.name)
    if (there === undefined) found.set(each.name, [each])
    else there.push(each)
  }
  for (const each of found.values()) each.sort(byVersion)
  return found
}

const missingIn = (versions: ReadonlyMap<string, Version>, others: ReadonlyMap<string, Version>) =>
  byName([...versions].flatMap(([key, each]) => (others.has(key) ? [] : [each])))

type Pair = readonly [from: Version | undefined, to: Version | undefined]

/** Which version came for which: the same one with other content, then the highest for the highest, and so on. */
const paired = (gone: ReadonlyArray<Version>, came: ReadonlyArray<Version>): ReadonlyArray<Pair> => {
  const again = (own: Version) => (other: Version) => other.version === own.version
  const same = gone.flatMap((from): ReadonlyArray<Pair> => {
    const to = came.find(again(from))
    return to === undefined ? [] : [[from, to]]
  })
  const [left, right] = [gone.filter((from) => !came.some(again(from))), came.filter((to) => !gone.some(again(to)))]
  const length = Math.max(left.length, right.length)
  const others = Array.from({ length }, (_, at): Pair => [
    left[at - length + left.length],
    right[at - length + right.length]
  ])
  return [...same, ...others]
}

/**
 * The changes from one lock to another, by name and version; null stands for no lock. Each of several versions of one
 * name is told.
 */
export const diffOf = (before: PackageLock | null, after: PackageLock | null): ReadonlyArray<PackageChange> => {
  const [old, now] = [versionsOf(before), versionsOf(after)]
  const [gone, come] = [missingIn(old, now), missingIn(now, old)]
  return [...new Set([...gone.keys(), ...come.keys()])].toSorted(byText).flatMap((name) =>
    paired(gone.get(name) ?? [], come.get(name) ?? []).map(([from, to]): PackageChange => {
      const { dev = false, scripts = false } = to ?? from ?? {}
      const place = to === undefined ? null : (after?.file ?? null)
      return {
        name,
        from: from?.version ?? null,
        to: to?.version ?? null,
        dev,
        scripts,
        file: place,
        line: to?.line ?? null
      }
    })
  )
}

/** What package.json asks for itself. */
export interface DirectPackage {
  /** Its name in the registry: of an alias, that of what it stands for. */
  readonly name: string
  /** What the lock has for it; null where that is left out, as what is not for this machine. */
  readonly locked: LockedPackage | null
}

/** The direct packages of a lock, by the name that package.json has for each. A link leads to where one stands. */
const directOf = (lock: PackageLock | null): ReadonlyMap<string, DirectPackage> => {
  const there = new Map(lock?.packages.map((each) => [each.path, each]))
  const linked = new Map(lock?.links.map(({ path, target }) => [path, target]))
  return new Map(
    lock?.direct.map(({ name, range }) => {
      const place = `node_modules/${name}`
      const locked = there.get(linked.get(place) ?? place) ?? null
      return [name, { name: locked?.name ?? aliasOf(range)?.name ?? name, locked }]
    })
  )
}

/** What package.json asks for itself, and did not ask for under that name before. */
export const addedDirect = (before: PackageLock | null, after: PackageLock | null): ReadonlyArray<DirectPackage> => {
  const known = directOf(before)
  return [...directOf(after)].flatMap(([alias, found]) => (known.get(alias)?.name === found.name ? [] : [found]))
}
