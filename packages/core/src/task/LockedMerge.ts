/**
 * Merges ChangeSets with their locks: what moves package.json on without its lock gets one made, and where two sides
 * altered both files, these are merged by what they say. Everything else is git's.
 */
import { Effect, Option, Schema } from "effect"
import type { ChangeSet } from "../model/ChangeSet.ts"
import type { DerivedFile } from "../model/DerivedFile.ts"
import { mergeManifests } from "../packages/ManifestMerge.ts"
import { type OwedLock, owedLock } from "../packages/OwedLock.ts"
import { PackageStore } from "../packages/PackageStore.ts"
import { sameBytes, sha256 } from "../primitives/Digest.ts"
import {
  type CommitRef,
  MergeConflict,
  Repositories,
  type RepositoryRef,
  type Signature
} from "../project/Repositories.ts"
import { readBytes } from "../project/Source.ts"
import { mergeOf } from "./ApartMerge.ts"

/** The packages that ChangeSets ask for cannot be had together, or not at all. */
export class PackagesUnfit extends Schema.TaggedError<PackagesUnfit>()("PackagesUnfit", {
  /** Whether each side has what the other lacks: a conflict. Else package.json asks for what there is not. */
  isConflict: Schema.Boolean,
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

const manifestFile = "package.json"
const lockFile = "package-lock.json"
const pnpmFile = "pnpm-lock.yaml"

/** What is merged: ChangeSets in order, onto a commit of the line inside a fork. */
export interface LockedMerge {
  readonly into: RepositoryRef & { readonly fork: string }
  readonly base: CommitRef
  readonly changeSets: ReadonlyArray<ChangeSet>
  readonly signature: Signature
  /** Only locks that are merged, for whom no registry is asked: one that is to be made is for composing. */
  readonly mergedOnly?: boolean
}

/** Whether a ChangeSet may change which packages there are. One whose list is cut may. */
const touchesPackages = ({ cut, files }: ChangeSet): boolean =>
  cut !== undefined || files.some(({ path }) => [manifestFile, lockFile, pnpmFile].includes(path))

const sideOf = (ref: RepositoryRef, tree: string) =>
  Effect.all({
    manifest: readBytes(ref, tree, manifestFile),
    lock: readBytes(ref, tree, lockFile),
    pnpm: readBytes(ref, tree, pnpmFile)
  })

/** The lock that is owed; null where a host has no store of packages. No registry is asked for one that is merged. */
const lockFor = Effect.fnUntraced(function* ({ locks, manifest, why }: OwedLock) {
  const store = yield* Effect.serviceOption(PackageStore)
  if (Option.isNone(store)) return null
  return yield* store.value.lock({ manifest, locks, offline: why === "merged" }).pipe(
    Effect.catchTag("PackagesRefused", ({ message, problems }) =>
      // What no Project may have is refused where it is built, with all that is said of it.
      why === "made" && problems.every(({ code }) => code === "auth_package")
        ? Effect.succeed(null)
        : new PackagesUnfit({ isConflict: why === "merged", reason: message })
    )
  )
})

/** What git comes to: a commit, or paths in conflict that may yet be settled. */
const attempted = <E>(merge: Effect.Effect<CommitRef, E | MergeConflict>) =>
  merge.pipe(
    Effect.map((made): Attempt => ({ made, conflicts: [] })),
    Effect.catchIf(
      (error): error is E & MergeConflict => error instanceof MergeConflict && mayBeSettled(error),
      ({ paths }) => Effect.succeed<Attempt>({ made: null, conflicts: paths })
    )
  )

interface Attempt {
  readonly made: CommitRef | null
  readonly conflicts: ReadonlyArray<string>
}

const mayBeSettled = ({ paths }: MergeConflict): boolean =>
  paths.length > 0 && paths.every((path) => path === manifestFile || path === lockFile)

/** The merge of one ChangeSet that may change packages. */
const mergeOne = Effect.fnUntraced(function* (
  { into, mergedOnly, signature }: LockedMerge,
  tip: CommitRef,
  changeSet: ChangeSet
) {
  const repositories = yield* Repositories
  const commit = mergeOf(changeSet)
  const merging = (contents?: ReadonlyMap<string, Uint8Array>) =>
    repositories.merge({
      into,
      base: tip.commit,
      commits: [contents === undefined ? commit : { ...commit, contents }],
      signature
    })
  const { conflicts, made } = yield* attempted(merging())
  if (made?.commit === tip.commit) return { tip: made, derived: [] }
  const root = yield* repositories.resolve(into, changeSet.baseCommit)
  const sides = {
    base: yield* sideOf(into, root.tree),
    ours: yield* sideOf(into, tip.tree),
    theirs: yield* sideOf(into, changeSet.tree)
  }
  const merged = made === null ? null : yield* sideOf(into, made.tree)
  const unsettled = new MergeConflict({ paths: [...conflicts] })
  const contents = new Map<string, Uint8Array>()
  const inConflict = (path: string) => conflicts.includes(path)
  if (inConflict(manifestFile)) {
    const manifest = manifestOf(sides)
    if (manifest === null) return yield* unsettled
    contents.set(manifestFile, manifest)
  }
  const plain = { manifest: merged?.manifest ?? oneSided(sides, "manifest"), lock: merged?.lock ?? null }
  const lock = merged === null && !inConflict(lockFile) ? oneSided(sides, "lock") : plain.lock
  const owed = owedLock({ ...sides, manifest: contents.get(manifestFile) ?? plain.manifest, lock })
  const text = owed === null || (mergedOnly === true && owed.why === "made") ? null : yield* lockFor(owed)
  if (text === null && inConflict(lockFile)) return yield* unsettled
  if (text !== null && (lock === null || !sameBytes(text, lock))) contents.set(lockFile, text)
  if (contents.size === 0 && made !== null) return { tip: made, derived: [] }
  const derived: Array<DerivedFile> = []
  for (const [path, bytes] of contents) {
    const why = path === lockFile ? (owed?.why ?? "made") : "merged"
    derived.push({ path, changeSet: changeSet.id, why, sha256: yield* sha256(bytes) })
  }
  return { tip: yield* merging(contents), derived }
})

type Sides = Parameters<typeof owedLock>[0]

const manifestOf = ({ base, ours, theirs }: Pick<Sides, "base" | "ours" | "theirs">): Uint8Array | null =>
  ours.manifest === null || theirs.manifest === null
    ? null
    : mergeManifests({
        base: base.manifest ?? new Uint8Array([0x7b, 0x7d]),
        ours: ours.manifest,
        theirs: theirs.manifest
      })

/** A file that git has no conflict in, where it has one in another: the side that is not as the base was. */
const oneSided = (
  { base, ours, theirs }: Pick<Sides, "base" | "ours" | "theirs">,
  file: "manifest" | "lock"
): Uint8Array | null => {
  const [before, mine, other] = [base[file], ours[file], theirs[file]]
  const isUntouched = before === null || mine === null ? before === mine : sameBytes(before, mine)
  return isUntouched ? other : mine
}

/** Merges in order. A ChangeSet that changes no packages costs nothing more than git's own merge. */
export const mergeLocked = Effect.fnUntraced(function* (merge: LockedMerge) {
  const repositories = yield* Repositories
  const { base, changeSets, into, signature } = merge
  if (!changeSets.some(touchesPackages)) {
    const made = yield* repositories.merge({ into, base: base.commit, commits: changeSets.map(mergeOf), signature })
    return { ...made, derived: [] as ReadonlyArray<DerivedFile> }
  }
  let tip = base
  const derived: Array<DerivedFile> = []
  for (const changeSet of changeSets) {
    if (touchesPackages(changeSet)) {
      const one = yield* mergeOne(merge, tip, changeSet)
      tip = one.tip
      derived.push(...one.derived)
    } else tip = yield* repositories.merge({ into, base: tip.commit, commits: [mergeOf(changeSet)], signature })
  }
  return { ...tip, derived: derived as ReadonlyArray<DerivedFile> }
}, Effect.withSpan("LockedMerge.merge"))
