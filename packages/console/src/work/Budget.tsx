/** What the agents of a Change have spent of what they may, why they stopped, and more of it. */
import { type ReactNode, useState } from "react"
import type { Change } from "../change/Records.ts"
import { useMayNot } from "../project/May.ts"
import { Button } from "../ui/Button.tsx"
import { Notice } from "../ui/Notice.tsx"
import { RaiseBudget } from "./RaiseBudget.tsx"
import { moneyWords, stoppedWords } from "./WorkWords.ts"

const over = new Set<Change["status"]>(["completed", "failed", "cancelled"])

const Raise = ({ change }: { readonly change: Change }): ReactNode => {
  const [isAsked, setAsked] = useState(false)
  const why = useMayNot(change.projectId)?.("changes.budget") ?? null
  return (
    <>
      <Button size="small" why={why} onClick={() => setAsked(true)}>
        Raise the budget
      </Button>
      {isAsked ? <RaiseBudget change={change} onClose={() => setAsked(false)} /> : null}
    </>
  )
}

/** A bar and the same in words; above it, why the work stopped. Of a Change that is over it is only told. */
export const Budget = ({ change }: { readonly change: Change }): ReactNode => {
  const { budget_usd: budget, reserved_usd: reserved = 0, spent_usd: spent } = change
  const stopped = stoppedWords(change)
  return (
    <>
      {stopped === null ? null : (
        <Notice tone={change.status === "failed" ? "bad" : "warn"} icon="warn">
          {stopped}
        </Notice>
      )}
      <div className="work-budget">
        <meter
          min={0}
          max={budget}
          high={budget * 0.8}
          value={Math.min(budget, spent + reserved)}
          aria-label="Budget"
        />
        <p>
          <strong>{moneyWords(spent)}</strong> of {moneyWords(budget)} spent
          {reserved > 0 ? `, ${moneyWords(reserved)} kept for calls on their way` : ""}
        </p>
        {over.has(change.status) ? null : <Raise change={change} />}
      </div>
    </>
  )
}
