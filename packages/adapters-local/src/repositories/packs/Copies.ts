/** Copies that are as new as the log, and whether they are sound. */
import { Effect } from "effect"
import type { PackedRepository, StandingRepository } from "@pawl/core/project/PackLog"
import { RepositoriesUnavailable, type RepositoryRef } from "@pawl/core/project/Repositories"
import { LocalLimits } from "../../LocalLimits.ts"
import { exists } from "../FolderFiles.ts"
import { io } from "../GitFolder.ts"
import type { GitReaders } from "../GitReaders.ts"
import { repositoryPath, type RepositoryPath } from "../RepositoryPath.ts"
import { type CachedProject, type CacheFolder, type Copy, keyOf } from "./CacheFolder.ts"
import { updatedCopy } from "./CopyUpdate.ts"
import { areWhole } from "./ObjectFiles.ts"
import { away, awayOperation, OldList, type PackSource } from "./PackSource.ts"

/** What copies come from, and where they lie. */
export interface CopyParts {
  readonly cache: CacheFolder
  /** Of the copies' objects. */
  readonly readers: GitReaders
  readonly source: PackSource
}

/** How a repository stands in the log; null when it is not there. */
export interface Standing {
  readonly ref: RepositoryRef
  readonly found: PackedRepository | null
}

const tagOf = (error: unknown): unknown => Object(error)["_tag"]

/** Where a copy lies, whether it is there or not. */
export const pathIn = ({ cache }: CopyParts, ref: RepositoryRef): Effect.Effect<RepositoryPath> =>
  repositoryPath(cache.root, ref)

/** Forks before canonical: read one by one, canonical, read later, has all that they borrow. */
const inOrder = (refs: ReadonlyArray<RepositoryRef>): ReadonlyArray<RepositoryRef> => {
  const [first] = refs
  if (first === undefined) return []
  const forks = new Map(refs.flatMap((ref) => (ref.fork === undefined ? [] : [[ref.fork, ref] as const])))
  return [...forks.values(), { project: first.project }]
}

/** How the repositories stand in the log, with what their copies lack. */
const standings = (
  { source }: CopyParts,
  cached: CachedProject,
  refs: ReadonlyArray<RepositoryRef>
): Effect.Effect<ReadonlyArray<Standing>, RepositoriesUnavailable> =>
  Effect.suspend(() => {
    const wanted = inOrder(refs)
    const held = (ref: RepositoryRef) => cached.copies.get(keyOf(ref)) ?? null
    return Effect.map(source.log.sinceEach(wanted.map((ref) => [ref, held(ref)])), (found) =>
      wanted.map((ref, at) => ({ ref, found: found[at] ?? null }))
    )
  })

const isSame = (copy: Copy | undefined, found: StandingRepository | null): boolean =>
  found === null ? copy === undefined : copy?.born === found.born && copy.through === found.through

/** Whether no copy lacks anything, nor has what may never be handed on. What they lack is not read. */
const areSame = Effect.fnUntraced(function* (
  { source }: CopyParts,
  cached: CachedProject,
  refs: ReadonlyArray<RepositoryRef>
) {
  const stands = yield* Effect.forEach(inOrder(refs), (ref) =>
    Effect.map(source.log.standing(ref), (found) => ({ ref, found }))
  )
  return stands.every(({ found, ref }) => isSame(cached.copies.get(keyOf(ref)), found) && cached.unsure !== keyOf(ref))
})

const updateOne = Effect.fnUntraced(function* (parts: CopyParts, cached: CachedProject, { found, ref }: Standing) {
  const copy = cached.copies.get(keyOf(ref))
  const { cache, source } = parts
  if (found !== null && isSame(copy, found) && copy?.main === found.main) return
  const path = yield* pathIn(parts, ref)
  const isThis = copy !== undefined && copy.born === found?.born && copy.through <= found.through
  // Nothing may be found in what is not there: a repository that was deleted, or one that nobody was told of.
  if (!isThis && (copy !== undefined || (yield* io("open", () => exists(path.gitDir)))))
    yield* cache.discard(cached, ref)
  if (found === null) return
  // What it lacked was counted from places that are another's now: a database that was brought back.
  if (copy?.born === found.born && !isThis) return yield* new OldList({ key: path.name })
  yield* cache.put(cached, ref, yield* updatedCopy(source, path, isThis ? copy : undefined, found))
})

/** Brings all copies to where the log is. Only in the Project's turn. */
export const update = (
  parts: CopyParts,
  cached: CachedProject,
  refs: ReadonlyArray<RepositoryRef>
): Effect.Effect<ReadonlyArray<Standing>, RepositoriesUnavailable> =>
  Effect.gen(function* () {
    if (cached.unsure !== null) yield* parts.cache.throwAway(cached)
    const stands = yield* standings(parts, cached, refs)
    // Canonical first: forks lie beside it.
    for (const each of stands.toReversed()) yield* updateOne(parts, cached, each)
    return stands
  }).pipe(
    // A base took the place of what the list named, long ago: the list is read again, once.
    Effect.retry({ times: 1, while: (error) => error._tag === "OldList" }),
    Effect.catchTag("OldList", ({ key }) => away(`${key} is gone`))
  )

/** Whether git, or a file of this machine, failed; not what the copies come from. */
export const isLocal = (error: unknown): boolean =>
  error instanceof RepositoriesUnavailable && error.operation !== awayOperation

/** The same; what git cannot take is taken by empty copies, a few times: somebody may be deleting them meanwhile. */
export const renew = (
  parts: CopyParts,
  cached: CachedProject,
  refs: ReadonlyArray<RepositoryRef>,
  left: number = LocalLimits.packRenewals
): Effect.Effect<ReadonlyArray<Standing>, RepositoriesUnavailable> =>
  Effect.catchIf(
    update(parts, cached, refs),
    (error) => left > 0 && isLocal(error),
    () => Effect.andThen(parts.cache.throwAway(cached), renew(parts, cached, refs, left - 1))
  )

/**
 * The same for one who reads: the turn is taken only where a copy lacks something, or has what may never be handed on:
 * nobody is to find in canonical what main did not come to. Answers the epoch in which they were as the log: once it is
 * over they may be gone, and nothing that is not found in them is not there.
 */
export const bring = (
  parts: CopyParts,
  cached: CachedProject,
  refs: ReadonlyArray<RepositoryRef>
): Effect.Effect<number, RepositoriesUnavailable> =>
  Effect.flatMap(areSame(parts, cached, refs), (same) =>
    same
      ? Effect.succeed(cached.epoch)
      : cached.turn.withPermits(1)(Effect.map(renew(parts, cached, refs), () => cached.epoch))
  )

/** Whether each of the copies passes a look at its files. */
export const copiesAre = (
  parts: CopyParts,
  cached: CachedProject,
  refs: ReadonlyArray<RepositoryRef>,
  sound: (path: RepositoryPath, files: ReadonlySet<string>) => Promise<boolean>
): Effect.Effect<boolean> =>
  Effect.forEach(inOrder(refs), (ref) =>
    Effect.gen(function* () {
      const copy = cached.copies.get(keyOf(ref))
      const path = yield* pathIn(parts, ref)
      return copy === undefined || (yield* io("look", () => sound(path, copy.files)))
    })
  ).pipe(
    Effect.map((all) => all.every((each) => each)),
    Effect.orElseSucceed(() => false)
  )

/** Errors that a copy with holes gives too. */
const holes: ReadonlySet<unknown> = new Set(["ObjectNotFound", "NotFastForward", "PackRefused", "PublisherUnavailable"])

/** Whether an error could come of copies that are not sound, without a look at them. */
export const mayBeOfCopies = (error: unknown): boolean => isLocal(error) || holes.has(tagOf(error))

/**
 * What an error comes of: of what was `asked`; of copies that are not sound any more, `lost`; or git `failed` on copies that
 * look sound. Only in the Project's turn.
 */
export const causeOf = (
  parts: CopyParts,
  cached: CachedProject,
  refs: ReadonlyArray<RepositoryRef>,
  error: unknown
): Effect.Effect<"asked" | "lost" | "failed"> =>
  mayBeOfCopies(error)
    ? Effect.map(copiesAre(parts, cached, refs, areWhole), (whole) =>
        whole ? (isLocal(error) ? "failed" : "asked") : "lost"
      )
    : Effect.succeed("asked")

/** How often work may begin anew: on lost copies, and where git failed. */
export interface Tries {
  readonly lost: number
  readonly failed: number
}

/** Of work that has just begun: once more where git failed, more often where copies go away beneath it. */
export const tries: Tries = { lost: LocalLimits.packReads, failed: 1 }

/** What is left after one more; null where the error is the answer. Lost copies never make an answer. */
export const triesAfter = (cause: "asked" | "lost" | "failed", left: Tries): Tries | "lost" | null => {
  if (cause === "asked" || (cause === "failed" && left.failed === 0)) return null
  if (cause === "lost" && left.lost === 0) return "lost"
  return { ...left, [cause]: left[cause] - 1 }
}

/** Said where copies go away faster than they are made. */
export const lostAgain = new RepositoriesUnavailable({
  operation: "cache",
  reason: "the copies of repositories were deleted or damaged again and again"
})

/** Throws the copies away that were met at `epoch`, unless somebody did already. */
export const doubt = (
  { cache }: CopyParts,
  cached: CachedProject,
  epoch: number
): Effect.Effect<void, RepositoriesUnavailable> =>
  cached.turn.withPermits(1)(Effect.suspend(() => (cached.epoch === epoch ? cache.throwAway(cached) : Effect.void)))
