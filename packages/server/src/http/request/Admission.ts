/**
 * What one caller may make the server hold: answers in the making or not yet read. What is beyond waits its turn, so that
 * whoever asks much at once is served, and whoever does not read holds a bounded part of the memory.
 */
import type { Restore } from "@pawl/core/primitives/Restore"
import { Deferred, Effect } from "effect"
import type { Problem } from "../../api/Problem.ts"
import { ServerLimits } from "../../ServerLimits.ts"
import { problemOf } from "../answer/Problems.ts"

/** The place of one answer. */
export interface Place {
  /** How much of the answer is in memory until it is read, in bytes. */
  readonly hold: (bytes: number) => void
  /** Gives the place up. Repeating it changes nothing. */
  readonly leave: () => void
}

/** The callers' places in this process. */
export interface Admission {
  /** Waits for a place and hands it to `take`. Fails when too many of the caller's requests wait already. */
  readonly enter: (caller: string, take: (place: Place) => void) => Effect.Effect<void, Problem>
}

interface Line {
  answers: number
  bytes: number
  readonly waiting: Set<Deferred.Deferred<void>>
}

const tooMany = () =>
  problemOf(
    429,
    "too_many_at_once",
    "Too many at once",
    `You have ${ServerLimits.answersPerCaller} answers that are not read to their end, and ${ServerLimits.answersWaiting} requests that wait for them.`,
    { retryAfterSeconds: 1 }
  )

const isFull = ({ answers, bytes }: Line): boolean =>
  answers >= ServerLimits.answersPerCaller || bytes >= ServerLimits.answerBytesPerCaller

/** Bounds each caller by `ServerLimits.answersPerCaller` and `answerBytesPerCaller`. */
export const make = (): Admission => {
  const lines = new Map<string, Line>()
  const serve = (caller: string, line: Line): void => {
    for (const next of line.waiting) {
      if (isFull(line)) return
      line.waiting.delete(next)
      line.answers++
      Deferred.doneUnsafe(next, Effect.void)
    }
    // Who was let in has run meanwhile, and may have begun another line.
    if (line.answers === 0 && line.waiting.size === 0 && lines.get(caller) === line) lines.delete(caller)
  }
  const placeIn = (caller: string, line: Line): Place => {
    let [held, left] = [0, false]
    return {
      hold: (bytes) => {
        if (left) return
        line.bytes += bytes - held
        held = bytes
      },
      leave: () => {
        if (left) return
        left = true
        line.answers--
        line.bytes -= held
        serve(caller, line)
      }
    }
  }
  /** To be run where nothing interrupts, so that a place is never lost; waiting can be interrupted. */
  const turnIn = (caller: string, restore: Restore): Effect.Effect<Place, Problem> =>
    Effect.suspend(() => {
      const line = lines.get(caller) ?? { answers: 0, bytes: 0, waiting: new Set() }
      lines.set(caller, line)
      const place = placeIn(caller, line)
      if (!isFull(line) && line.waiting.size === 0) {
        line.answers++
        return Effect.succeed(place)
      }
      if (line.waiting.size >= ServerLimits.answersWaiting) return Effect.fail(tooMany())
      const turn = Deferred.makeUnsafe<void>()
      line.waiting.add(turn)
      return restore(Deferred.await(turn)).pipe(
        Effect.as(place),
        Effect.onInterrupt(() =>
          Effect.sync(() => {
            // Let in at the very moment: the place goes to the next.
            if (!line.waiting.delete(turn)) place.leave()
            else serve(caller, line)
          })
        )
      )
    })
  return {
    enter: (caller, take) => Effect.uninterruptibleMask((restore) => Effect.map(turnIn(caller, restore), take))
  }
}
