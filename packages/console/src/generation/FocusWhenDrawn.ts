/** Puts the focus on what is drawn only once the page has scrolled to it. */

/** Frames that are looked at: about two seconds. */
const framesMost = 120

/** Focuses the first element that fits, as soon as it is there and takes the focus; answers what gives it up. */
export const focusWhenDrawn = (selector: string): (() => void) => {
  let frame = 0
  let looked = 0
  const look = () => {
    const found = document.querySelector<HTMLElement>(selector)
    found?.focus({ preventScroll: true })
    // A row that is not measured yet is hidden, and takes none.
    if (found !== null && document.activeElement === found) return
    looked += 1
    if (looked < framesMost) frame = requestAnimationFrame(look)
  }
  frame = requestAnimationFrame(look)
  return () => cancelAnimationFrame(frame)
}
