/** The checks of one Candidate as bars, one below the other, and the same in words. */
import type { ReactNode } from "react"
import { duration } from "../ui/Amounts.ts"
import { barsOf, type Ran, spanOf } from "./Axis.ts"

const rowHeight = 14
const words = { pass: "passed", fail: "failed", gap: "could not run", running: "runs" }

/** `now` in ms: bars of what runs end there. */
export const CheckBars = ({ all, now }: { readonly all: ReadonlyArray<Ran>; readonly now: number }): ReactNode => {
  if (all.length === 0) return <p className="bars-none">No check has begun.</p>
  const bars = barsOf(all, spanOf(all, now), now)
  const height = bars.length * rowHeight
  return (
    <div className="bars">
      <svg
        viewBox={`0 0 100 ${height}`}
        preserveAspectRatio="none"
        height={height}
        aria-hidden="true"
        focusable="false"
      >
        {bars.map((bar, row) => (
          <rect
            key={row}
            data-result={bar.result}
            x={bar.start}
            width={bar.width}
            y={row * rowHeight + 2}
            height={rowHeight - 4}
          />
        ))}
      </svg>
      <ul role="list">
        {bars.map((bar, row) => (
          <li key={row} data-result={bar.result}>
            {bar.name} {words[bar.result]}, {duration(bar.tookMs)}
          </li>
        ))}
      </ul>
    </div>
  )
}
