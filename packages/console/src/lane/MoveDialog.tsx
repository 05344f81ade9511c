/** Puts an entry before another one. Only admins may: the server says so to others. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useProjectHere } from "../project/Here.ts"
import { announce } from "../shell/Announcements.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { SelectField } from "../ui/Field.tsx"
import { Problem } from "../ui/Problem.tsx"
import type { Entry } from "./EntryState.tsx"

/** `others` are those that wait beside it, in order. */
export const MoveDialog = ({
  entry,
  onClose,
  others
}: {
  readonly entry: Entry
  readonly others: ReadonlyArray<Entry>
  readonly onClose: () => void
}): ReactNode => {
  const { id } = useProjectHere()
  const client = useQueryClient()
  const [before, setBefore] = useState("")
  const moving = useMutation({
    mutationFn: () => api.lane.move({ params: { id: entry.id }, payload: before === "" ? {} : { before } }),
    onSuccess: (answer) => {
      announce(`It stands at place ${answer.entry.position}`)
      void client.invalidateQueries({ queryKey: keys.ofProject(id, "lane") })
      onClose()
    }
  })
  return (
    <Dialog
      title="Move in the lane"
      onClose={onClose}
      onSubmit={() => (moving.isPending ? undefined : moving.mutate())}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={moving.isPending}>
            {moving.isPending ? "Moving…" : "Move"}
          </Button>
        </>
      }
    >
      <p>{entry.title}</p>
      {moving.error === null ? null : <Problem of={moving.error} />}
      <SelectField
        label="Put it before"
        value={before}
        hint="What is predicted on the old order is made anew."
        onChange={({ target }) => setBefore(target.value)}
      >
        <option value="">none: to the end</option>
        {others.map((other) => (
          <option key={other.id} value={other.id}>
            {other.position}. {other.title}
          </option>
        ))}
      </SelectField>
    </Dialog>
  )
}
