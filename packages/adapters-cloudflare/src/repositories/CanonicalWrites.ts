/** The canonical repository: its first commits, `main`, which only moves forward, and its end. */
import { Effect, Result } from "effect"
import {
  NotFastForward,
  ObjectNotFound,
  type Repositories,
  RepositoriesUnavailable
} from "@pawl/core/project/Repositories"
import { ancestors } from "./Ancestry.ts"
import { edited } from "./ForkWrites.ts"
import type { HeldRepositories } from "./HeldRepositories.ts"
import { writing } from "./RepositoryWrite.ts"
import { commitOf } from "./Tree.ts"

type Service = typeof Repositories.Service

const seed =
  (held: HeldRepositories): Service["seed"] =>
  ({ files, message, project, signature }) =>
    Effect.gen(function* () {
      // Judged before anything is made.
      const content = yield* Effect.fromResult(edited(new Map(), files))
      yield* held.open({ project })
      return yield* writing(held, { project }, [], (bench) =>
        Result.succeed(bench.commit(content, { parents: [], message, signature }))
      ).pipe(
        Effect.catchTag(
          "ObjectNotFound",
          () => new RepositoriesUnavailable({ operation: "seed", reason: "it was removed meanwhile" })
        )
      )
    })

const begin =
  (held: HeldRepositories): Service["begin"] =>
  ({ commit, project }) =>
    writing(held, { project }, [], (bench) =>
      Result.gen(function* () {
        yield* commitOf(bench, commit)
        const now = bench.main
        if (now !== null) {
          if (ancestors(bench, now).has(commit)) return
          // Another first commit: of a seed that was cut short before anyone was told of it.
          if ((yield* commitOf(bench, now)).parents.length > 0)
            return yield* Result.fail(new NotFastForward({ from: now, to: commit }))
        }
        bench.next = commit
      })
    )

const advance =
  (held: HeldRepositories): Service["advance"] =>
  ({ commit, expected, from, project }) =>
    writing(held, { project }, [from], (bench, lines) =>
      Result.gen(function* () {
        const now = bench.main
        if (now === commit) return
        if (now !== expected) return yield* Result.fail(new NotFastForward({ from: now ?? "nothing", to: commit }))
        const source = lines(from)
        if (source === null) return yield* Result.fail(new ObjectNotFound({ what: "repository", id: from.fork }))
        yield* commitOf(source, commit)
        if (!ancestors(source, commit).has(now))
          return yield* Result.fail(new NotFastForward({ from: now, to: commit }))
        if (!bench.fetch(source, commit)) return yield* Result.fail(new ObjectNotFound({ what: "commit", id: commit }))
        bench.next = commit
      })
    )

/** The methods of the port that write into canonical repositories, and end repositories. */
export const canonicalWrites = (
  held: HeldRepositories
): Pick<Service, "seed" | "begin" | "advance" | "compact" | "remove"> => ({
  seed: seed(held),
  begin: begin(held),
  advance: advance(held),
  compact: held.compact,
  remove: held.drop
})
