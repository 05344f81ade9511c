/** Ending a Change for good. */
import type { ReactNode } from "react"
import { api } from "../api/Client.ts"
import { useAct } from "../candidate/Act.ts"
import { ActionDialog } from "../candidate/ActionDialog.tsx"
import { announce } from "../shell/Announcements.ts"
import type { Change } from "./Records.ts"

/** The dialog. */
export const CancelChange = ({
  change,
  onClose
}: {
  readonly change: Change
  readonly onClose: () => void
}): ReactNode => {
  const act = useAct(
    change,
    () => api.changes.cancel({ params: { id: change.id } }),
    () => {
      announce("The Change is cancelled")
      onClose()
    }
  )
  return (
    <ActionDialog
      title="Cancel this Change?"
      verb="Cancel the Change"
      busyVerb="Cancelling…"
      look="danger"
      busy={act.isPending}
      error={act.error}
      onClose={onClose}
      onSubmit={() => act.mutate()}
    >
      <p>
        Its open Tasks and Candidates end with it, for good. What it recorded can still be read. Nothing that is live
        changes.
      </p>
    </ActionDialog>
  )
}
