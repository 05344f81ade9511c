/** More money for the agents of a Change. */
import { type ReactNode, useState } from "react"
import { api } from "../api/Client.ts"
import { useAct } from "../candidate/Act.ts"
import { ActionDialog } from "../candidate/ActionDialog.tsx"
import { budgetProblem } from "../change/Budget.ts"
import type { Change } from "../change/Records.ts"
import { announce } from "../shell/Announcements.ts"
import { TextField } from "../ui/Field.tsx"
import { moneyWords, raisedTo } from "./WorkWords.ts"

/** The dialog. What the budget had stopped goes on by itself. */
export const RaiseBudget = ({
  change,
  onClose
}: {
  readonly change: Change
  readonly onClose: () => void
}): ReactNode => {
  const { budget_usd: budget, spent_usd: spent } = change
  const [text, setText] = useState(() => raisedTo(budget))
  const [isAsked, setAsked] = useState(false)
  const wrong =
    budgetProblem(text) ?? (Number(text) > budget ? null : `More than ${moneyWords(budget)}: it is never lowered.`)
  const act = useAct(
    change,
    () => api.changes.budget({ params: { id: change.id }, payload: { budget_usd: Number(text) } }),
    () => {
      announce("The budget is raised")
      onClose()
    }
  )
  return (
    <ActionDialog
      title="Raise the budget"
      verb="Raise it"
      busyVerb="Raising…"
      busy={act.isPending}
      error={act.error}
      onClose={onClose}
      onSubmit={() => {
        setAsked(true)
        if (wrong === null) act.mutate()
      }}
    >
      <p>
        {moneyWords(spent)} of {moneyWords(budget)} are spent. What the budget stopped goes on when it is raised.
      </p>
      <TextField
        label="New budget in US dollars"
        inputMode="decimal"
        autoComplete="off"
        value={text}
        hint="The whole of it, with what is spent."
        wrong={isAsked ? wrong : null}
        onChange={({ target }) => setText(target.value)}
      />
    </ActionDialog>
  )
}
