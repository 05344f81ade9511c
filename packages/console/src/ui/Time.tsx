/** A moment, told from now; the whole of it for machines, and in the title when somebody points at it. */
import { type PointerEvent, type ReactNode, useSyncExternalStore } from "react"
import { shownNow, watchClock } from "./Clock.ts"
import { timeWords } from "./TimeWords.ts"

/** As people here write it. It takes a list longer to write a hundred of these than all of the rest. */
const tellWhole = ({ currentTarget: time }: PointerEvent<HTMLTimeElement>): void => {
  time.title = new Date(time.dateTime).toLocaleString()
}

/** `at` is ISO 8601, as the API has it. */
export const Time = ({ at }: { readonly at: string }): ReactNode => {
  const seen = useSyncExternalStore(watchClock, shownNow)
  const moment = Date.parse(at)
  // What was made a moment ago may be later than the last look at the clock.
  const words = timeWords(moment, Math.max(seen, Math.min(moment, Date.now())))
  return (
    <time className="time" dateTime={at} onPointerEnter={tellWhole}>
      {words}
    </time>
  )
}
