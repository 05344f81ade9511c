/** The dialog that shows the secret of a webhook, this once. */
import type { ReactNode } from "react"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { SecretOnce } from "../ui/SecretOnce.tsx"

/** A secret that signs deliveries from now on. */
export const SigningSecret = ({
  children,
  onClose,
  secret,
  title
}: {
  readonly title: string
  readonly secret: string
  readonly onClose: () => void
  readonly children?: ReactNode
}): ReactNode => (
  <Dialog
    title={title}
    onClose={onClose}
    actions={
      <Button look="primary" onClick={onClose}>
        I have kept it
      </Button>
    }
  >
    {children}
    <SecretOnce label="Signing secret" secret={secret} />
    <p className="quiet">Deliveries carry the headers of Standard Webhooks, signed with it.</p>
  </Dialog>
)
