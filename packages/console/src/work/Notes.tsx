/** What people wrote for the agent of a Task, and a field to write more. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, type SubmitEvent, useState } from "react"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { TextField } from "../ui/Field.tsx"
import { Problem } from "../ui/Problem.tsx"
import { Time } from "../ui/Time.tsx"
import { type Task, whyNot } from "./WorkWords.ts"

const WriteNote = ({ task }: { readonly task: Task }): ReactNode => {
  const [text, setText] = useState("")
  const [wrong, setWrong] = useState<string | null>(null)
  const client = useQueryClient()
  const write = useMutation({
    mutationFn: () => api.tasks.writeNote({ params: { id: task.id }, payload: { text } }),
    onSuccess: async () => {
      setText("")
      await client.invalidateQueries({ queryKey: keys.ofChange(task.changeId, "notes", task.id) })
    }
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setWrong(text.trim() === "" ? "Write something first." : null)
    if (text.trim() !== "" && !write.isPending) write.mutate()
  }
  return (
    <form className="note-form" onSubmit={submit}>
      <TextField
        label="Note for the agent"
        hint="It reads this at its next turn; whoever works the Task after it does too."
        wrong={wrong}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" size="small" busy={write.isPending}>
        Send the note
      </Button>
      {write.error === null ? null : <Problem of={write.error} />}
    </form>
  )
}

/** A closed Task takes no more. */
export const Notes = ({ task }: { readonly task: Task }): ReactNode => {
  const notes = useAnswer(
    keys.ofChange(task.changeId, "notes", task.id),
    async (options) => (await api.tasks.notes({ params: { id: task.id }, query: { limit: 100 } }, options)).items
  )
  return (
    <Answered query={notes} lines={1}>
      {(all) => (
        <>
          {all.length === 0 ? null : (
            <ul className="task-notes" role="list" aria-label="Notes">
              {all.map(({ author, createdAt, id, text }) => (
                <li key={id}>
                  <p>{text}</p>
                  <small>
                    {author.id}, <Time at={createdAt} />
                  </small>
                </li>
              ))}
            </ul>
          )}
          {whyNot("note", task) === null ? <WriteNote task={task} /> : null}
        </>
      )}
    </Answered>
  )
}
