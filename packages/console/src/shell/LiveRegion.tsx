/** The one place that speaks to screen readers by itself. */
import { type ReactNode, useSyncExternalStore } from "react"
import { lastAnnouncement, watchAnnouncements } from "./Announcements.ts"

/** There is one on the page. */
export const LiveRegion = (): ReactNode => (
  <div aria-live="polite" className="hidden-text">
    {useSyncExternalStore(watchAnnouncements, lastAnnouncement)}
  </div>
)
