/** What a promotion past the lane costs those that stand in it. */
import type { ReactNode } from "react"
import type { Candidate } from "../change/Records.ts"
import { useLane } from "../project/ProjectQueries.ts"
import { Notice } from "../ui/Notice.tsx"
import { Problem } from "../ui/Problem.tsx"
import { fallingBy } from "./Falling.ts"

/** To be shown where the lane is on. Nothing where nothing falls. */
export const PastLane = ({ candidate }: { readonly candidate: Candidate }): ReactNode => {
  const { data, error, refetch } = useLane(candidate.projectId)
  if (data === undefined) return error === null ? null : <Problem of={error} retry={() => void refetch()} />
  const count = fallingBy(candidate, data.entries)
  if (count === 0) return null
  return (
    <Notice tone="warn" icon="warn">
      This goes past the lane: {count === 1 ? "1 prediction falls" : `${count} predictions fall`}, and{" "}
      {count === 1 ? "its Change is" : "their Changes are"} composed and checked anew. To wait for its turn, have it
      land.
    </Notice>
  )
}
