/** The tab History: every step of the Change and of what belongs to it, oldest first. */
import type { ReactNode } from "react"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { usePages } from "../api/Queries.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Id } from "../ui/Id.tsx"
import { Status } from "../ui/Status.tsx"
import { Time } from "../ui/Time.tsx"
import type { TabProps } from "./ChangeTabs.tsx"
import { type Passage, passagesOf, type Step } from "./Passages.ts"
import { useNames, withNames } from "./Names.ts"
import { useChange } from "./Queries.ts"

const pageSize = 100

const StepLine = ({
  from,
  id,
  kind,
  name,
  reason,
  to
}: Step & { readonly name: (id: string) => string }): ReactNode => (
  <li>
    <span className="step-kind">{kind}</span>
    <span className="step-move">
      {from === null ? null : (
        <>
          <Status of={from} />
          <span aria-label="to">→</span>
        </>
      )}
      <Status of={to} />
    </span>
    <Id id={id} label={kind} />
    {reason === null ? null : <p>{withNames(reason, name)}</p>}
  </li>
)

const Entry = ({ of, name }: { readonly of: Passage; readonly name: (id: string) => string }): ReactNode => (
  <li className="passage">
    <div className="passage-head">
      <Time at={of.at} />
      <span>{name(of.actor)}</span>
      <code>{of.commit}</code>
    </div>
    <ul role="list" className="steps">
      {of.steps.map((step) => (
        <StepLine key={`${step.kind} ${step.id} ${step.to}`} {...step} name={name} />
      ))}
    </ul>
  </li>
)

/** What one commit did stands together. */
export default function HistoryTab({ changeId }: TabProps): ReactNode {
  const projectId = useChange(changeId).data?.change.projectId ?? ""
  const name = useNames(projectId)
  const history = usePages<Step>(keys.ofChange(changeId, "history"), (cursor, options) =>
    api.history.ofChange(
      { params: { id: changeId }, query: { limit: pageSize, ...(cursor === undefined ? {} : { cursor }) } },
      options
    )
  )
  return (
    <>
      <Answered query={history}>
        {({ pages }) => {
          const passages = passagesOf(pages.flatMap(({ items }) => items))
          return passages.length === 0 ? (
            <Card bare>
              <Empty icon="clock" title="Nothing happened yet" />
            </Card>
          ) : (
            <Card title="History">
              <ol role="list" className="history">
                {passages.map((each, index) => (
                  <Entry key={index} of={each} name={name} />
                ))}
              </ol>
            </Card>
          )
        }}
      </Answered>
      {history.hasNextPage ? (
        <Button busy={history.isFetchingNextPage} onClick={() => void history.fetchNextPage()}>
          Show what came after
        </Button>
      ) : null}
    </>
  )
}
