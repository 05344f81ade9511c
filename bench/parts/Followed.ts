/** A list that is read over and over: how long after its acknowledgement each thing stood there. */
import { setTimeout as pause } from "node:timers/promises"

/** Between an answer and the next question, in ms: what answers has the same processors. */
const everyMs = 2

interface Sought<A> {
  readonly isShown: (list: A) => boolean
  readonly sinceMs: number
  readonly seen: (afterMs: number) => void
}

/** Somebody who reads a list. */
export interface Followed<A> {
  /** How long after now the first answer came that shows something, in ms. Rejects when the list cannot be read, or never does. */
  readonly until: (isShown: (list: A) => boolean) => Promise<number>
  /** Reads no more. */
  readonly end: () => Promise<void>
}

/** Reads a list, one question after the other, until it is told to end. */
export const follow = <A>(read: () => Promise<A>, patienceMs = 60_000): Followed<A> => {
  const sought = new Set<Sought<A>>()
  let isOver = false
  const look = async () => {
    while (!isOver) {
      const list = await read()
      const atMs = performance.now()
      for (const each of sought)
        if (each.isShown(list)) {
          sought.delete(each)
          each.seen(atMs - each.sinceMs)
        } else if (atMs - each.sinceMs > patienceMs) throw new Error("the list never came to show it")
      await pause(everyMs)
    }
  }
  const looking = look()
  // Who waits for something is told, and whoever ends this.
  looking.catch(() => undefined)
  return {
    until: (isShown) => {
      const sinceMs = performance.now()
      const shown = new Promise<number>((seen) => void sought.add({ isShown, sinceMs, seen }))
      return Promise.race([shown, looking.then(() => shown)])
    },
    end: () => {
      isOver = true
      return looking
    }
  }
}
