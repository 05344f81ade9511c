/** A question before something that cannot be taken back. It is done when the server said so; then the dialog closes. */
import { type ReactNode, useState } from "react"
import { Button } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"
import { TextField } from "./Field.tsx"
import { Problem } from "./Problem.tsx"

/** What is asked. With `name` that must be typed first. Its children say what becomes of it. */
export const Confirm = ({
  act,
  children,
  error,
  isBusy,
  name,
  onClose,
  onConfirm,
  title
}: {
  readonly title: string
  /** The words of the button. */
  readonly act: string
  readonly name?: string
  readonly isBusy: boolean
  /** Why it was not done; null while nothing is wrong. */
  readonly error: unknown
  readonly onClose: () => void
  readonly onConfirm: () => void
  readonly children: ReactNode
}): ReactNode => {
  const [typed, setTyped] = useState("")
  const [isAsked, setAsked] = useState(false)
  const isRight = name === undefined || typed.trim() === name
  const submit = () => {
    setAsked(true)
    if (isRight && !isBusy) onConfirm()
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" busy={isBusy}>
            {act}
          </Button>
        </>
      }
    >
      {error === null ? null : <Problem of={error} />}
      <div>{children}</div>
      {name === undefined ? null : (
        <TextField
          label={`Type ${name} to confirm`}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          wrong={isAsked && !isRight ? `Type ${name}, as it is written here.` : null}
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
    </Dialog>
  )
}
