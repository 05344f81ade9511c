/**
 * One writer at a time per Project among all processes of the machine: a lock of SQLite's on a file, which the kernel
 * drops when its holder dies. A few files serve all Projects; two that share one wait for each other now and then.
 */
import { join } from "node:path"
import { RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import { Effect, Schedule } from "effect"
import { codeOf } from "../objects/DurableFile.ts"
import { type FileLock, takeExclusive } from "../sqlite/FileLock.ts"
import type { ProjectLocks } from "./ProjectLocks.ts"

/** How long a writer waits for those of other processes, in ms. */
const waitMs = 60_000
const lookMs = 10

/** By the first two digits of the Project's random UUID. */
const fileOf = (directory: string, project: string): string => join(directory, `${project.slice(5, 7)}.db`)

const held = new RepositoriesUnavailable({ operation: "lock", reason: "another process has been writing for too long" })

const take = (path: string): Effect.Effect<FileLock, RepositoriesUnavailable> =>
  Effect.try({
    try: () => takeExclusive(path),
    catch: (cause) => new RepositoriesUnavailable({ operation: "lock", reason: codeOf(cause) })
  }).pipe(Effect.flatMap((lock) => (lock === null ? Effect.fail(held) : Effect.succeed(lock))))

/** Adds the lock among processes to the queue of this process. `directory` is there already. */
export const make = (queues: ProjectLocks, directory: string): ProjectLocks => ({
  writing: (project) => (work) =>
    queues.writing(project)(
      Effect.acquireUseRelease(
        Effect.interruptible(
          Effect.retry(take(fileOf(directory, project)), {
            while: (problem) => problem === held,
            schedule: Schedule.jittered(Schedule.spaced(lookMs)).pipe(Schedule.upTo(waitMs))
          })
        ),
        () => work,
        (db) => Effect.sync(() => db.close())
      )
    )
})
