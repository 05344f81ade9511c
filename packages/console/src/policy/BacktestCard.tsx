/** What the draft of a Policy would have done to the last Changes, before it is saved. */
import { useMutation } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Link } from "wouter"
import { api } from "../api/Client.ts"
import { useProjectHere } from "../project/Here.ts"
import { announce } from "../shell/Announcements.ts"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Problem } from "../ui/Problem.tsx"
import { Tag } from "../ui/Tag.tsx"
import { Table } from "../ui/Table.tsx"
import { differenceWords, summaryOf, touched, type TriedChange } from "./Backtest.ts"
import type { PolicyFields } from "./PolicyDraft.ts"

const Reasons = ({ differences, unsure }: Pick<TriedChange, "differences" | "unsure">): ReactNode => (
  <ul role="list" className="backtest-reasons">
    {differences.map(({ code, reason }) => (
      <li key={code}>
        <Tag>{differenceWords[code]}</Tag> {reason}
      </li>
    ))}
    {unsure.map((words) => (
      <li key={words}>{words}</li>
    ))}
  </ul>
)

const Tried = ({ items }: { readonly items: ReadonlyArray<TriedChange> }): ReactNode => {
  const told = touched(items)
  return (
    <>
      <p>{summaryOf(items)}</p>
      {told.length === 0 ? null : (
        <Table
          caption="What it would have done"
          rows={told}
          keyOf={({ changeId }) => changeId}
          columns={[
            {
              title: "Change",
              isMain: true,
              of: ({ changeId, goal }) => <Link href={`/changes/${changeId}`}>{goal}</Link>
            },
            { title: "Became", of: ({ generation }) => (generation === null ? "not promoted" : `S${generation}`) },
            { title: "It would have", of: (item) => <Reasons {...item} /> }
          ]}
        />
      )}
    </>
  )
}

/** It is asked for when somebody says so; once the draft has changed again, the answer is not shown any more. */
export const BacktestCard = ({ fields }: { readonly fields: PolicyFields }): ReactNode => {
  const { id } = useProjectHere()
  const trying = useMutation({
    mutationFn: (draft: PolicyFields) => api.policies.backtest({ params: { id }, payload: draft }),
    onSuccess: ({ items }) => announce(summaryOf(items))
  })
  const isCurrent = JSON.stringify(trying.variables) === JSON.stringify(fields)
  return (
    <Card
      title="What it would have done to the last 20 Changes"
      actions={
        <Button busy={trying.isPending} onClick={() => trying.mutate(fields)}>
          {trying.isPending ? "Looking…" : "Try it"}
        </Button>
      }
    >
      <div className="backtest">
        {trying.error !== null && isCurrent ? <Problem of={trying.error} /> : null}
        {trying.data !== undefined && isCurrent ? (
          <Tried items={trying.data.items} />
        ) : (
          <p>Trying stores nothing: the draft is looked at as it stands above.</p>
        )}
      </div>
    </Card>
  )
}
