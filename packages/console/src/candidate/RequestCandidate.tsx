/** Asking for a Candidate: the ChangeSets are composed on canonical and checked. */
import type { ReactNode } from "react"
import { api } from "../api/Client.ts"
import { announce } from "../shell/Announcements.ts"
import type { Candidate, Change } from "../change/Records.ts"
import { useAct } from "./Act.ts"
import { ActionDialog } from "./ActionDialog.tsx"
import { isGap } from "./Offered.ts"

/** The dialog. `last` is the Candidate before it; one whose checks could not run is asked for again as it is. */
export const RequestCandidate = ({
  change,
  changeSets,
  last,
  onClose
}: {
  readonly change: Change
  readonly changeSets: ReadonlyArray<{ readonly id: string; readonly message: string }>
  readonly last: Candidate | null
  readonly onClose: () => void
}): ReactNode => {
  const isRetry = last !== null && isGap(last)
  const act = useAct(
    change,
    () => api.candidates.create({ params: { id: change.id }, payload: isRetry ? { retry: true } : {} }),
    ({ candidate }) => {
      announce(`The Candidate is ${candidate.status}`)
      onClose()
    }
  )
  return (
    <ActionDialog
      title={isRetry ? "Request the Candidate again?" : "Request a Candidate?"}
      verb="Request"
      busyVerb="Requesting…"
      busy={act.isPending}
      error={act.error}
      onClose={onClose}
      onSubmit={() => act.mutate()}
    >
      <p>
        {isRetry
          ? "No check of it failed, and some could not run. They run once more, on the same tree."
          : "These ChangeSets are merged on canonical as it is now, built, and checked. Nothing goes live by it."}
      </p>
      <ul className="plain-list">
        {changeSets.map(({ id, message }) => (
          <li key={id}>{message}</li>
        ))}
      </ul>
    </ActionDialog>
  )
}
