/** An edit by hand: one file, as it is to be. More than that is sent by git, the command line or the API. */
import { useMutation } from "@tanstack/react-query"
import { type ReactNode, useEffect, useState } from "react"
import { api } from "../api/Client.ts"
import { useSignedIn } from "../account/Me.ts"
import { useAct } from "../candidate/Act.ts"
import { ActionDialog } from "../candidate/ActionDialog.tsx"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import { announce } from "../shell/Announcements.ts"
import { Button } from "../ui/Button.tsx"
import { TextAreaField, TextField } from "../ui/Field.tsx"
import { useChangeSets } from "./Queries.ts"
import type { Change } from "./Records.ts"

interface Given {
  readonly message: string
  readonly path: string
  readonly text: string
}

/** What the edit stands on: the newest ChangeSet of one's own for this Change, else canonical. Null while that is asked. */
interface Base {
  readonly changeset?: string
}

const useBase = (changeId: string): Base | null => {
  const all = useChangeSets(changeId).data
  const me = useSignedIn().data?.user.id
  if (all === undefined || me === undefined) return null
  const mine = all.findLast(({ author }) => author.id === me)
  return mine === undefined ? {} : { changeset: mine.id }
}

const current = async (projectId: string, base: Base, path: string): Promise<string> => {
  const file = await api.projects.code({ params: { id: projectId }, query: { ...base, path } })
  return "text" in file && typeof file.text === "string" ? file.text : ""
}

/** As many paths are offered; a browser finds what one types among them. */
const offered = 5000

/** The files that are there, for who does not know them by heart. */
const usePaths = (projectId: string, base: Base | null): ReadonlyArray<string> => {
  const listing = useAnswer(
    keys.ofProject(projectId, "tree", base?.changeset ?? "canonical"),
    (options) => api.projects.code({ params: { id: projectId }, query: base ?? {} }, options),
    { enabled: base !== null }
  )
  if (listing.data === undefined || !("entries" in listing.data)) return []
  return listing.data.entries.flatMap(({ path, type }) => (type === "file" ? [path] : []))
}

const Fields = ({
  given,
  isAsked,
  paths,
  set
}: {
  readonly given: Given
  readonly isAsked: boolean
  readonly paths: ReadonlyArray<string>
  readonly set: (next: Given) => void
}): ReactNode => (
  <>
    <datalist id="canonical-files">
      {paths.slice(0, offered).map((path) => (
        <option key={path} value={path} />
      ))}
    </datalist>
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
      list="canonical-files"
      spellCheck={false}
      value={given.path}
      hint="From the root of the source: public/hours.html. A file that is not there is made."
      wrong={isAsked && given.path.trim() === "" ? "Name the file." : null}
      onChange={({ target }) => set({ ...given, path: target.value })}
    />
    <TextAreaField
      label="Its whole text"
      isCode
      rows={14}
      spellCheck={false}
      value={given.text}
      onChange={({ target }) => set({ ...given, text: target.value })}
    />
  </>
)

/** The dialog. With a `file` it begins with the text of that. */
export const SendChangeSet = ({
  change,
  file,
  onClose
}: {
  readonly change: Change
  readonly file: string
  readonly onClose: () => void
}): ReactNode => {
  const [given, setGiven] = useState<Given>({ message: "", path: file, text: "" })
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
  const base = useBase(change.id)
  const reading = useMutation({
    mutationFn: ({ path }: Given) => current(change.projectId, base ?? {}, path),
    // Whoever went on typing a path or a text meanwhile is not written over.
    onSuccess: (text, asked) =>
      setGiven((before) => (before.path === asked.path && before.text === asked.text ? { ...before, text } : before))
  })
  const paths = usePaths(change.projectId, base)
  // A file that is there is edited, not written anew: also when it was named before the list of files came.
  const isThere = paths.includes(given.path)
  useEffect(() => {
    if (isThere && given.text === "") reading.mutate(given)
    // Once for each path: who empties the text wants it empty.
  }, [isThere, given.path])
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
      <Fields given={given} set={setGiven} isAsked={isAsked} paths={paths} />
      <Button
        size="small"
        busy={reading.isPending || base === null}
        why={given.path.trim() === "" ? "Name the file first." : null}
        onClick={() => reading.mutate(given)}
      >
        Load its text as it is now
      </Button>
    </ActionDialog>
  )
}
