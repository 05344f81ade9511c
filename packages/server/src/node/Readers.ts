/**
 * Looks whether those who are answered go on reading. Who is waited for and takes too little is cut off: what is held for
 * it (memory, a child of git, a place in a queue) goes back.
 */
import type { ServerResponse } from "node:http"
import { Effect } from "effect"
import { ServerLimits } from "../ServerLimits.ts"

interface Watched {
  /** Whether others wait for what this answer holds. */
  isAwaited: () => boolean
  /** What had been taken when the reader last took enough, and when that was. */
  takenBytes: number
  atMs: number
}

/** What listeners tell of their answers. */
export interface Readers {
  /** Watches an answer until it is over. */
  readonly watch: (res: ServerResponse) => void
  /** Tells how to see whether others wait for what a watched answer holds. */
  readonly isAwaited: (res: ServerResponse, see: () => boolean) => void
}

const nobody = () => false

/** Judges one answer: whether its reader has gone too long without taking enough. */
const stalls = (res: ServerResponse, watched: Watched, now: number): boolean => {
  const { socket } = res
  // An answer that comes after others on its connection has no socket yet: those are watched.
  const taken = socket === null ? watched.takenBytes : socket.bytesWritten - socket.writableLength
  const goesOn = taken - watched.takenBytes >= ServerLimits.answerStallBytes
  if (socket === null || socket.writableLength === 0 || goesOn) {
    watched.takenBytes = taken
    watched.atMs = now
    return false
  }
  const patienceMs = watched.isAwaited() ? ServerLimits.answerStallWaitedMs : ServerLimits.answerStallMs
  return now - watched.atMs >= patienceMs
}

/** Watches until the scope closes. */
export const make = Effect.gen(function* () {
  const open = new Map<ServerResponse, Watched>()
  const look = () => {
    const now = performance.now()
    for (const [res, watched] of open) if (stalls(res, watched, now)) res.destroy()
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => setInterval(look, ServerLimits.answerWatchMs)),
    (timer) => Effect.sync(() => clearInterval(timer))
  )
  return {
    watch: (res) => {
      if (res.destroyed) return
      open.set(res, { isAwaited: nobody, takenBytes: 0, atMs: performance.now() })
      res.once("close", () => open.delete(res))
    },
    isAwaited: (res, see) => {
      const watched = open.get(res)
      if (watched !== undefined) watched.isAwaited = see
    }
  } satisfies Readers
})
