/** The work that is open: each Change with where it is and what it waits for. */
import type { ReactNode } from "react"
import { Link } from "wouter"
import { inOrder } from "../change/ChangeFilters.ts"
import { useProjectHere } from "../project/Here.ts"
import { Answered } from "../ui/Answered.tsx"
import { LinkButton } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Status } from "../ui/Status.tsx"
import { Time } from "../ui/Time.tsx"
import { moreWords, nextOf } from "./NextWords.ts"
import { useOpenWork } from "./OpenWork.ts"

const shown = 6

/** The few that moved last; all of them are a click away. */
export const WorkCard = (): ReactNode => {
  const { id, label } = useProjectHere()
  const work = useOpenWork(id)
  const all = <Link href={`/p/${label}/changes`}>All Changes</Link>
  return (
    <Card title="Open work" bare actions={all}>
      <Answered query={work}>
        {({ items, nextCursor }) => {
          const open = inOrder(items, { order: "moved" })
          if (open.length === 0)
            return (
              <Empty icon="check" title="Nothing is open">
                <p>A Change says what is wanted. People or agents then send ChangeSets to it.</p>
                <LinkButton to={`/p/${label}/changes`}>Open a Change</LinkButton>
              </Empty>
            )
          return (
            <ul role="list" className="work">
              {open.slice(0, shown).map((change) => (
                <li key={change.id}>
                  <Status of={change.status} />
                  <div className="work-what">
                    <Link href={`/changes/${change.id}`} data-row>
                      {change.goal}
                    </Link>
                    <p>{nextOf(change)}</p>
                  </div>
                  <Time at={change.updatedAt} />
                </li>
              ))}
              {open.length > shown ? (
                <li className="work-more">{moreWords(open.length - shown, nextCursor !== null)}</li>
              ) : null}
            </ul>
          )
        }}
      </Answered>
    </Card>
  )
}
