/** Tells of what begins to wait while no tab of the console is seen. One tab tells: the one that holds the stream. */
import { useEffect } from "react"
import { navigate } from "wouter/use-browser-location"
import { titleOf } from "../change/Next.ts"
import type { InboxItem } from "../inbox/InboxItems.ts"
import { useInbox } from "../inbox/InboxQuery.ts"
import { useLeads } from "../live/Leader.ts"
import { lookOf } from "../ui/StatusTone.ts"
import { beSeen, isLookedAt } from "./Looking.ts"
import { useSwitched } from "./Switch.ts"
import { keepTold, keysOf, newsIn, readTold } from "./Told.ts"

/** It says where and what, and no reason: a reason may hold what a check printed, and screens are seen by others. */
const show = ({ key, label, status, title, to }: InboxItem): void => {
  const shown = new Notification(`${lookOf(status).words}: ${label}`, { body: titleOf(title), tag: key })
  shown.addEventListener("click", () => {
    window.focus()
    navigate(to)
    shown.close()
  })
}

const tell = async (items: ReadonlyArray<InboxItem>): Promise<void> => {
  const isSeen = await isLookedAt()
  // Read and kept in one go: what another answer brings meanwhile is judged after this.
  const news = newsIn(items, readTold())
  keepTold(keysOf(items))
  if (!isSeen) news.forEach(show)
}

/** Draws nothing. Who looks at the console reads the Inbox there, and is not told again. */
export const Notifications = (): null => {
  const isOn = useSwitched() === "on"
  const leads = useLeads()
  const items = useInbox().data?.items
  useEffect(() => {
    const end = new AbortController()
    // Without locks (a page that is not secure) there are no notifications either.
    if (isOn && "locks" in navigator) beSeen(end.signal)
    return () => end.abort()
  }, [isOn])
  useEffect(() => {
    if (isOn && leads && items !== undefined) void tell(items)
  }, [isOn, leads, items])
  return null
}
