/** The open one of a row of tabs is in sight, also where the row is wider than the window. */
import { type RefObject, useEffect, useRef } from "react"

/** For the element that scrolls. `open` names what is open: another name looks again. */
export const useOpenInSight = (open: string): RefObject<HTMLElement | null> => {
  const row = useRef<HTMLElement>(null)
  useEffect(() => {
    const { current } = row
    const tab = current?.querySelector('[aria-current="page"]')
    if (current === null || tab === null || tab === undefined) return
    const [room, place] = [current.getBoundingClientRect(), tab.getBoundingClientRect()]
    // Only the row moves: the page stays where it is.
    if (place.left < room.left || place.right > room.right)
      current.scrollLeft += place.left - room.left - (room.width - place.width) / 2
  }, [open])
  return row
}
