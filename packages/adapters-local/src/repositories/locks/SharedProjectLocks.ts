/**
 * One writer at a time per Project among all processes of the machine: a lock of SQLite's on a file, which the kernel
 * drops when its holder dies. Processes get it in the order in which they asked. A few files serve all Projects; two
 * that share one wait for each other now and then.
 */
import { join } from "node:path"
import { RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import { steadyMillis } from "@pawl/core/primitives/Time"
import { Effect, Schedule } from "effect"
import { LocalLimits } from "../../LocalLimits.ts"
import { codeOf } from "../../objects/DurableFile.ts"
import type { ProjectLocks } from "./ProjectLocks.ts"
import { Waiter } from "./TurnQueue.ts"

/** By the first two digits of the Project's random UUID. */
const fileOf = (directory: string, project: string): string => join(directory, `${project.slice(5, 7)}.db`)

const attempt = <A>(look: () => A): Effect.Effect<A, RepositoriesUnavailable> =>
  Effect.try({ try: look, catch: (cause) => new RepositoriesUnavailable({ operation: "lock", reason: codeOf(cause) }) })

/**
 * In milliseconds: how long one write may hold a lock before who waits gives up; how often it looks; how long the next
 * in line may leave a free lock alone before it is passed over.
 */
export interface Bounds {
  readonly heldMs: number
  readonly lookMs: number
  readonly passedOverMs: number
}

/** Waits as long as others get on. Only one that holds the lock for longer than any write may take ends the waiting. */
const turn = (
  waiter: Waiter,
  { heldMs, lookMs }: Pick<Bounds, "heldMs" | "lookMs">
): Effect.Effect<void, RepositoriesUnavailable> =>
  Effect.flatMap(steadyMillis, (now) =>
    Effect.flatMap(
      attempt(() => waiter.look(now)),
      (isIn) =>
        !isIn && now - waiter.stillSince >= heldMs
          ? Effect.fail(
              new RepositoriesUnavailable({
                operation: "lock",
                reason: "one write of another process takes too long: look whether that process stands still"
              })
            )
          : Effect.succeed(isIn)
    )
  ).pipe(
    Effect.repeat({
      until: (isIn) => isIn,
      schedule: Schedule.jittered(Schedule.spaced(lookMs))
    }),
    Effect.asVoid
  )

const bounds: Bounds = {
  heldMs: LocalLimits.repositoryHeldMs,
  lookMs: LocalLimits.repositoryLookMs,
  passedOverMs: LocalLimits.repositoryPassedOverMs
}

/** Adds the lock among processes to the queue of this process. `directory` is there already. */
export const make = (
  queues: ProjectLocks,
  directory: string,
  { heldMs, lookMs, passedOverMs } = bounds
): ProjectLocks => ({
  writing: (project) => (work) =>
    queues.writing(project)(
      Effect.acquireUseRelease(
        Effect.map(steadyMillis, (now) => new Waiter(fileOf(directory, project), passedOverMs, now)),
        (waiter) => Effect.andThen(turn(waiter, { heldMs, lookMs }), work),
        (waiter) =>
          Effect.ignore(
            attempt(() => waiter.close()),
            { log: "Debug" }
          )
      )
    )
})
