/** One clock for all moments of the page: they move on together, once a minute. */
const minuteMs = 60_000
let now = Date.now()
const watching = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** What the clock showed at its last look, in ms since 1970. */
export const shownNow = (): number => now

/** Calls `see` at each look. While nobody watches it stands still, so whoever comes first has it look at once. */
export const watchClock = (see: () => void): (() => void) => {
  if (timer === undefined) now = Date.now()
  watching.add(see)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of watching) each()
  }, minuteMs)
  return () => {
    watching.delete(see)
    if (watching.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}
