/** The lines, the newest at the end. It follows them until somebody scrolls up; then it holds still. */
import { type ReactNode, useLayoutEffect, useRef, useState } from "react"
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

/** Frames in which rows that came find how tall they are: what the list scrolls meanwhile, nobody may have scrolled. */
const settleFrames = 3

/** Milliseconds in which what scrolls is a hand's, after it was on the list. */
const handMs = 1000

/** Keeps a list at its end while it follows. `up` is told when somebody scrolls up; what else scrolls is none of it. */
const useEnd = (rows: ReadonlyArray<LogRow>, isFollowing: boolean, up: () => void) => {
  const list = useRef<HTMLOListElement>(null)
  const topBefore = useRef(0)
  const isSettling = useRef(false)
  const handAt = useRef(Number.NEGATIVE_INFINITY)
  const isByHand = () => performance.now() - handAt.current < handMs
  useLayoutEffect(() => {
    handAt.current = Number.NEGATIVE_INFINITY
  }, [isFollowing])
  useLayoutEffect(() => {
    if (!isFollowing) return undefined
    const toEnd = () => list.current?.scrollTo({ top: list.current.scrollHeight })
    let left = settleFrames
    const again = () => {
      if (!isByHand()) toEnd()
      left -= 1
      isSettling.current = left > 0
      if (left > 0) frame = requestAnimationFrame(again)
    }
    isSettling.current = true
    toEnd()
    let frame = requestAnimationFrame(again)
    return () => {
      cancelAnimationFrame(frame)
      isSettling.current = false
    }
  }, [isFollowing, rows])
  const touched = () => {
    handAt.current = performance.now()
  }
  const onScroll = () => {
    const { clientHeight = 0, scrollHeight = 0, scrollTop = 0 } = list.current ?? {}
    const isUp = scrollTop < topBefore.current && scrollHeight - scrollTop - clientHeight >= nearPx
    topBefore.current = scrollTop
    if (isUp && isFollowing && (isByHand() || !isSettling.current)) up()
  }
  return { ref: list, onScroll, onWheel: touched, onTouchMove: touched, onKeyDown: touched, onPointerDown: touched }
}

/** `rows` are those that the filter lets through. */
export const LogList = ({ rows }: { readonly rows: ReadonlyArray<LogRow> }): ReactNode => {
  // The rows as they were when somebody scrolled up; null while it follows.
  const [held, setHeld] = useState<ReadonlyArray<LogRow> | null>(null)
  const shown = held ?? rows
  const end = useEnd(rows, held === null, () => setHeld(rows))
  const newer = held === null ? 0 : rows.filter((row) => lastOf([row]) > lastOf(held)).length
  return (
    <div className="log">
      <ol role="list" className="log-lines" tabIndex={0} aria-label="Lines" {...end}>
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
