/** An edit by hand: one file, as it is to be. More than that is sent by git, the command line or the API. */
import { useMutation } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { api } from "../api/Client.ts"
import { useAct } from "../candidate/Act.ts"
import { ActionDialog } from "../candidate/ActionDialog.tsx"
import { announce } from "../shell/Announcements.ts"
import { Button } from "../ui/Button.tsx"
import { TextAreaField, TextField } from "../ui/Field.tsx"
import type { Change } from "./Records.ts"

interface Given {
  readonly message: string
  readonly path: string
  readonly text: string
}

const current = async (projectId: string, path: string): Promise<string> => {
  const file = await api.projects.code({ params: { id: projectId }, query: { path } })
  return "text" in file && typeof file.text === "string" ? file.text : ""
}

const Fields = ({
  given,
  isAsked,
  set
}: {
  readonly given: Given
  readonly isAsked: boolean
  readonly set: (next: Given) => void
}): ReactNode => (
  <>
    <TextField
      label="Message"
      autoComplete="off"
      value={given.message}
      wrong={isAsked && given.message.trim() === "" ? "Say what it does." : null}
      onChange={({ target }) => set({ ...given, message: target.value })}
    />
    <TextField
      label="File"
      autoComplete="off"
      spellCheck={false}
      value={given.path}
      hint="From the root of the source: public/hours.html. A file that is not there is made."
      wrong={isAsked && given.path.trim() === "" ? "Name the file." : null}
      onChange={({ target }) => set({ ...given, path: target.value })}
    />
    <TextAreaField
      label="Its whole text"
      isCode
      rows={8}
      spellCheck={false}
      value={given.text}
      onChange={({ target }) => set({ ...given, text: target.value })}
    />
  </>
)

/** The dialog. */
export const SendChangeSet = ({
  change,
  onClose
}: {
  readonly change: Change
  readonly onClose: () => void
}): ReactNode => {
  const [given, setGiven] = useState<Given>({ message: "", path: "", text: "" })
  const [isAsked, setAsked] = useState(false)
  const isMissing = given.message.trim() === "" || given.path.trim() === ""
  const act = useAct(
    change,
    () =>
      api.changesets.create({
        params: { id: change.id },
        payload: { message: given.message, files: { [given.path]: given.text } }
      }),
    () => {
      announce("The ChangeSet is recorded")
      onClose()
    }
  )
  const reading = useMutation({
    mutationFn: () => current(change.projectId, given.path),
    onSuccess: (text) => setGiven((before) => ({ ...before, text }))
  })
  return (
    <ActionDialog
      title="Send a ChangeSet"
      verb="Send"
      busyVerb="Sending…"
      busy={act.isPending}
      error={act.error ?? reading.error}
      onClose={onClose}
      onSubmit={() => {
        setAsked(true)
        if (!isMissing) act.mutate()
      }}
    >
      <Fields given={given} set={setGiven} isAsked={isAsked} />
      <Button
        size="small"
        busy={reading.isPending}
        why={given.path.trim() === "" ? "Name the file first." : null}
        onClick={() => reading.mutate()}
      >
        Take its text from canonical
      </Button>
    </ActionDialog>
  )
}
