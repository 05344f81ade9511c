/** The bars of an entry, on the axis of all that are shown: what was refuted, and the checks of its newest Candidate. */
import type { ReactNode } from "react"
import { Answered } from "../ui/Answered.tsx"
import { CheckBars } from "./CheckBars.tsx"
import type { Entry } from "./EntryState.tsx"
import type { LaneChecks } from "./LaneChecks.ts"

/** So many of those that fell are drawn, the newest. */
const refutedMost = 3

/** Nothing for an entry without a Candidate. */
export const EntryChecks = ({
  checks: { axis, of, refuted },
  entry: { id, state }
}: {
  readonly checks: LaneChecks
  readonly entry: Pick<Entry, "id" | "state">
}): ReactNode => {
  const own = of.get(id)
  if (own === undefined) return null
  const fell = refuted.get(id) ?? []
  return (
    <Answered query={own.query} lines={2}>
      {() => (
        <CheckBars
          all={[...fell.slice(-refutedMost), ...own.ran]}
          more={Math.max(0, fell.length - refutedMost)}
          axis={axis}
          isDoubtful={state === "doubtful"}
        />
      )}
    </Answered>
  )
}
