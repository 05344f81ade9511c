/** Giving a webhook a new secret: first the question, then the secret, this once. */
import { useMutation } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { api } from "../api/Client.ts"
import { Confirm } from "../ui/Confirm.tsx"
import { SigningSecret } from "./SigningSecret.tsx"

/** Mounted while it is asked or shown. */
export const NewSecret = ({
  onClose,
  webhook
}: {
  readonly webhook: string
  readonly onClose: () => void
}): ReactNode => {
  const [leaked, setLeaked] = useState(false)
  const rotate = useMutation({
    mutationFn: () => api.webhooks.rotateSecret({ params: { id: webhook }, payload: leaked ? { graceSeconds: 0 } : {} })
  })
  if (rotate.data !== undefined)
    return (
      <SigningSecret title="Its new secret" secret={rotate.data.secret} onClose={onClose}>
        <p>{leaked ? "No older one signs any more." : "The one before signs beside it for 24 hours."}</p>
      </SigningSecret>
    )
  return (
    <Confirm
      title="Give it a new secret?"
      act="Make a new secret"
      isBusy={rotate.isPending}
      error={rotate.error}
      onClose={onClose}
      onConfirm={() => rotate.mutate()}
    >
      <p>For 24 hours deliveries carry the signatures of both, so that the receiver can change over.</p>
      <label className="check">
        <input type="checkbox" data-aside checked={leaked} onChange={({ target }) => setLeaked(target.checked)} />
        <span>The old one has leaked: it signs nothing any more, from now on</span>
      </label>
    </Confirm>
  )
}
