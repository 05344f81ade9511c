/** The checks of an entry's newest Candidate, on the axis of all entries that are shown. */
import type { ReactNode } from "react"
import { Answered } from "../ui/Answered.tsx"
import { CheckBars } from "./CheckBars.tsx"
import type { LaneChecks } from "./LaneChecks.ts"

/** Nothing for an entry without a Candidate. */
export const EntryChecks = ({
  checks,
  entryId
}: {
  readonly checks: LaneChecks
  readonly entryId: string
}): ReactNode => {
  const own = checks.of.get(entryId)
  if (own === undefined) return null
  return (
    <Answered query={own.query} lines={2}>
      {() => <CheckBars all={own.ran} axis={checks.axis} />}
    </Answered>
  )
}
