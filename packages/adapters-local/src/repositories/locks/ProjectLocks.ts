/** One writer at a time per Project: a queue each, there only while someone is in it. */
import type { RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import { Effect, Semaphore } from "effect"

/** Runs work alone in its Project: first come, first served. Waiting can be interrupted. */
export interface ProjectLocks {
  readonly writing: (
    project: string
  ) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | RepositoriesUnavailable, R>
}

/** Locks among the fibers of this process alone. */
export const make = (): ProjectLocks => {
  const queues = new Map<string, { readonly semaphore: Semaphore.Semaphore; users: number }>()
  const enter = (project: string) =>
    Effect.sync(() => {
      const queue = queues.get(project) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
      queues.set(project, queue)
      queue.users++
      return queue
    })
  return {
    writing: (project) => (work) =>
      Effect.acquireUseRelease(
        enter(project),
        ({ semaphore }) => semaphore.withPermits(1)(work),
        (queue) =>
          Effect.sync(() => {
            if (--queue.users === 0) queues.delete(project)
          })
      )
  }
}
