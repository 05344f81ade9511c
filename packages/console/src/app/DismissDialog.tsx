/** Asks before a dead letter is forgotten, and says what that means. */
import { useMutation } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { api } from "../api/Client.ts"
import { announce } from "../shell/Announcements.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Problem } from "../ui/Problem.tsx"
import { consequenceOf, type DeadLetter } from "./Consequence.ts"

/** `onDone` is told when the server has forgotten it. */
export const DismissDialog = ({
  letter: { id, kind },
  onClose,
  onDone
}: {
  readonly letter: DeadLetter
  readonly onClose: () => void
  readonly onDone: () => void
}): ReactNode => {
  const dismissing = useMutation({
    mutationFn: () => api.deadLetters.dismiss({ params: { id } }),
    onSuccess: () => {
      announce("The dead letter is dismissed")
      onDone()
      onClose()
    }
  })
  return (
    <Dialog
      title={`Dismiss ${kind}?`}
      onClose={onClose}
      onSubmit={() => (dismissing.isPending ? undefined : dismissing.mutate())}
      actions={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button type="submit" look="danger" busy={dismissing.isPending}>
            {dismissing.isPending ? "Dismissing…" : "Dismiss"}
          </Button>
        </>
      }
    >
      {dismissing.error === null ? null : <Problem of={dismissing.error} />}
      <p>{consequenceOf(kind)}</p>
      <p>This cannot be taken back.</p>
    </Dialog>
  )
}
