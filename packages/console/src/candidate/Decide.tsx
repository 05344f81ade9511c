/** Approving or rejecting a Candidate, with all that one decides on before one's eyes. */
import { type ReactNode, useState } from "react"
import { asRefusal } from "../api/Refusal.ts"
import { announce } from "../shell/Announcements.ts"
import { Notice } from "../ui/Notice.tsx"
import type { Candidate, Policy, Why } from "../change/Records.ts"
import { TextField } from "../ui/Field.tsx"
import { useAct } from "./Act.ts"
import { ActionDialog } from "./ActionDialog.tsx"
import { decide, type Decision, mustSign } from "./Decision.ts"
import { useDiffDigest } from "./DiffDigest.tsx"
import { Seen } from "./Seen.tsx"

/** Characters that the server takes of a note. */
const saidMost = 1000

const words = {
  granted: { title: "Approve this Candidate?", verb: "Approve", busy: "Approving…", said: "Approved", look: "primary" },
  rejected: { title: "Reject this Candidate?", verb: "Reject", busy: "Rejecting…", said: "Rejected", look: "danger" }
} as const

/** The dialog of one decision. Where a passkey must sign a grant, the browser asks for it after the button. */
export const Decide = ({
  candidate,
  decision,
  onClose,
  policy,
  why
}: {
  readonly candidate: Candidate
  readonly decision: Decision
  readonly policy: Policy | null
  readonly why: Why | null
  readonly onClose: () => void
}): ReactNode => {
  const [note, setNote] = useState("")
  const { busy, look, said, title, verb } = words[decision]
  const change = { id: candidate.changeId, projectId: candidate.projectId }
  const act = useAct(
    change,
    (sign: boolean) => decide(candidate, decision, { note, sign }),
    () => {
      announce(said)
      onClose()
    }
  )
  // The Policy may say so only of what the checks have shown since: then the server does.
  const isTold = act.error !== null && asRefusal(act.error).code === "passkey_required"
  const sign = decision === "granted" && (mustSign(policy, candidate) || isTold)
  // Who signs has seen which diff it is, or why that cannot be said.
  const isUnseen = useDiffDigest(candidate).isPending && candidate.commit !== null
  const missing = why?.approval.missing ?? 1
  return (
    <ActionDialog
      title={title}
      verb={sign ? "Approve and sign" : verb}
      busyVerb={busy}
      look={look}
      busy={act.isPending}
      why={sign && isUnseen ? "The digest of the diff is not here yet." : null}
      error={isTold ? null : act.error}
      onClose={onClose}
      onSubmit={() => act.mutate(sign)}
    >
      <p>
        {decision === "rejected"
          ? "A rejection is final: the Candidate cannot be promoted any more, whatever others grant."
          : `It counts for this tree alone. ${missing > 1 ? `${missing} people are owed, you are one of them.` : "Nothing goes live by it: promotion is another step."}`}
      </p>
      {sign ? (
        <Notice tone="warn" icon="key">
          The Policy wants this signed by your passkey. Your browser asks for it next.
        </Notice>
      ) : null}
      <Seen candidate={candidate} why={why} />
      <TextField
        label="Note (optional)"
        hint="It stands beside your decision, for everybody who reads it."
        autoComplete="off"
        // Enter there would decide: nobody begins there.
        data-aside
        maxLength={saidMost}
        value={note}
        onChange={({ target }) => setNote(target.value)}
      />
    </ActionDialog>
  )
}
