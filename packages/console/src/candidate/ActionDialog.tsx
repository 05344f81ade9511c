/** The dialog around every action on a Change: what it is about, the refusal, and two buttons. */
import type { ReactNode } from "react"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Refused } from "./Refused.tsx"

/** `verb` is on the button that acts, `busyVerb` while the server has not answered. `why` takes the button away. */
export const ActionDialog = ({
  busy,
  busyVerb,
  children,
  error,
  look = "primary",
  onClose,
  onSubmit,
  title,
  verb,
  why = null
}: {
  readonly title: string
  readonly verb: string
  readonly busyVerb: string
  readonly look?: "primary" | "danger"
  readonly busy: boolean
  readonly why?: string | null
  readonly error: unknown
  readonly onClose: () => void
  readonly onSubmit: () => void
  readonly children: ReactNode
}): ReactNode => (
  <Dialog
    title={title}
    onClose={onClose}
    onSubmit={() => {
      if (!busy && why === null) onSubmit()
    }}
    actions={
      <>
        <Button onClick={onClose}>Not now</Button>
        <Button type="submit" look={look} busy={busy} why={why}>
          {busy ? busyVerb : verb}
        </Button>
      </>
    }
  >
    {children}
    <Refused of={error} />
  </Dialog>
)
