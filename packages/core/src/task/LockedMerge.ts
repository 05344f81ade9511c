/**
 * Merges ChangeSets with their locks: what moves package.json on without its lock gets one made, and where two sides
 * altered both files, these are merged by what they say. Everything else is git's.
 */
import { Effect, Option, Schema } from "effect"
import { vendoredNames } from "../bundle/AppBuilder.ts"
import type { ChangeSet } from "../model/ChangeSet.ts"
import type { DerivedFile } from "../model/DerivedFile.ts"
import { manifestConflicts, mergeManifests } from "../packages/ManifestMerge.ts"
import { lockFiles, lockFormat, type OwedLock, owedLock } from "../packages/OwedLock.ts"
import { quoted } from "../packages/PackageProblems.ts"
import { PackageStore } from "../packages/PackageStore.ts"
import { sameBytes, sha256 } from "../primitives/Digest.ts"
import { workspaceFork } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import {
  type CommitRef,
  MergeConflict,
  Repositories,
  type RepositoryRef,
  type Signature
} from "../project/Repositories.ts"
import { readBytes } from "../project/Source.ts"

/** The packages that ChangeSets ask for cannot be had together, or not at all. */
export class PackagesUnfit extends Schema.TaggedError<PackagesUnfit>()("PackagesUnfit", {
  /** Whether each side has what the other lacks: a conflict. Else package.json asks for what there is not. */
  isConflict: Schema.Boolean,
  /** The files that are in conflict; none else. */
  paths: Schema.Array(Schema.String),
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/** A ChangeSet as a merge takes it. */
export const mergeOf = (changeSet: ChangeSet) => ({
  commit: changeSet.commit,
  from: { project: changeSet.projectId, fork: workspaceFork(changeSet.runId) },
  message: `Merge ${changeSet.id}\n\n${changeSet.message}`
})

const manifestFile = "package.json"
const locks = Object.values(lockFiles)
const workspaceFile = "pnpm-workspace.yaml"
/** `{}`, for a base without a package.json. */
const emptyObject = new Uint8Array([0x7b, 0x7d])

/** What is merged: ChangeSets in order, onto a commit of the line inside a fork. */
export interface LockedMerge {
  readonly into: RepositoryRef & { readonly fork: string }
  /** Its id. */
  readonly base: string
  /** Forks that may hold that commit, where neither the fork nor canonical does. */
  readonly from?: ReadonlyArray<RepositoryRef>
  readonly changeSets: ReadonlyArray<ChangeSet>
  readonly signature: Signature
  /** Only locks that are merged, for whom no registry is asked: one that is to be made is for composing. */
  readonly mergedOnly?: boolean
}

/** Whether a ChangeSet may change which packages there are. One whose list is cut may. */
const touchesPackages = ({ cut, files }: ChangeSet): boolean =>
  cut !== undefined || files.some(({ path }) => [manifestFile, ...locks].includes(path))

const sideOf = (ref: RepositoryRef, tree: string) =>
  Effect.all({
    manifest: readBytes(ref, tree, manifestFile),
    lock: readBytes(ref, tree, lockFiles.npm),
    pnpm: readBytes(ref, tree, lockFiles.pnpm)
  })

/** The lock that is owed; null where a host has no store of packages. No registry is asked for one that is merged. */
const lockFor = Effect.fnUntraced(function* ({ format, locks, manifest, why }: OwedLock, workspace: Uint8Array | null) {
  const store = yield* Effect.serviceOption(PackageStore)
  if (Option.isNone(store)) return null
  return yield* store.value.lock({ format, manifest, locks, workspace, offline: why === "merged" }).pipe(
    Effect.catchTag("PackagesRefused", ({ message, problems }) =>
      // What no Project may have is refused where it is built, with all that is said of it.
      why === "made" && problems.every(({ code }) => code === "auth_package")
        ? Effect.succeed(null)
        : new PackagesUnfit({
            isConflict: why === "merged",
            paths: why === "merged" ? [lockFiles[format]] : [],
            reason: message
          })
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
  paths.length > 0 && paths.every((path) => path === manifestFile || locks.includes(path))

const wanted = (range: string | null): string => (range === null ? "does not have it" : `asks for ${range}`)

/** The first parts of package.json that are in conflict, each with what both sides say of it; null where none can be named. */
const inTwoWays = (
  sides: Pick<Sides, "base" | "ours" | "theirs">,
  { id }: ChangeSet,
  paths: ReadonlyArray<string>
): PackagesUnfit | null => {
  const { base, ours, theirs } = sides
  if (ours.manifest === null || theirs.manifest === null) return null
  const parts = manifestConflicts({ base: base.manifest ?? emptyObject, ours: ours.manifest, theirs: theirs.manifest })
  if (parts.length === 0) return null
  const named = parts.slice(0, Limits.packagesNamed).map((part) => {
    const what = part.name === null ? part.field : `${quoted(part.name)} of ${part.field}`
    return `${what}: ${id} ${wanted(part.theirs)}, and what it is merged with ${wanted(part.ours)}`
  })
  const more = parts.length - named.length
  const reason = [...named, ...(more === 0 ? [] : [`and ${more} more`])].join("; ")
  return new PackagesUnfit({ isConflict: true, paths: [...paths], reason })
}

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
    if (manifest === null) return yield* inTwoWays(sides, changeSet, conflicts) ?? unsettled
    contents.set(manifestFile, manifest)
  }
  const manifest = contents.get(manifestFile) ?? merged?.manifest ?? oneSided(sides, "manifest")
  const format = lockFormat({ ...sides, manifest }) ?? "npm"
  const [lockFile, side] = [lockFiles[format], format === "npm" ? "lock" : "pnpm"] as const
  if (locks.some((path) => path !== lockFile && inConflict(path))) return yield* unsettled
  const lock = merged === null ? (inConflict(lockFile) ? null : oneSided(sides, side)) : merged[side]
  const owed = owedLock({ ...sides, manifest, lock }, yield* vendoredNames)
  const isAsked = owed !== null && !(mergedOnly === true && owed.why === "made")
  const settings =
    isAsked && format === "pnpm"
      ? yield* settingsOf(into, made === null ? [root.tree, tip.tree, changeSet.tree] : [made.tree])
      : null
  if (settings === "both") return yield* unsettled
  const text = isAsked ? yield* lockFor(owed, settings) : null
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
        base: base.manifest ?? emptyObject,
        ours: ours.manifest,
        theirs: theirs.manifest
      })

/** A file that git has no conflict in, where it has one in another: the side that is not as the base was. */
const oneSided = (
  { base, ours, theirs }: Pick<Sides, "base" | "ours" | "theirs">,
  file: "manifest" | "lock" | "pnpm"
): Uint8Array | null => {
  const [before, mine, other] = [base[file], ours[file], theirs[file]]
  const isUntouched = before === null || mine === null ? before === mine : sameBytes(before, mine)
  return isUntouched ? other : mine
}

/** pnpm's settings: those of a tree, or of the base, ours and theirs where there is no merge yet. */
const settingsOf = Effect.fnUntraced(function* (ref: RepositoryRef, trees: ReadonlyArray<string>) {
  const all = yield* Effect.forEach(trees, (tree) => readBytes(ref, tree, workspaceFile))
  const [before = null, mine = before, other = before] = all
  const isSame = (a: Uint8Array | null, b: Uint8Array | null) => (a === null || b === null ? a === b : sameBytes(a, b))
  if (isSame(mine, other) || isSame(other, before)) return mine
  return isSame(mine, before) ? other : "both"
})

/** Merges in order. A ChangeSet that changes no packages costs nothing more than git's own merge. */
export const mergeLocked = Effect.fnUntraced(function* (merge: LockedMerge) {
  const repositories = yield* Repositories
  const { base, changeSets, from = [], into, signature } = merge
  if (!changeSets.some(touchesPackages)) {
    const made = yield* repositories.merge({ into, base, from, commits: changeSets.map(mergeOf), signature })
    return { ...made, derived: [] as ReadonlyArray<DerivedFile> }
  }
  // A merge of nothing brings the base into the fork.
  let tip =
    from.length === 0
      ? yield* repositories.resolve(into, base)
      : yield* repositories.merge({ into, base, from, commits: [], signature })
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

/**
 * What package.json and its lock come to in a merge that git does not make, by path, as far as they can be merged without a
 * registry. A lock that moves on with package.json alone is made when the whole is composed.
 */
export const mergedPackages = Effect.fnUntraced(function* (
  ref: RepositoryRef,
  trees: { readonly base: string; readonly ours: string; readonly theirs: string }
) {
  const found = new Map<string, Uint8Array>()
  const sides = {
    base: yield* sideOf(ref, trees.base),
    ours: yield* sideOf(ref, trees.ours),
    theirs: yield* sideOf(ref, trees.theirs)
  }
  const { ours, theirs } = sides
  if (ours.manifest === null || theirs.manifest === null) return found
  const manifest = manifestOf(sides)
  if (manifest === null) return found
  if (!sameBytes(manifest, ours.manifest)) found.set(manifestFile, manifest)
  const format = lockFormat({ ...sides, manifest }) ?? "npm"
  const lock = oneSided(sides, format === "npm" ? "lock" : "pnpm")
  const owed = owedLock({ ...sides, manifest, lock }, yield* vendoredNames)
  if (owed?.why !== "merged") return found
  const settings = format === "pnpm" ? yield* settingsOf(ref, [trees.base, trees.ours, trees.theirs]) : null
  if (settings === "both") return found
  const text = yield* lockFor(owed, settings).pipe(Effect.catchTag("PackagesUnfit", () => Effect.succeed(null)))
  if (text !== null) found.set(lockFiles[format], text)
  return found
})
