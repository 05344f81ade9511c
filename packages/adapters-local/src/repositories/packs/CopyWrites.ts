/**
 * Writing in copies: who writes has the Project to itself on this machine, and hands on what is new before anyone is told
 * of it. Where another machine was quicker, or the copies were not sound, the work begins anew.
 */
import { randomUUID } from "node:crypto"
import { Effect, Exit, Option } from "effect"
import type { PackedRepository } from "@pawl/core/project/PackLog"
import { RepositoriesUnavailable, type RepositoryRef } from "@pawl/core/project/Repositories"
import { LocalLimits } from "../../LocalLimits.ts"
import { exists } from "../FolderFiles.ts"
import { io, readMain } from "../GitFolder.ts"
import { isObjectId } from "../RepositoryPath.ts"
import { type CachedProject, keyOf } from "./CacheFolder.ts"
import {
  causeOf,
  type CopyParts,
  isLocal,
  lostAgain,
  pathIn,
  renew,
  tries,
  type Tries,
  triesAfter,
  update
} from "./Copies.ts"
import { isConnected } from "./Connected.ts"
import { bytesOf, objectFiles, packOf, readObjects } from "./ObjectFiles.ts"
import { away } from "./PackSource.ts"

/** What lies in a copy and is in no pack of the log. */
const newFiles = (gitDir: string, cached: CachedProject, ref: RepositoryRef) =>
  Effect.map(
    io("list", () => objectFiles(gitDir)),
    (files) => files.filter((name) => cached.copies.get(keyOf(ref))?.files.has(name) !== true)
  )

const deletedBeneath = new RepositoriesUnavailable({
  operation: "ship",
  reason: "what was written is not there any more"
})

/** The commit that a write answers; null where it answers none. */
const tipOf = (answer: unknown): string | null => {
  const commit: unknown = typeof answer === "string" ? answer : Object(answer)["commit"]
  return typeof commit === "string" && isObjectId(commit) ? commit : null
}

/** Puts a repository into the log that is new here. False where another machine did, or canonical is not there. */
const opened = Effect.fnUntraced(function* ({ source }: CopyParts, ref: RepositoryRef, born: string) {
  if (!(yield* source.log.open(ref, born))) return false
  return (yield* source.log.standing(ref))?.born === born
})

/** Hands on what a write left in the copy. False: another machine was quicker, and the copy is of no use. */
const ship = Effect.fnUntraced(function* (
  parts: CopyParts,
  cached: CachedProject,
  {
    answer,
    before,
    canonical,
    ref
  }: {
    readonly answer: unknown
    readonly before: PackedRepository | null
    readonly canonical: PackedRepository | null
    readonly ref: RepositoryRef
  }
) {
  const { cache, source } = parts
  const { gitDir } = yield* pathIn(parts, ref)
  if (!(yield* io("open", () => exists(gitDir)))) return answer === null ? true : yield* deletedBeneath
  const fresh = yield* newFiles(gitDir, cached, ref)
  const objects = yield* io("pack", () => readObjects(gitDir, fresh))
  const bytes = yield* io("pack", () => packOf(objects))
  const main = ref.fork === undefined ? ((yield* io("main", () => readMain(gitDir))) ?? null) : null
  const tip = tipOf(answer) ?? main
  if (!(yield* isConnected(parts, cached, { ref, tip, fresh, objects, main: canonical?.main ?? null })))
    return yield* deletedBeneath
  const { born, main: from, through: held } = before ?? { born: randomUUID(), main: null, through: 0 }
  if (before === null && !(yield* opened(parts, ref, born))) return false
  const moves = main === null || main === from ? {} : { main: { from, to: main } }
  let through = held
  if (bytes !== null || moves.main !== undefined) {
    // The bytes first, the row that names them after.
    const pack = bytes === null ? null : yield* source.store(ref.project, bytes)
    const stands = yield* source.log.append({ ref, born, pack, ...moves })
    if (stands === null) {
      if (pack !== null) yield* source.discard(pack)
      return false
    }
    // Packs of others may stand between: those are still to be fetched.
    if (pack !== null && stands.through === held + 1) through = stands.through
  }
  const copy = cached.copies.get(keyOf(ref))
  const sizeBytes = (copy?.sizeBytes ?? 0) + (yield* io("list", () => bytesOf(gitDir, fresh)))
  yield* cache.put(cached, ref, { born, through, main, sizeBytes, files: new Set([...(copy?.files ?? []), ...fresh]) })
  return true
})

/** Whether a refused write left something in canonical that forks could borrow and nobody else has. */
const leftIn = (parts: CopyParts, cached: CachedProject, ref: RepositoryRef): Effect.Effect<boolean> =>
  ref.fork !== undefined
    ? Effect.succeed(false)
    : Effect.flatMap(pathIn(parts, ref), ({ gitDir }) => newFiles(gitDir, cached, ref)).pipe(
        Effect.map((files) => files.length > 0),
        Effect.orElseSucceed(() => true)
      )

/** Writes into a repository, with the others at hand. What is new is in the log when it ends. */
export const writing =
  (parts: CopyParts) =>
  <A, E, R>(
    into: RepositoryRef,
    others: ReadonlyArray<RepositoryRef>,
    work: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | RepositoriesUnavailable, R> => {
    const refs = [into, ...others]
    const attempt = (
      cached: CachedProject,
      conflicts: number,
      left: Tries
    ): Effect.Effect<A, E | RepositoriesUnavailable, R> =>
      Effect.gen(function* () {
        const stands = yield* renew(parts, cached, refs)
        const foundOf = (asked: RepositoryRef) => stands.find(({ ref }) => keyOf(ref) === keyOf(asked))?.found ?? null
        const [before, canonical] = [foundOf(into), foundOf({ project: into.project })]
        // Until all is handed on: whatever ends this early leaves a copy that nobody may build on.
        cached.unsure = keyOf(into)
        const exit = yield* Effect.exit(work)
        // What it wrote may be gone, too, or what it stood on.
        const shipped = yield* Effect.exit(
          Effect.flatMap(exit, (answer) => ship(parts, cached, { answer, before, canonical, ref: into }))
        )
        const failed = Exit.findErrorOption(shipped)
        if (Option.isSome(failed)) {
          const after = triesAfter(yield* causeOf(parts, cached, refs, failed.value), left)
          if (after === "lost") return yield* lostAgain
          if (after !== null) return yield* attempt(cached, conflicts, after)
          if (!isLocal(failed.value) && Exit.isFailure(exit) && !(yield* leftIn(parts, cached, into)))
            cached.unsure = null
          return yield* Effect.fail(failed.value)
        }
        if (yield* shipped) {
          cached.unsure = null
          return yield* exit
        }
        if (conflicts === 0) return yield* away("other machines wrote at the same time, again and again")
        return yield* attempt(cached, conflicts - 1, left)
      })
    return inTurn(parts, into.project, (cached) => attempt(cached, LocalLimits.packConflicts, tries))
  }

const inTurn = <A, E, R>(
  { cache }: CopyParts,
  project: string,
  work: (cached: CachedProject) => Effect.Effect<A, E, R>
) => Effect.scoped(Effect.flatMap(cache.lease(project), (cached) => cached.turn.withPermits(1)(work(cached))))

/** Works beside canonical and leaves it as it is. `also` brings another repository of the Project while the work runs. */
export const beside = <A, E, R>(
  parts: CopyParts,
  project: string,
  work: (also: (ref: RepositoryRef) => Effect.Effect<void, RepositoriesUnavailable>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | RepositoriesUnavailable, R> => {
  const canonical = { project }
  const attempt = (cached: CachedProject, left: Tries): Effect.Effect<A, E | RepositoriesUnavailable, R> =>
    Effect.gen(function* () {
      yield* renew(parts, cached, [canonical])
      const exit = yield* Effect.exit(work((ref) => Effect.asVoid(update(parts, cached, [ref]))))
      const failed = Exit.findErrorOption(exit)
      if (Option.isNone(failed)) return yield* exit
      const after = triesAfter(yield* causeOf(parts, cached, [canonical], failed.value), left)
      if (after === null) return yield* exit
      if (after === "lost") return yield* lostAgain
      yield* parts.cache.throwAway(cached)
      return yield* attempt(cached, after)
    })
  return inTurn(parts, project, (cached) => attempt(cached, tries))
}

/** Deletes a repository from the log, then here. */
export const dropping =
  (parts: CopyParts) =>
  (ref: RepositoryRef): Effect.Effect<void, RepositoriesUnavailable> =>
    inTurn(parts, ref.project, (cached) =>
      Effect.andThen(
        parts.source.log.drop(ref),
        ref.fork === undefined ? parts.cache.throwAway(cached) : parts.cache.discard(cached, ref)
      )
    )
