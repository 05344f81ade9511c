/** The lane in one line: who stands where, in order. */
import { useLane } from "../project/ProjectQueries.ts"
import type { ReactNode } from "react"
import { Link } from "wouter"
import { EntryState } from "../lane/EntryState.tsx"
import { useProjectHere } from "../project/Here.ts"
import { Answered } from "../ui/Answered.tsx"
import { Card } from "../ui/Card.tsx"
import { Tag } from "../ui/Tag.tsx"

const shown = 5

/** Nobody in it is said in a word. */
export const LaneStrip = (): ReactNode => {
  const { id, label } = useProjectHere()
  const lane = useLane(id)
  return (
    <Card title="Lane" actions={<Link href={`/p/${label}/lane`}>Open the lane</Link>}>
      <Answered query={lane} lines={1}>
        {({ entries, lane: { reason, state } }) => (
          <div className="strip">
            {state === "paused" ? <Tag tone="warn">{`paused: ${reason ?? "no reason given"}`}</Tag> : null}
            {entries.length === 0 ? <span className="strip-none">Nobody waits to land.</span> : null}
            {entries.slice(0, shown).map((entry) => (
              <span key={entry.id} className="strip-entry">
                <span className="strip-place">{entry.position}</span>
                <EntryState of={entry.state} />
                <Link href={`/changes/${entry.changeId}`}>{entry.title}</Link>
              </span>
            ))}
            {entries.length > shown ? <span className="strip-none">and {entries.length - shown} more</span> : null}
          </div>
        )}
      </Answered>
    </Card>
  )
}
