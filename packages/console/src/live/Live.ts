/** News of the server make answers stale. It runs while somebody is signed in. */
import type { QueryClient } from "@tanstack/react-query"
import { useSyncExternalStore } from "react"
import { type Key, keys } from "../api/Keys.ts"
import { coalescing, shownApartMs } from "./Coalescing.ts"
import { after as next, type Connection, later, patienceMs } from "./Connection.ts"
import { frameOf, split, staleBy } from "./Invalidation.ts"
import { takePart } from "./Leader.ts"
import type { Happening } from "./Stream.ts"

const url = "/v1/changes-of-state"

/** A clock that jumped by so many ms was asleep, and the stream with it. */
const sleepMs = 30_000
const lookMs = 1000

let connection: Connection = { is: "connecting" }
const watching = new Set<() => void>()

const become = (now: Connection): void => {
  if (now === connection) return
  connection = now
  for (const each of watching) each()
}

/** How the page stands with the news. */
export const useConnection = (): Connection =>
  useSyncExternalStore(
    (see) => {
      watching.add(see)
      return () => watching.delete(see)
    },
    () => connection
  )

/**
 * Whoever woke up does not know what happened meanwhile. A page that nobody sees is given its turns by the browser, a minute
 * apart after a while, which looks like sleep: it asks once it is seen again.
 */
const watchClock = (woke: () => void, signal: AbortSignal): void => {
  let seen = Date.now()
  let wasAsleep = false
  const look = () => {
    const now = Date.now()
    wasAsleep ||= now - seen > sleepMs
    seen = now
    if (wasAsleep && document.visibilityState === "visible") {
      wasAsleep = false
      woke()
    }
    become(later(connection, now))
  }
  const timer = setInterval(look, Math.min(lookMs, patienceMs))
  document.addEventListener("visibilitychange", look, { signal })
  signal.addEventListener("abort", () => clearInterval(timer))
}

/**
 * Begins, and answers what ends it. Only what is on the screen is asked for again; the rest when it is next shown. `after` is
 * where the news begin of what moved since the page asked for the first time: without it all is asked for again when they do.
 */
export const goLive = (client: QueryClient, after: number | undefined): (() => void) => {
  const end = new AbortController()
  become({ is: "connecting" })
  const askAgain = (all: ReadonlyArray<Key>) => {
    for (const queryKey of all) void client.invalidateQueries({ queryKey, refetchType: "active" })
  }
  const stale = coalescing(askAgain)
  // However many others move: who looks at one Change follows it.
  const shownStale = coalescing(askAgain, undefined, () => shownApartMs)
  const isShown = (queryKey: Key) => client.getQueryCache().findAll({ queryKey, type: "active" }).length > 0
  const allStale = () => stale([[]])
  const hear = (what: Happening) => {
    become(next(connection, what, Date.now()))
    if (what.is === "open" && what.isGap) allStale()
    // It is refused to who is not signed in any more, as when another browser ended this session.
    if (what.is === "off") askAgain([keys.session])
    if (what.is !== "event") return
    const frame = frameOf(what.event.data)
    if (frame === null) return
    const of = frame.changeId ?? frame.id
    const { others, shown } = split(staleBy(frame), isShown)
    shownStale(shown, of)
    stale(others, of)
  }
  takePart({ url, after: after === undefined ? null : String(after) }, hear, end.signal)
  watchClock(allStale, end.signal)
  return () => end.abort()
}
