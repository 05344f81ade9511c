/** What screen readers are told beside what they read: one polite voice, at most one sentence in 2 seconds. */

const apartMs = 2000

let said = ""
let lastAt = Number.NEGATIVE_INFINITY
let next: string | null = null
const watching = new Set<() => void>()

const say = (sentence: string): void => {
  said = sentence
  lastAt = performance.now()
  for (const each of watching) each()
}

/** Says a sentence; of several that wait, the last one. */
export const announce = (sentence: string): void => {
  const wait = lastAt + apartMs - performance.now()
  if (wait <= 0 && next === null) return say(sentence)
  if (next === null)
    setTimeout(() => {
      const waiting = next
      next = null
      if (waiting !== null) say(waiting)
    }, wait)
  next = sentence
}

/** Tells `see` when there is another sentence; answers what ends that. */
export const watchAnnouncements = (see: () => void): (() => void) => {
  watching.add(see)
  return () => watching.delete(see)
}

/** The last sentence. */
export const lastAnnouncement = (): string => said
