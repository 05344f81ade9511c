/** Promoting a Candidate: its tree becomes the next generation. */
import type { ReactNode } from "react"
import { api } from "../api/Client.ts"
import { announce } from "../shell/Announcements.ts"
import type { Candidate, Policy, Why } from "../change/Records.ts"
import { useAct } from "./Act.ts"
import { ActionDialog } from "./ActionDialog.tsx"
import { PastLane } from "./PastLane.tsx"
import { Seen } from "./Seen.tsx"

/** The dialog. It says that it was promoted when the server has said so, and never that it is live. */
export const Promote = ({
  candidate,
  onClose,
  policy,
  why
}: {
  readonly candidate: Candidate
  readonly policy: Policy | null
  readonly why: Why | null
  readonly onClose: () => void
}): ReactNode => {
  const change = { id: candidate.changeId, projectId: candidate.projectId }
  const act = useAct(
    change,
    () => api.candidates.promote({ params: { id: candidate.id } }),
    ({ generation, releaseId }) => {
      announce(`S${generation} is canonical.${releaseId === null ? "" : " Its release is under way."}`)
      onClose()
    }
  )
  return (
    <ActionDialog
      title={`Promote to S${candidate.base_generation + 1}?`}
      verb="Promote"
      busyVerb="Promoting…"
      busy={act.isPending}
      error={act.error}
      onClose={onClose}
      onSubmit={() => act.mutate()}
    >
      <p>
        This tree becomes canonical, and is released where the Project has an app. A rollback brings an older one back.
      </p>
      {policy?.lane?.mode === "on" ? <PastLane candidate={candidate} /> : null}
      <Seen candidate={candidate} why={why} />
    </ActionDialog>
  )
}
