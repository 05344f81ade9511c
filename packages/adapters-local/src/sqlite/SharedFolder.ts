/**
 * A data folder that several processes of one machine work in, when the state is in Postgres. Each holds `lock.db`
 * shared, so that a process that wants the folder for itself is refused, and the other way round. What a dead process
 * left is cleared by one that is alone: starts take turns (`start.db`) until that one says that it is done.
 */
import { mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { Effect, Schedule } from "effect"
import { LocalLimits } from "../LocalLimits.ts"
import { FolderInUse, FolderUnavailable } from "./DataFolder.ts"
import { takeExclusive, takeShared } from "./FileLock.ts"

/** A place in the folder, which is held until the scope ends. */
export interface Share {
  readonly path: string
  /** Nobody else works in the folder until `settled`. */
  readonly alone: boolean
  /** Lets the others start. */
  readonly settled: Effect.Effect<void>
}

const unavailable = (folder: string) => (cause: unknown) =>
  new FolderUnavailable({ folder, reason: cause instanceof Error ? cause.message : String(cause) })

/** Waits for the others that start. */
const takeTurn = (folder: string) =>
  Effect.try({ try: () => takeExclusive(join(folder, "start.db")), catch: unavailable(folder) }).pipe(
    Effect.flatMap((db) => (db === null ? Effect.fail(new FolderInUse({ folder, pid: null })) : Effect.succeed(db))),
    Effect.retry({
      while: (problem) => problem._tag === "FolderInUse",
      schedule: Schedule.spaced(LocalLimits.folderLookMs).pipe(
        Schedule.upTo({ times: LocalLimits.folderStartMs / LocalLimits.folderLookMs })
      )
    })
  )

const enter = (folder: string) =>
  Effect.try({
    try: () => {
      // Alone for a moment: then nobody is at work, and nobody comes before the turn is given on.
      const own = takeExclusive(join(folder, "lock.db"))
      own?.close()
      return { member: takeShared(join(folder, "lock.db")), alone: own !== null }
    },
    catch: unavailable(folder)
  })

/** Makes the folder when it is not there, and works in it beside others until the scope ends. */
export const share = Effect.fnUntraced(function* (folder: string) {
  const path = resolve(folder)
  yield* Effect.try({ try: () => mkdirSync(path, { recursive: true }), catch: unavailable(path) })
  const turn = yield* Effect.acquireRelease(takeTurn(path), (db) => Effect.sync(() => db.close()))
  const { alone, member } = yield* Effect.acquireRelease(enter(path), (entered) =>
    Effect.sync(() => entered.member?.close())
  )
  if (member === null) return yield* new FolderInUse({ folder: path, pid: null })
  const settled = Effect.sync(() => turn.close())
  if (!alone) yield* settled
  return { path, alone, settled } satisfies Share
})
