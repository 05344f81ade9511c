/** `CanonicalRemote` in memory. */
import { Effect, Layer } from "effect"
import { Repositories } from "@pawl/core/project/Repositories"
import {
  CanonicalRemote,
  type CanonicalRemoteShape,
  RemoteDiverged,
  type RemoteFault
} from "@pawl/core/release/CanonicalRemote"

/** A remote in memory, for every URL. The caller may change it. */
export interface MemoryRemote {
  /** The commit of its `main`; null when there is none. */
  main: string | null
  /** What every push fails with, while it is set. */
  fault: RemoteFault | null
}

/** Moves `state.main` as a push would; what is held by what is asked of `Repositories`. */
export const layerMemory = (state: MemoryRemote): Layer.Layer<never, never, Repositories> =>
  Layer.effect(
    CanonicalRemote,
    Effect.map(Repositories, (repositories): CanonicalRemoteShape => {
      /** Whether a commit is made of another; what the Project does not hold is made of nothing. */
      const holds = Effect.fnUntraced(
        function* (project: string, commit: string, other: string) {
          const seen = new Set([commit])
          for (const next of seen) for (const parent of yield* repositories.parents({ project }, next)) seen.add(parent)
          return seen.has(other)
        },
        Effect.orElseSucceed(() => false)
      )
      return {
        push: ({ commit, project }) =>
          Effect.gen(function* () {
            if (state.fault !== null) return yield* state.fault
            const main = state.main
            if (main !== null && (yield* holds(project, main, commit))) return
            if (main !== null && !(yield* holds(project, commit, main))) return yield* new RemoteDiverged({ main })
            state.main = commit
          })
      }
    })
  )
