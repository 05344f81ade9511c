/** Many keys that become stale at once are told together: a burst of events is one round of requests. */
import type { Key } from "../api/Keys.ts"
import { widest } from "./Invalidation.ts"

/** Milliseconds that the first of a round waits for others. */
const waitMs = 100

/** What is added is told together after `waitMs`; `later` is `setTimeout`, or a test's. */
export const coalescing = (
  tell: (stale: ReadonlyArray<Key>) => void,
  later: (run: () => void, ms: number) => unknown = setTimeout
): ((stale: ReadonlyArray<Key>) => void) => {
  let waiting: ReadonlyArray<Key> = []
  return (stale) => {
    if (waiting.length === 0 && stale.length > 0)
      later(() => {
        const round = waiting
        waiting = []
        tell(round)
      }, waitMs)
    waiting = widest([...waiting, ...stale])
  }
}
