/** What a Candidate makes of its base's packages: what their lock files say, and what the registry says in time. */
import { Effect, Option } from "effect"
import type { Candidate } from "../model/Candidate.ts"
import type { PackagePolicy } from "../model/Policy.ts"
import { manifestFiles } from "../packages/LockFiles.ts"
import { diffOf, type PackageChange } from "../packages/PackageDiff.ts"
import type { PackageLock } from "../packages/PackageLock.ts"
import { type ManifestFiles, type PackageFacts, PackageStore, type ReadLock } from "../packages/PackageStore.ts"
import { Limits } from "../primitives/Limits.ts"
import { candidateFork } from "../primitives/Ids.ts"
import * as Time from "../primitives/Time.ts"
import type { RepositoryRef } from "../project/Repositories.ts"
import { readBytes } from "../project/Source.ts"
import { type ChangedFile, changedFiles } from "./BaseForms.ts"
import { ageDaysAt, factsWanted, judgePackages, versionKey } from "./PackageRules.ts"

/** What two trees say of their locks. */
interface TwoLocks {
  readonly base: ReadLock
  readonly candidate: ReadLock
}

const noLocks: TwoLocks = { base: { _tag: "None" }, candidate: { _tag: "None" } }

/** Null for a tree without a lock, and for one whose lock is refused, which its build tells. */
const lockedIn = (read: ReadLock): PackageLock | null => (read._tag === "Locked" ? read.lock : null)

/** Whether packages may be others where these paths are. */
const isLocked = (paths: ReadonlyArray<string>): boolean => paths.some((path) => manifestFiles.includes(path))

/** What the files of a source say of its lock. */
const lockOf = (files: ManifestFiles) => Effect.flatMap(PackageStore, (store) => store.read(files))

const manifestsOf = Effect.fnUntraced(function* (ref: RepositoryRef, tree: string) {
  const files = new Map<string, Uint8Array>()
  for (const name of manifestFiles) {
    const found = yield* readBytes(ref, tree, name)
    if (found !== null) files.set(name, found)
  }
  return files
})

/** The locks of two trees that are in one repository. Fails with `ObjectNotFound` when there is no such tree. */
const locksOf = (ref: RepositoryRef, base: string, tree: string) =>
  Effect.all({
    base: Effect.flatMap(manifestsOf(ref, base), lockOf),
    candidate: Effect.flatMap(manifestsOf(ref, tree), lockOf)
  })

/** What the registry says of some versions, by `versionKey`; nothing of any when it is away or takes too long. */
const factsOf = Effect.fnUntraced(function* (
  wanted: ReadonlyArray<{ readonly name: string; readonly version: string }>
) {
  if (wanted.length === 0) return new Map<string, PackageFacts>()
  const found = yield* Effect.flatMap(PackageStore, (store) => store.facts(wanted)).pipe(
    Effect.timeoutOption(Limits.packageFactsMs),
    Effect.catchTag("PackagesUnavailable", (away) =>
      Effect.as(Effect.logWarning("the registry says nothing of packages", away.message), Option.none())
    )
  )
  const facts: ReadonlyArray<PackageFacts> = Option.getOrElse(found, () => [])
  return new Map(facts.map((each) => [versionKey(each.name, each.version), each]))
})

/** What is judged of the packages of two locks, as it stands in a plan. */
const judged = Effect.fnUntraced(function* (
  locks: TwoLocks,
  paths: ReadonlyArray<string>,
  policy: PackagePolicy,
  asksRegistry: boolean
) {
  const [base, candidate] = [lockedIn(locks.base), lockedIn(locks.candidate)]
  const facts = yield* factsOf(asksRegistry ? factsWanted(base, candidate, policy) : [])
  const publishedAtMs = new Map(
    [...facts].flatMap(([key, { publishedAtMs: at }]) => (at === null ? [] : [[key, at] as const]))
  )
  const installScripts = new Map(
    [...facts].flatMap(([key, { installScript: asks }]) => (asks === null ? [] : [[key, asks] as const]))
  )
  const nowMs = Time.toMillis(yield* Time.now)
  return judgePackages({ base, candidate, paths, policy, publishedAtMs, installScripts, nowMs })
})

/**
 * What is to be said of the packages that a composed tree adds to its base or moves; null for nothing. `diff` is null when
 * it could not be read. Waits for the registry only as long as composing may.
 */
export const lookAtPackages = Effect.fnUntraced(
  function* (
    { baseTree, id, projectId }: Candidate,
    tree: string,
    diff: ReadonlyArray<ChangedFile> | null,
    policy: PackagePolicy
  ) {
    const fork = { project: projectId, fork: candidateFork(id) }
    const brought =
      diff?.flatMap(({ path, status }) => (status === "deleted" ? [] : [path])) ??
      (yield* changedFiles(fork, baseTree, tree)).brought
    return yield* judged(isLocked(brought) ? yield* locksOf(fork, baseTree, tree) : noLocks, brought, policy, true)
  },
  // What is too large to be listed could not be composed.
  Effect.catchTag("TreeTooLarge", Effect.die)
)

/** Files by path, of whatever else each of them has. */
type Files = ReadonlyMap<string, { readonly content: Uint8Array }>

const manifestsIn = (files: Files): ManifestFiles =>
  new Map(
    manifestFiles.flatMap((name) => {
      const file = files.get(name)
      return file === undefined ? [] : [[name, file.content] as const]
    })
  )

/**
 * The same of files that are no Candidate yet, `paths` of which are others than in the base. No registry is asked of a
 * package's age and scripts.
 */
export const lookAtFiles = Effect.fnUntraced(function* (
  files: { readonly base: Files; readonly own: Files },
  paths: ReadonlyArray<string>,
  { minAgeDays: _, ...policy }: PackagePolicy
) {
  const brought = paths.filter((path) => files.own.has(path))
  const locks: TwoLocks = isLocked(brought)
    ? { base: yield* lockOf(manifestsIn(files.base)), candidate: yield* lockOf(manifestsIn(files.own)) }
    : noLocks
  return yield* judged(locks, brought, policy, false)
})

/** A change of packages, with what the registry says of the version that comes. */
export interface ToldChange extends Pick<PackageChange, "name" | "from" | "to" | "dev" | "scripts"> {
  readonly ageDays?: number
  /** Of a version that comes: what is known against it; null when nobody said. */
  readonly advisories?: PackageFacts["advisories"]
}

/**
 * The packages that one tree adds to another, removes from it or moves; `paths` are those in which the two differ. None
 * where the lock of `tree` is refused: nobody knows which packages it has. What the registry does not say in time is left
 * out, and its advisories are null, as are scripts that the lock does not tell: not known is not none. Fails with
 * `ObjectNotFound` when there is no such tree.
 */
export const packageChanges = Effect.fnUntraced(function* (
  ref: RepositoryRef,
  { base, paths, tree }: { readonly base: string; readonly tree: string; readonly paths: ReadonlyArray<string> }
) {
  if (!isLocked(paths)) return []
  const locks = yield* locksOf(ref, base, tree)
  if (locks.candidate._tag === "Refused") return []
  const changes = diffOf(lockedIn(locks.base), lockedIn(locks.candidate))
  const facts = yield* factsOf(changes.flatMap(({ name, to }) => (to === null ? [] : [{ name, version: to }])))
  const nowMs = Time.toMillis(yield* Time.now)
  return changes.map(({ dev, from, name, scripts, to }): ToldChange => {
    const found = to === null ? undefined : facts.get(versionKey(name, to))
    const age =
      found === undefined || found.publishedAtMs === null ? {} : { ageDays: ageDaysAt(nowMs, found.publishedAtMs) }
    const advisories = to === null ? {} : { advisories: found?.advisories ?? null }
    return { name, from, to, dev, scripts: scripts ?? found?.installScript ?? null, ...age, ...advisories }
  })
})
