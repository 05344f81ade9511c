/** Which files somebody has viewed, in this tab of the browser: a file of other content is another one. */
import { useCallback, useState } from "react"

const place = "pawl.viewed"

const read = (): ReadonlySet<string> => {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(place) ?? "[]")
    return new Set(Array.isArray(kept) ? kept.filter((each) => typeof each === "string") : [])
  } catch {
    return new Set()
  }
}

const keep = (marks: ReadonlySet<string>): void => {
  try {
    sessionStorage.setItem(place, JSON.stringify([...marks]))
  } catch {
    // They count until the page is left.
  }
}

/** The marks, and what sets one. */
export const useViewed = (): readonly [
  viewed: ReadonlySet<string>,
  view: (mark: string, isViewed: boolean) => void
] => {
  const [viewed, setViewed] = useState(read)
  const view = useCallback((mark: string, isViewed: boolean) => {
    setViewed((before) => {
      const marks = new Set(before)
      if (isViewed) marks.add(mark)
      else marks.delete(mark)
      keep(marks)
      return marks
    })
  }, [])
  return [viewed, view]
}
