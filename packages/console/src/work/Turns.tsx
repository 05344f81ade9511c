/** What an agent and its model said to each other in a run. All of it is data: it is shown as text, whatever it says. */
import { type ReactNode, useEffect } from "react"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { usePages } from "../api/Queries.ts"
import type { Answer } from "../api/Wire.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Tag } from "../ui/Tag.tsx"
import { moneyWords } from "./WorkWords.ts"

type Turn = Answer<"tasks", "turns">["items"][number]
type Said = NonNullable<Turn["asked"]>["parts"][number]
type Called = NonNullable<Turn["answered"]>["calls"][number]

/** How often a run that goes on is looked at, in ms: its turns are no change of state that the stream tells. */
const lookAgainMs = 3000

const Call = ({ call }: { readonly call: Called }): ReactNode => (
  <div className="turn-call">
    <span>
      Calls <code>{call.name}</code>
    </span>
    <pre className="code" tabIndex={0} role="region" aria-label={`Arguments of ${call.name}`}>
      {call.raw ?? JSON.stringify(call.input, null, 2)}
    </pre>
  </div>
)

const names = { user: "Pawl", model: "The model", tool: "A tool" } as const

const Part = ({ said }: { readonly said: Said }): ReactNode => (
  <details className="turn-part">
    <summary>
      {names[said.from]} said{said.failed === true ? <Tag tone="bad">Failed</Tag> : null}
      <span className="turn-begin">{said.text.trim().slice(0, 120)}</span>
    </summary>
    <pre className="code" tabIndex={0} role="region" aria-label={`What ${names[said.from].toLowerCase()} said`}>
      {said.text}
    </pre>
  </details>
)

const One = ({ turn }: { readonly turn: Turn }): ReactNode => (
  <li className="task-turn">
    <p className="turn-head">
      <strong>Turn {turn.turn}</strong>
      <span>{turn.modelCalls.map(({ model }) => model).at(-1)}</span>
      <span>{moneyWords(turn.cost_usd)}</span>
      {turn.answered === null ? null : <span>ended by {turn.answered.stop.replaceAll("_", " ")}</span>}
    </p>
    {turn.asked?.parts.map((said, at) => (
      <Part key={at} said={said} />
    ))}
    {turn.answered === null ? (
      <p className="work-note">
        {turn.modelCalls.at(-1)?.state === "reserved"
          ? "The model is being asked."
          : "What was said is not kept any more."}
      </p>
    ) : (
      <>
        {turn.answered.text === "" ? null : <p className="turn-text">{turn.answered.text}</p>}
        {turn.answered.calls.map((call) => (
          <Call key={call.id} call={call} />
        ))}
      </>
    )}
  </li>
)

/** The turns of a run, in their order; looked at again and again while it goes on. */
export const Turns = ({
  changeId,
  isGoingOn,
  runId
}: {
  readonly changeId: string
  readonly runId: string
  readonly isGoingOn: boolean
}): ReactNode => {
  const turns = usePages<Turn>(keys.ofChange(changeId, "turns", runId), (cursor, options) =>
    api.tasks.turns({ params: { id: runId }, query: cursor === undefined ? {} : { cursor } }, options)
  )
  const { refetch } = turns
  useEffect(() => {
    if (!isGoingOn) return
    const timer = setInterval(() => void refetch(), lookAgainMs)
    return () => clearInterval(timer)
  }, [isGoingOn, refetch])
  return (
    <Answered query={turns} lines={3}>
      {({ pages }) => {
        const all = pages.flatMap(({ items }) => items)
        return (
          <>
            {all.length === 0 ? <p className="work-note">No model was asked in this run.</p> : null}
            <ol role="list" className="task-turns">
              {all.map((turn) => (
                <One key={turn.turn} turn={turn} />
              ))}
            </ol>
            {turns.hasNextPage ? (
              <Button size="small" busy={turns.isFetchingNextPage} onClick={() => void turns.fetchNextPage()}>
                Show more turns
              </Button>
            ) : null}
          </>
        )
      }}
    </Answered>
  )
}
