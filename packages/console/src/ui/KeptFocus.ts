/** Focus that a part had stays with it when what had it goes: a keyboard would begin anew at the top of the page. */
import { type FocusEvent, type RefObject, useEffect, useRef } from "react"

/** What a part that keeps focus has; it takes focus itself by `tabIndex` -1. */
export interface KeepsFocus<E extends HTMLElement> {
  readonly ref: RefObject<E | null>
  readonly tabIndex: -1
  readonly onFocus: () => void
  readonly onBlur: (event: FocusEvent<E>) => void
}

/** A dialog gives focus back to what had it before. */
const isInDialog = (element: Element): boolean => element.closest("dialog") !== null

/** For the outermost element of the part. */
export const useKeptFocus = <E extends HTMLElement>(): KeepsFocus<E> => {
  const ref = useRef<E>(null)
  const had = useRef(false)
  useEffect(() => {
    const { activeElement, body } = document
    if (!had.current || activeElement === null || ref.current?.contains(activeElement) === true) return
    if (activeElement === body) ref.current?.focus({ preventScroll: true })
    else if (!isInDialog(activeElement)) had.current = false
  })
  return {
    ref,
    tabIndex: -1,
    onFocus: () => void (had.current = true),
    // To another element, and not to none: then it may have been taken away.
    onBlur: ({ currentTarget, relatedTarget }) => {
      if (relatedTarget === null || currentTarget.contains(relatedTarget) || isInDialog(relatedTarget)) return
      had.current = false
    }
  }
}
