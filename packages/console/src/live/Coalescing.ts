/** Many keys that become stale at once are told together: a burst of events is one round of requests. */
import type { Key } from "../api/Keys.ts"
import { widest } from "./Invalidation.ts"

/** Milliseconds that the first of a round waits for others. */
const waitMs = 100

/** Milliseconds that rounds are apart at most, however much moves. */
const apartMostMs = 3000

/**
 * How far apart, in ms, the next round is where so many things moved in the last `apartMostMs`: one Change at work is
 * followed closely, a crowd is not, also where it moves one by one.
 */
const apartMs = (moved: number): number => Math.min(apartMostMs, waitMs * moved ** 2)

/** How far apart rounds are of the one thing that somebody looks at, in ms: its next step is to be there within half a second. */
export const shownApartMs = 250

/** What time it is in ms, and what runs something later: of the browser, or a test's. */
export interface Clock {
  readonly now: () => number
  readonly later: (run: () => void, ms: number) => unknown
}

const browser: Clock = { now: () => performance.now(), later: (run, ms) => setTimeout(run, ms) }

/**
 * What is added is told together after `waitMs`, or later where much moves: `apart` says how far from the round before, by how
 * many things moved. `of` names the thing that moved: its Change.
 */
export const coalescing = (
  tell: (stale: ReadonlyArray<Key>) => void,
  { later, now }: Clock = browser,
  apart: (moved: number) => number = apartMs
): ((stale: ReadonlyArray<Key>, of?: string) => void) => {
  let waiting: ReadonlyArray<Key> = []
  /** When each thing moved last. */
  const moved = new Map<string, number>()
  let notBefore = Number.NEGATIVE_INFINITY
  return (stale, of = "") => {
    if (waiting.length === 0 && stale.length > 0)
      later(
        () => {
          const round = waiting
          for (const [each, at] of moved) if (at < now() - apartMostMs) moved.delete(each)
          notBefore = now() + apart(moved.size)
          waiting = []
          tell(round)
        },
        Math.max(waitMs, notBefore - now())
      )
    moved.set(of, now())
    waiting = widest([...waiting, ...stale])
  }
}
