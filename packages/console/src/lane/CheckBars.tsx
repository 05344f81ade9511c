/** Bars of one entry, one below the other, and the same in words. */
import { type ReactNode, useId } from "react"
import { duration } from "../ui/Amounts.ts"
import { type Axis, type Bar, barsOf, type Ran } from "./Axis.ts"

const rowHeight = 14
const words = { pass: "passed", fail: "failed", gap: "could not run", running: "runs", refuted: "refuted" }

const Picture = ({
  bars,
  cuts,
  isDoubtful
}: {
  readonly bars: ReadonlyArray<Bar>
  readonly cuts: Axis["cuts"]
  readonly isDoubtful: boolean
}): ReactNode => {
  const hatch = useId()
  const height = bars.length * rowHeight
  return (
    <svg height={height} aria-hidden="true" focusable="false">
      <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect className="hatch" width="3" height="6" />
      </pattern>
      {cuts.map((cut) => (
        <line key={cut} className="bars-cut" x1={`${cut}%`} x2={`${cut}%`} y1={0} y2={height} />
      ))}
      {bars.map(({ result, start, width }, row) => {
        const place = { x: `${start}%`, width: `${width}%`, y: row * rowHeight + 2, height: rowHeight - 4 }
        return (
          <g key={row} data-result={result}>
            <rect className="bar" {...place} />
            {isDoubtful && result !== "refuted" ? (
              <rect className="bar-doubt" {...place} fill={`url(#${hatch})`} />
            ) : null}
          </g>
        )
      })}
    </svg>
  )
}

/** `axis` is the one of all rows: bars of what runs end at its now. `more` were refuted and are not shown. */
export const CheckBars = ({
  all,
  axis,
  isDoubtful,
  more
}: {
  readonly all: ReadonlyArray<Ran>
  readonly axis: Axis
  readonly isDoubtful: boolean
  readonly more: number
}): ReactNode => {
  if (all.length === 0) return <p className="bars-none">No check has begun.</p>
  const bars = barsOf(all, axis)
  return (
    <div className="bars">
      <Picture bars={bars} cuts={axis.cuts} isDoubtful={isDoubtful} />
      <ul role="list">
        {more === 0 ? null : <li>{more} were refuted before</li>}
        {bars.map(({ name, reason = "", result, tookMs }, row) => (
          <li key={row} data-result={result} data-doubt={isDoubtful && result !== "refuted" ? true : undefined}>
            {name} {words[result]}
            {isDoubtful && (result === "fail" || result === "gap") ? ", in doubt" : ""}
            {result === "refuted" ? " after " : ", "}
            {duration(tookMs)}
            {reason === "" ? "" : `: ${reason}`}
          </li>
        ))}
      </ul>
    </div>
  )
}
