/** One row of the lane. */
import type { ReactNode } from "react"
import { Link } from "wouter"
import { useProjectHere } from "../project/Here.ts"
import { Button } from "../ui/Button.tsx"
import { Tag } from "../ui/Tag.tsx"
import { Time } from "../ui/Time.tsx"
import { EntryChecks } from "./EntryChecks.tsx"
import { type Entry, EntryState } from "./EntryState.tsx"
import { EntryWhy } from "./EntryWhy.tsx"
import type { LaneChecks } from "./LaneChecks.ts"
import { outcomeWords } from "./Outcome.ts"

const Facts = ({ entry }: { readonly entry: Entry }): ReactNode => {
  const { label } = useProjectHere()
  const { endedAt, enteredAt, outcome, predictedGeneration, predictions, reason } = entry
  return (
    <p className="entry-facts">
      {predictedGeneration === undefined ? null : <span>becomes S{predictedGeneration} as things stand</span>}
      {predictions === 0 ? null : (
        <span>
          {predictions} {predictions === 1 ? "prediction" : "predictions"} fell
        </span>
      )}
      {outcome === undefined ? null : (
        <span>
          {outcome.generation === undefined ? (
            outcomeWords(outcome)
          ) : (
            <Link href={`/p/${label}/generations/${outcome.generation}`}>{outcomeWords(outcome)}</Link>
          )}
        </span>
      )}
      {reason === null ? null : <span>{reason}</span>}
      <Time at={endedAt ?? enteredAt} />
    </p>
  )
}

/** What a row has beside its entry. */
interface Shown {
  readonly entry: Entry
  readonly checks: LaneChecks
  /** Whether its reasons are shown. */
  readonly isOpen: boolean
  readonly onOpen: (isOpen: boolean) => void
  /** Puts it elsewhere in the line; it is not there for one that has ended. */
  readonly move?: () => void
}

/** An entry in the line, or one that has ended, whose checks are shown when it is opened. */
export const EntryRow = ({ checks, entry, isOpen, move, onOpen }: Shown): ReactNode => {
  const { changeId, position, priority, state, title } = entry
  return (
    <li className="entry" data-state={state}>
      <div className="entry-place">{position ?? ""}</div>
      <div className="entry-state">
        <EntryState of={state} />
      </div>
      <div className="entry-what">
        <Link href={`/changes/${changeId}`} className="entry-goal" data-row>
          {title}
        </Link>{" "}
        {priority === "urgent" ? <Tag tone="warn">urgent</Tag> : null}
        <Facts entry={entry} />
        <details open={isOpen} onToggle={({ currentTarget }) => onOpen(currentTarget.open)}>
          <summary>Why</summary>
          {isOpen ? <EntryWhy entry={entry} /> : null}
          {isOpen && position === null ? <EntryChecks checks={checks} entry={entry} /> : null}
        </details>
      </div>
      <div className="entry-checks">{position === null ? null : <EntryChecks checks={checks} entry={entry} />}</div>
      <div className="entry-do">
        {move === undefined ? null : (
          <Button size="small" onClick={move}>
            Move
          </Button>
        )}
      </div>
    </li>
  )
}
