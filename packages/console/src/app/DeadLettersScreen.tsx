/** `/p/<label>/dead-letters`: what failed too often and waits for a person. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { usePages } from "../api/Queries.ts"
import { useProjectHere } from "../project/Here.ts"
import { announce } from "../shell/Announcements.ts"
import { Screen } from "../shell/Screen.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Problem } from "../ui/Problem.tsx"
import { Time } from "../ui/Time.tsx"
import type { DeadLetter } from "./Consequence.ts"
import { DismissDialog } from "./DismissDialog.tsx"
import "./app.css"

const Letter = ({ letter, onDone }: { readonly letter: DeadLetter; readonly onDone: () => void }): ReactNode => {
  const [isAsking, setAsking] = useState(false)
  const retrying = useMutation({
    mutationFn: () => api.deadLetters.retry({ params: { id: letter.id } }),
    onSuccess: () => {
      announce("It is queued again")
      onDone()
    }
  })
  return (
    <li className="letter">
      <div className="letter-what">
        <h2>{letter.kind}</h2>
        <p>{letter.lastProblem ?? "It gave no reason."}</p>
        <p className="letter-facts">
          <span>{letter.attempts} tries</span>
          <span>
            given up <Time at={letter.diedAt} />
          </span>
          <code>{letter.id}</code>
        </p>
        {retrying.error === null ? null : <Problem of={retrying.error} />}
      </div>
      <div className="letter-do">
        <Button icon="run" busy={retrying.isPending} onClick={() => retrying.mutate()}>
          Retry
        </Button>
        <Button look="danger" onClick={() => setAsking(true)}>
          Dismiss
        </Button>
      </div>
      {isAsking ? <DismissDialog letter={letter} onClose={() => setAsking(false)} onDone={onDone} /> : null}
    </li>
  )
}

/** Those of this Project. */
export default function DeadLettersScreen(): ReactNode {
  const { id } = useProjectHere()
  const client = useQueryClient()
  const letters = usePages<DeadLetter>(keys.ofProject(id, "dead-letters"), (cursor, options) =>
    api.deadLetters.list({ params: { id }, query: cursor === undefined ? {} : { cursor } }, options)
  )
  const done = () => {
    for (const queryKey of [keys.project(id), keys.inbox, ["change"]]) void client.invalidateQueries({ queryKey })
  }
  return (
    <Screen
      title="Dead letters"
      lead="Commands that failed too often. Mend what they failed for and retry, or dismiss them."
    >
      <Answered query={letters}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items)
          return items.length === 0 ? (
            <Card bare>
              <Empty icon="check" title="There are no dead letters">
                <p>A command that fails too often will be here, with why. Nothing is to be done.</p>
              </Empty>
            </Card>
          ) : (
            <Card bare>
              <ul role="list" className="letters">
                {items.map((letter) => (
                  <Letter key={letter.id} letter={letter} onDone={done} />
                ))}
              </ul>
            </Card>
          )
        }}
      </Answered>
      {letters.hasNextPage ? (
        <Button busy={letters.isFetchingNextPage} onClick={() => void letters.fetchNextPage()}>
          Show more
        </Button>
      ) : null}
    </Screen>
  )
}
