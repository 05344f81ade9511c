/** The dialog that opens a Change. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { useLocation } from "wouter"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { ActionDialog } from "../candidate/ActionDialog.tsx"
import { announce } from "../shell/Announcements.ts"
import { useMayNot } from "../project/May.ts"
import { SelectField, TextAreaField, TextField } from "../ui/Field.tsx"
import { budgetProblem } from "./Budget.ts"

interface Given {
  readonly goal: string
  readonly budget: string
  readonly who: "any" | "people"
}

/** What is proposed, in US dollars. */
const usualBudget = "5"

const Fields = ({
  given,
  isAsked,
  isByHand,
  set
}: {
  readonly given: Given
  readonly isAsked: boolean
  /** Whether it is plain who works on it. */
  readonly isByHand: boolean
  readonly set: (next: Given) => void
}): ReactNode => (
  <>
    <TextAreaField
      label="Goal"
      rows={4}
      value={given.goal}
      hint="What is to be different, in your words."
      wrong={isAsked && given.goal.trim() === "" ? "Say what is wanted." : null}
      onChange={({ target }) => set({ ...given, goal: target.value })}
    />
    <TextField
      label="Budget in US dollars"
      inputMode="decimal"
      autoComplete="off"
      value={given.budget}
      hint="What agents may spend on it. It can be raised later, never lowered."
      wrong={isAsked ? budgetProblem(given.budget) : null}
      onChange={({ target }) => set({ ...given, budget: target.value })}
    />
    {isByHand ? null : (
      <SelectField
        label="Who works on it"
        value={given.who}
        onChange={({ target }) => set({ ...given, who: target.value === "people" ? "people" : "any" })}
      >
        <option value="any">Agents where a model is set up, else people</option>
        <option value="people">People: ChangeSets are sent by hand</option>
      </SelectField>
    )}
  </>
)

/**
 * Leads to the new Change. Sent twice it opens one: its `clientRequestId` is made once, with the dialog. With a `file` it
 * is one by hand, and leads on to an edit of that.
 */
export const NewChange = ({
  file = null,
  onClose,
  projectId
}: {
  readonly projectId: string
  readonly file?: string | null
  readonly onClose: () => void
}): ReactNode => {
  const client = useQueryClient()
  const [, go] = useLocation()
  const [clientRequestId] = useState(() => crypto.randomUUID())
  const [given, setGiven] = useState<Given>({ goal: "", budget: usualBudget, who: file === null ? "any" : "people" })
  const [isAsked, setAsked] = useState(false)
  const wrongBudget = budgetProblem(given.budget)
  const isMissing = given.goal.trim() === ""
  const why = useMayNot(projectId)?.("changes.create") ?? null
  const opening = useMutation({
    mutationFn: () =>
      api.changes.create({
        params: { id: projectId },
        payload: {
          clientRequestId,
          goal: given.goal.trim(),
          budget_usd: Number(given.budget),
          ...(given.who === "people" ? { startPlanning: false } : {})
        }
      }),
    onSuccess: ({ change }) => {
      void client.invalidateQueries({ queryKey: keys.project(projectId) })
      void client.invalidateQueries({ queryKey: keys.inbox })
      announce("The Change is open")
      onClose()
      go(`/changes/${change.id}${file === null ? "" : `?${new URLSearchParams({ edit: file }).toString()}`}`)
    }
  })
  return (
    <ActionDialog
      title="New Change"
      verb="Open the Change"
      busyVerb="Opening…"
      busy={opening.isPending}
      error={opening.error}
      why={why}
      onClose={onClose}
      onSubmit={() => {
        setAsked(true)
        if (!isMissing && wrongBudget === null) opening.mutate()
      }}
    >
      {file === null ? null : (
        <p>
          A Change begins with its goal. Then you edit <code>{file}</code>.
        </p>
      )}
      <Fields given={given} set={setGiven} isAsked={isAsked} isByHand={file !== null} />
    </ActionDialog>
  )
}
