/** A question on top of the screen, by the browser's own dialog: focus stays in it, Escape closes it, focus comes back. */
import { type ReactNode, type SubmitEvent, useEffect, useId, useRef } from "react"
import { IconButton } from "./Button.tsx"

/** While it is mounted it is open. `onSubmit` makes it a form; `actions` are its buttons. Its first field has the focus, unless that has `data-aside`. */
export const Dialog = ({
  actions,
  children,
  onClose,
  onSubmit,
  title
}: {
  readonly title: string
  readonly actions: ReactNode
  readonly onClose: () => void
  readonly onSubmit?: () => void
  readonly children: ReactNode
}): ReactNode => {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const shown = dialog.current
    const before = document.activeElement
    shown?.showModal()
    // The browser would focus the button that closes it.
    shown
      ?.querySelector<HTMLElement>(".dialog-body :is(input, select, textarea):not([data-aside]), .dialog-foot button")
      ?.focus()
    return () => {
      shown?.close()
      // Where it came with its screen, nothing had the focus before it: the heading takes it.
      if (before instanceof HTMLElement && before !== document.body) before.focus()
      else document.querySelector<HTMLElement>("main h1")?.focus()
    }
  }, [])
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    onSubmit?.()
  }
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <form onSubmit={submit} noValidate>
        <div className="dialog-head">
          <h2 id={id}>{title}</h2>
          <IconButton icon="cross" label="Close" onClick={onClose} />
        </div>
        <div className="dialog-body">{children}</div>
        <div className="dialog-foot">{actions}</div>
      </form>
    </dialog>
  )
}
