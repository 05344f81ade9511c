/** What the axis of a screen reaches over, in words. */
import type { ReactNode } from "react"
import { duration } from "../ui/Amounts.ts"
import { Time } from "../ui/Time.tsx"
import type { LaneChecks } from "./LaneChecks.ts"

const iso = (ms: number): string => new Date(ms).toISOString()

/** Nothing while there are no bars. */
export const AxisWords = ({ checks: { axis, of } }: { readonly checks: LaneChecks }): ReactNode => {
  if ([...of.values()].every(({ ran }) => ran.length === 0)) return null
  const { cuts, from, to } = axis
  const times = cuts.length === 1 ? "a time in which none ran is" : `${cuts.length} times in which none ran are`
  return (
    <p className="axis">
      All bars lie on one axis of time, which began <Time at={iso(from)} /> and is {duration(to - from)} long
      {cuts.length === 0 ? "" : `; ${times} cut short`}. Hatched is in doubt, hollow was refuted.
    </p>
  )
}
