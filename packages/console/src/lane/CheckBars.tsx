/** The checks of one Candidate as bars, one below the other, and the same in words. */
import type { ReactNode } from "react"
import { duration } from "../ui/Amounts.ts"
import { type Axis, barsOf, type Ran } from "./Axis.ts"

const rowHeight = 14
const words = { pass: "passed", fail: "failed", gap: "could not run", running: "runs" }

/** `axis` is the one of all rows: bars of what runs end at its now. */
export const CheckBars = ({ all, axis }: { readonly all: ReadonlyArray<Ran>; readonly axis: Axis }): ReactNode => {
  if (all.length === 0) return <p className="bars-none">No check has begun.</p>
  const bars = barsOf(all, axis)
  const height = bars.length * rowHeight
  return (
    <div className="bars">
      <svg height={height} aria-hidden="true" focusable="false">
        {axis.cuts.map((cut) => (
          <line key={cut} className="bars-cut" x1={`${cut}%`} x2={`${cut}%`} y1={0} y2={height} />
        ))}
        {bars.map((bar, row) => (
          <rect
            key={row}
            data-result={bar.result}
            x={`${bar.start}%`}
            width={`${bar.width}%`}
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
