/** Which of what waits is news: each thing is told once in a browser, whichever tab tells it. */
import type { InboxItem } from "../inbox/InboxItems.ts"

/** What is kept of what waits now: the keys of the Inbox, and nothing of what they are about. */
export type Told = ReadonlyArray<string>

/** As it is kept: what is done and comes again is news again. */
export const keysOf = (items: ReadonlyArray<InboxItem>): Told => items.map(({ key }) => key)

/** What nobody was told of. Before anything was kept nothing is news. */
export const newsIn = (items: ReadonlyArray<InboxItem>, told: Told | null): ReadonlyArray<InboxItem> =>
  told === null ? [] : items.filter(({ key }) => !told.includes(key))

const place = "pawl.told"

/** What this browser was told; null for nothing yet. */
export const readTold = (): Told | null => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place) ?? "null")
    return Array.isArray(kept) ? kept.filter((each) => typeof each === "string") : null
  } catch {
    return null
  }
}

/** Keeps it for all tabs; null forgets it. */
export const keepTold = (told: Told | null): void => {
  try {
    if (told === null) localStorage.removeItem(place)
    else localStorage.setItem(place, JSON.stringify(told))
  } catch {
    // Where nothing can be kept nothing is told: the switch cannot be on either.
  }
}
