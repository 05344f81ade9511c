/** The lines, the newest at the end. It follows them until somebody scrolls up; then it holds still. */
import { type ReactNode, useEffect, useRef, useState } from "react"
import { Button } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import type { LogRow } from "./LogWindow.ts"

/** This near to the end, in px, is at the end. */
const nearPx = 24

const Row = ({ row }: { readonly row: LogRow }): ReactNode =>
  row.is === "gap" ? (
    <li className="log-gap">
      <Icon name="warn" /> {row.missing} {row.missing === 1 ? "line is" : "lines are"} not kept any more
    </li>
  ) : (
    <li className="log-line" data-level={row.line.level}>
      <time dateTime={row.line.time}>{row.line.time.slice(11, 23)}</time>
      <span className="log-level">{row.line.source === "console" ? row.line.level : row.line.source}</span>
      <span className="log-text">{row.line.text}</span>
      {row.line.channel === "production" ? null : <span className="log-channel">{row.line.channel}</span>}
    </li>
  )

const keyOf = (row: LogRow): string => (row.is === "gap" ? `gap ${row.sequence}` : String(row.line.sequence))

const lastOf = (rows: ReadonlyArray<LogRow>): number => {
  const last = rows.at(-1)
  return last === undefined ? 0 : last.is === "gap" ? last.sequence : last.line.sequence
}

/** `rows` are those that the filter lets through. */
export const LogList = ({ rows }: { readonly rows: ReadonlyArray<LogRow> }): ReactNode => {
  const list = useRef<HTMLOListElement>(null)
  // The rows as they were when somebody scrolled up; null while it follows.
  const [held, setHeld] = useState<ReadonlyArray<LogRow> | null>(null)
  const shown = held ?? rows
  const topBefore = useRef(0)
  useEffect(() => {
    if (held !== null) return undefined
    const toEnd = () => list.current?.scrollTo({ top: list.current.scrollHeight })
    toEnd()
    // Rows that come into view are as tall as they are only then.
    const frame = requestAnimationFrame(toEnd)
    return () => cancelAnimationFrame(frame)
  }, [held, rows])
  const scrolled = () => {
    const { clientHeight = 0, scrollHeight = 0, scrollTop = 0 } = list.current ?? {}
    const isAtEnd = scrollHeight - scrollTop - clientHeight < nearPx
    // Only people scroll up.
    if (scrollTop < topBefore.current && !isAtEnd && held === null) setHeld(rows)
    topBefore.current = scrollTop
  }
  const newer = held === null ? 0 : rows.filter((row) => lastOf([row]) > lastOf(held)).length
  return (
    <div className="log">
      <ol ref={list} role="list" className="log-lines" tabIndex={0} aria-label="Lines" onScroll={scrolled}>
        {shown.map((row) => (
          <Row key={keyOf(row)} row={row} />
        ))}
      </ol>
      {held === null ? null : (
        <div className="log-held">
          <span>Held still. {newer === 0 ? "Nothing newer yet." : `${newer} newer.`}</span>
          <Button size="small" look="primary" onClick={() => setHeld(null)}>
            Follow again
          </Button>
        </div>
      )}
    </div>
  )
}
