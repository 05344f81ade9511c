/** Having a Change land in turn. */
import { type ReactNode, useState } from "react"
import { api } from "../api/Client.ts"
import { announce } from "../shell/Announcements.ts"
import type { Candidate, Change } from "../change/Records.ts"
import { useAct } from "./Act.ts"
import { ActionDialog } from "./ActionDialog.tsx"

/** The dialog. Without a Candidate all ChangeSets are composed. */
export const Land = ({
  candidate,
  change,
  onClose
}: {
  readonly change: Change
  readonly candidate: Candidate | null
  readonly onClose: () => void
}): ReactNode => {
  const [isUrgent, setUrgent] = useState(false)
  const act = useAct(
    change,
    () =>
      api.lane.land({
        params: { id: change.id },
        payload: {
          ...(candidate === null ? {} : { candidateId: candidate.id }),
          ...(isUrgent ? { priority: "urgent" as const } : {})
        }
      }),
    ({ entry }) => {
      announce(entry.position === null ? "It was in the lane" : `It stands in the lane, at ${entry.position}`)
      onClose()
    }
  )
  return (
    <ActionDialog
      title="Land in the lane?"
      verb="Land"
      busyVerb="Entering…"
      busy={act.isPending}
      error={act.error}
      onClose={onClose}
      onSubmit={() => act.mutate()}
    >
      <p>
        {candidate === null ? "All its ChangeSets are composed" : "What this Candidate holds is composed anew"} on those
        that stand before it. When it stands first and owes nothing, it is promoted in your name, without asking again.
      </p>
      <label className="check">
        <input type="checkbox" checked={isUrgent} onChange={({ target }) => setUrgent(target.checked)} />
        Urgent: before those that have not begun
      </label>
    </ActionDialog>
  )
}
