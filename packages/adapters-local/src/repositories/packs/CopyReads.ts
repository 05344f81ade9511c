/** Reading in copies: who reads shares them, and begins anew where they were not sound. */
import { Effect, Exit, Option, type Scope } from "effect"
import type { RepositoriesUnavailable, RepositoryRef } from "@pawl/core/project/Repositories"
import { type CachedProject } from "./CacheFolder.ts"
import {
  bring,
  causeOf,
  copiesAre,
  type CopyParts,
  doubt,
  lostAgain,
  mayBeOfCopies,
  tries,
  type Tries,
  triesAfter
} from "./Copies.ts"
import { areThere } from "./ObjectFiles.ts"

/** Reads in repositories of one Project, the first of which names it. What is not there by then is not there. */
export const reading =
  (parts: CopyParts) =>
  <A, E, R>(
    refs: ReadonlyArray<RepositoryRef>,
    work: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | RepositoriesUnavailable, R> => {
    const attempt = (cached: CachedProject, left: Tries): Effect.Effect<A, E | RepositoriesUnavailable, R> =>
      Effect.gen(function* () {
        const epoch = yield* bring(parts, cached, refs)
        const exit = yield* Effect.exit(work)
        const failed = Exit.findErrorOption(exit)
        if (Option.isNone(failed) || !mayBeOfCopies(failed.value)) return yield* exit
        // Or somebody else threw the copies away beneath this work, or while it waited for its turn to look.
        const look = Effect.suspend(() =>
          cached.epoch === epoch ? causeOf(parts, cached, refs, failed.value) : Effect.succeed("lost" as const)
        )
        const cause = yield* cached.turn.withPermits(1)(look)
        const after = triesAfter(cause, left)
        if (after === null) return yield* exit
        if (after === "lost") return yield* lostAgain
        yield* doubt(parts, cached, epoch)
        return yield* attempt(cached, after)
      })
    return Effect.scoped(Effect.flatMap(parts.cache.lease(refs[0]?.project ?? ""), (cached) => attempt(cached, tries)))
  }

/** The commit of `main`, as the log has it: a copy may be ahead of that for a moment. */
export const loggedMain = (
  { source }: CopyParts,
  project: string
): Effect.Effect<string | null, RepositoriesUnavailable> =>
  Effect.map(source.log.standing({ project }), (found) => found?.main ?? null)

interface Brought {
  readonly cached: CachedProject
  /** In which they were as the log. */
  readonly epoch: number
}

const broughtAt = (
  parts: CopyParts,
  refs: ReadonlyArray<RepositoryRef>
): Effect.Effect<Brought, RepositoriesUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const cached = yield* parts.cache.lease(refs[0]?.project ?? "")
    const epoch = yield* bring(parts, cached, refs)
    if ((yield* copiesAre(parts, cached, refs, areThere)) && cached.epoch === epoch) return { cached, epoch }
    yield* doubt(parts, cached, epoch)
    return { cached, epoch: yield* bring(parts, cached, refs) }
  })

/** The copies for what cannot begin anew, looked at before; they stay until the scope ends. */
export const brought = (
  parts: CopyParts,
  refs: ReadonlyArray<RepositoryRef>
): Effect.Effect<CachedProject, RepositoriesUnavailable, Scope.Scope> =>
  Effect.map(broughtAt(parts, refs), ({ cached }) => cached)

/** The same, around work whose failure says that the copies are of no use: the next one gets others. */
export const serving = <A, E, R>(
  parts: CopyParts,
  refs: ReadonlyArray<RepositoryRef>,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | RepositoriesUnavailable, R> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { cached, epoch } = yield* broughtAt(parts, refs)
      return yield* Effect.tapError(work, (error) =>
        Effect.ignore(
          Effect.flatMap(causeOf(parts, cached, refs, error), (cause) =>
            cause === "asked" ? Effect.void : doubt(parts, cached, epoch)
          )
        )
      )
    })
  )
