/** The lines of a file: one below the other, or the two sides beside each other. Their numbers are drawn, not text: a search and a copy take the code alone. */
import { memo, type ReactNode } from "react"
import { pairsOf } from "./Pairs.ts"
import type { Hunk, Line } from "./Patch.ts"
import type { WordMarks } from "./WordMarks.ts"

/** How lines stand. */
export type Layout = "unified" | "split"

const signs = { same: " ", gone: "−", new: "+" } as const
const padded = (number: number | null): string => (number === null ? "" : String(number)).padStart(5)

const Words = ({ line, marks }: { readonly line: Line; readonly marks: WordMarks | null }): ReactNode => {
  const pieces = marks?.get(line)
  return (
    <>
      {pieces === undefined
        ? line.text
        : pieces.map(({ isOther, text }, at) => (isOther ? <b key={at}>{text}</b> : text))}
      {line.isOpenEnd === true ? <i> (no newline at the end)</i> : null}
      {"\n"}
    </>
  )
}

const One = ({
  line,
  marks,
  number
}: {
  readonly line: Line
  readonly marks: WordMarks | null
  readonly number: string
}): ReactNode => {
  // Elements that say it to screen readers too.
  const Tag = line.kind === "same" ? "div" : line.kind === "new" ? "ins" : "del"
  return (
    <Tag className="diff-line" data-number={`${number} ${signs[line.kind]}`}>
      <Words line={line} marks={marks} />
    </Tag>
  )
}

const Unified = ({ hunk, marks }: { readonly hunk: Hunk; readonly marks: WordMarks | null }): ReactNode =>
  hunk.lines.map((line, at) => (
    <One key={at} line={line} marks={marks} number={`${padded(line.old)} ${padded(line.new)}`} />
  ))

const Split = ({ hunk, marks }: { readonly hunk: Hunk; readonly marks: WordMarks | null }): ReactNode =>
  pairsOf(hunk.lines).map(({ left, right }, at) => (
    <div key={at} className="diff-pair">
      {left === null ? <div className="diff-none" /> : <One line={left} marks={marks} number={padded(left.old)} />}
      {right === null ? <div className="diff-none" /> : <One line={right} marks={marks} number={padded(right.new)} />}
    </div>
  ))

/** All hunks of a file. `marks` are null until they are known. */
export const Lines = memo(
  ({
    hunks,
    layout,
    marks
  }: {
    readonly hunks: ReadonlyArray<Hunk>
    readonly layout: Layout
    readonly marks: WordMarks | null
  }): ReactNode => (
    <div className="diff-lines" data-layout={layout}>
      {hunks.map((hunk) => (
        <div key={hunk.place}>
          <div className="diff-place">{hunk.place}</div>
          {layout === "split" ? <Split hunk={hunk} marks={marks} /> : <Unified hunk={hunk} marks={marks} />}
        </div>
      ))}
    </div>
  )
)
