/** The readers of this process: at most `LocalLimits.gitReaders`, one per repository, closed when idle, replaced when broken. */
import { steadyMillis } from "@pawl/core/primitives/Time"
import { Duration, Effect, Schedule, type Scope, Semaphore } from "effect"
import { LocalLimits } from "../LocalLimits.ts"
import { RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import { describe } from "@pawl/core/primitives/Words"
import { Processes } from "../spawner/Processes.ts"
import { type FoundObject, GitReader } from "./GitReader.ts"

interface Slot {
  readonly reader: GitReader
  users: number
  lastUsedMs: number
}

/** Reading of objects by id. `RepositoriesUnavailable` where a reader broke, took too long or met more than `maxBytes`. */
export interface GitReaders {
  /** The object with its bytes, or `undefined` when neither the repository nor what it borrows from has it. */
  readonly contents: (
    gitDir: string,
    id: string,
    maxBytes: number
  ) => Effect.Effect<FoundObject | undefined, RepositoriesUnavailable>
  /** The objects with their bytes, in the order of the ids. */
  readonly allContents: (
    gitDir: string,
    ids: ReadonlyArray<string>,
    maxBytes: number
  ) => Effect.Effect<ReadonlyArray<FoundObject | undefined>, RepositoriesUnavailable>
  /** The object's type and size. */
  readonly info: (gitDir: string, id: string) => Effect.Effect<FoundObject | undefined, RepositoriesUnavailable>
  /** Ends the reader of a repository that goes away. */
  readonly close: (gitDir: string) => Effect.Effect<void>
  readonly isOpen: (gitDir: string) => Effect.Effect<boolean>
  /** How many are open. */
  readonly count: Effect.Effect<number>
}

const evictOne = (slots: Map<string, Slot>): void => {
  // A permit is held by each user, and there are no more permits than slots: one of them is free.
  for (const [gitDir, slot] of slots)
    if (slot.users === 0) {
      slot.reader.close()
      slots.delete(gitDir)
      return
    }
}

// The time is of the question, not of who asked: it counts on when they have left. What the reader still owes then
// fails, and it is replaced.
const inTime = async <A>(reader: GitReader, answer: Promise<A>): Promise<A> => {
  const timer = setTimeout(() => reader.close("it took too long"), LocalLimits.gitTimeoutMs)
  return answer.finally(() => clearTimeout(timer))
}

/** Readers that end with the scope. */
export const make: Effect.Effect<GitReaders, never, Scope.Scope> = Effect.gen(function* () {
  // In order of use: the one unused for longest comes first.
  const slots = new Map<string, Slot>()
  const permits = yield* Semaphore.make(LocalLimits.gitReaders)
  const start = yield* Processes

  const take = (gitDir: string) =>
    Effect.map(steadyMillis, (now): Slot => {
      const present = slots.get(gitDir)
      slots.delete(gitDir)
      if (present === undefined && slots.size >= LocalLimits.gitReaders) evictOne(slots)
      const slot =
        present === undefined || present.reader.isBroken
          ? { reader: new GitReader(gitDir, start), users: 0, lastUsedMs: now }
          : present
      slot.users++
      slot.lastUsedMs = now
      slots.set(gitDir, slot)
      return slot
    })

  const using = <A>(gitDir: string, work: (reader: GitReader) => Promise<A>) =>
    permits.withPermits(1)(
      Effect.acquireUseRelease(
        take(gitDir),
        ({ reader }) =>
          Effect.tryPromise({
            try: () => inTime(reader, work(reader)),
            catch: (cause) =>
              new RepositoriesUnavailable({
                operation: "cat-file",
                reason: cause instanceof Error ? cause.message : "unknown"
              })
          }),
        (slot) => Effect.sync(() => slot.users--)
      )
    )

  const closeIdle = Effect.map(steadyMillis, (now) => {
    for (const [gitDir, { lastUsedMs, reader, users }] of slots)
      if (users === 0 && now - lastUsedMs >= LocalLimits.gitReaderIdleMs) {
        reader.close()
        slots.delete(gitDir)
      }
  })
  // Nobody waits for this fiber: a defect of one round would end it, and be told to nobody.
  const round = Effect.catchDefect(closeIdle, (defect) =>
    Effect.logError("idle readers of git were not closed", describe(defect))
  )
  yield* Effect.forkScoped(Effect.repeat(round, Schedule.spaced(Duration.millis(LocalLimits.gitReaderIdleMs / 2))))
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const { reader } of slots.values()) reader.close()
      slots.clear()
    })
  )

  return {
    contents: (gitDir, id, maxBytes) => using(gitDir, (reader) => reader.ask("contents", id, maxBytes)),
    allContents: (gitDir, ids, maxBytes) =>
      using(gitDir, (reader) => Promise.all(ids.map((id) => reader.ask("contents", id, maxBytes)))),
    info: (gitDir, id) => using(gitDir, (reader) => reader.ask("info", id, 0)),
    close: (gitDir) =>
      Effect.sync(() => {
        slots.get(gitDir)?.reader.close()
        slots.delete(gitDir)
      }),
    isOpen: (gitDir) => Effect.sync(() => slots.get(gitDir)?.reader.isBroken === false),
    count: Effect.sync(() => slots.size)
  }
})
