/** The outline of what is being asked for. Its place is kept from the beginning, so that little moves when the answer is there. */
import { type ReactNode, useEffect, useState } from "react"

/** Milliseconds before it is seen: what takes less would only flicker. */
const patienceMs = 150

/** `lines` is about how tall what comes will be. */
export const Skeleton = ({ lines = 6 }: { readonly lines?: number }): ReactNode => {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), patienceMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="skeleton" role="status" data-late={isLate}>
      <span className="hidden-text">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <i key={line} />
      ))}
    </div>
  )
}
