/** The attempts at a Task, newest first, each with the turns of its agent. */
import { type ReactNode, useState } from "react"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { usePages } from "../api/Queries.ts"
import { withoutCode } from "../change/Next.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Status } from "../ui/Status.tsx"
import { Time } from "../ui/Time.tsx"
import { Turns } from "./Turns.tsx"
import { moneyWords, type Run, runWords, type Task } from "./WorkWords.ts"

const One = ({ run }: { readonly run: Run }): ReactNode => {
  const isGoingOn = run.endedAt === null
  const [isOpen, setOpen] = useState(isGoingOn && run.tier !== null)
  return (
    <li className="task-run">
      <p className="run-head">
        <strong>Attempt {run.attempt}</strong>
        <Status of={run.outcome ?? "running"} />
        <span>{run.tier === null ? "by a person" : `tier ${run.tier}`}</span>
        <span>
          {moneyWords(run.cost_usd)}, {run.modelCalls} {run.modelCalls === 1 ? "call" : "calls"}
        </span>
        <span>{runWords(run, Date.now())}</span>
        <Time at={run.startedAt} />
      </p>
      {run.reason == null ? null : <p>{withoutCode(run.reason)}</p>}
      {run.tier === null ? null : (
        <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>
            Turns<span className="hidden-text"> of attempt {run.attempt}</span>
          </summary>
          {isOpen ? <Turns changeId={run.changeId} runId={run.id} isGoingOn={isGoingOn} /> : null}
        </details>
      )}
    </li>
  )
}

/** They are asked for with the Task that they are of. */
export const Runs = ({ task }: { readonly task: Task }): ReactNode => {
  const runs = usePages<Run>(keys.ofChange(task.changeId, "runs", task.id), (cursor, options) =>
    api.tasks.runs(
      { params: { id: task.id }, query: { limit: 100, ...(cursor === undefined ? {} : { cursor }) } },
      options
    )
  )
  return (
    <Answered query={runs} lines={2}>
      {({ pages }) => {
        const all = pages.flatMap(({ items }) => items).toReversed()
        return all.length === 0 ? (
          <p className="work-note">Nobody has begun it.</p>
        ) : (
          <>
            <ol role="list" className="task-runs">
              {all.map((run) => (
                <One key={run.id} run={run} />
              ))}
            </ol>
            {runs.hasNextPage ? (
              <Button size="small" busy={runs.isFetchingNextPage} onClick={() => void runs.fetchNextPage()}>
                Show newer runs
              </Button>
            ) : null}
          </>
        )
      }}
    </Answered>
  )
}
