/** One row of the lane. */
import { type ReactNode, useState } from "react"
import { Link } from "wouter"
import { useChanges } from "../generation/GenerationQueries.ts"
import { useProjectHere } from "../project/Here.ts"
import { Button } from "../ui/Button.tsx"
import { Tag } from "../ui/Tag.tsx"
import { Time } from "../ui/Time.tsx"
import { EntryChecks } from "./EntryChecks.tsx"
import { type Entry, EntryState } from "./EntryState.tsx"
import { EntryWhy } from "./EntryWhy.tsx"
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

/** `move` puts it elsewhere in the line; it is not there for one that has ended. */
export const EntryRow = ({ entry, move }: { readonly entry: Entry; readonly move?: () => void }): ReactNode => {
  const { id } = useProjectHere()
  const { data: changes } = useChanges(id)
  const [isOpen, setOpen] = useState(false)
  const { candidateId, changeId, position, priority, state } = entry
  return (
    <li className="entry" data-state={state}>
      <div className="entry-place">{position ?? ""}</div>
      <div className="entry-state">
        <EntryState of={state} />
      </div>
      <div className="entry-what">
        <Link href={`/changes/${changeId}`} className="entry-goal" data-row>
          {changes === undefined ? "…" : (changes.get(changeId)?.goal ?? `Change ${changeId.slice(0, 12)}`)}
        </Link>{" "}
        {priority === "urgent" ? <Tag tone="warn">urgent</Tag> : null}
        <Facts entry={entry} />
        <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>Why</summary>
          {isOpen ? <EntryWhy entry={entry} /> : null}
          {isOpen && position === null && candidateId !== undefined ? (
            <EntryChecks candidateId={candidateId} isRunning={false} />
          ) : null}
        </details>
      </div>
      <div className="entry-checks">
        {position === null || candidateId === undefined ? null : (
          <EntryChecks candidateId={candidateId} isRunning={state === "running"} />
        )}
      </div>
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
