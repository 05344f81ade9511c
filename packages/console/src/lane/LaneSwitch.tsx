/** Pauses the lane, with a reason that everybody reads, and has it go on. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useProjectHere } from "../project/Here.ts"
import { announce } from "../shell/Announcements.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { TextField } from "../ui/Field.tsx"
import { Problem } from "../ui/Problem.tsx"

const PauseDialog = ({ onClose, onDone }: { readonly onClose: () => void; readonly onDone: () => void }): ReactNode => {
  const { id } = useProjectHere()
  const [reason, setReason] = useState("")
  const [isAsked, setAsked] = useState(false)
  const pausing = useMutation({
    mutationFn: () => api.lane.pause({ params: { id }, payload: { reason: reason.trim() } }),
    onSuccess: () => {
      announce("The lane is paused")
      onDone()
      onClose()
    }
  })
  const submit = () => {
    setAsked(true)
    if (reason.trim() !== "" && !pausing.isPending) pausing.mutate()
  }
  return (
    <Dialog
      title="Pause the lane"
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={pausing.isPending}>
            {pausing.isPending ? "Pausing…" : "Pause"}
          </Button>
        </>
      }
    >
      <p>What runs ends. Nothing is composed and nothing lands until somebody has it go on.</p>
      {pausing.error === null ? null : <Problem of={pausing.error} />}
      <TextField
        label="Reason"
        autoComplete="off"
        hint="Everybody who waits reads it."
        value={reason}
        wrong={isAsked && reason.trim() === "" ? "Say why." : null}
        onChange={({ target }) => setReason(target.value)}
      />
    </Dialog>
  )
}

/** One button: what it does depends on the lane. */
export const LaneSwitch = ({ isPaused }: { readonly isPaused: boolean }): ReactNode => {
  const { id } = useProjectHere()
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const again = () => void client.invalidateQueries({ queryKey: keys.ofProject(id, "lane") })
  const resuming = useMutation({
    mutationFn: () => api.lane.resume({ params: { id } }),
    onSuccess: () => {
      announce("The lane goes on")
      again()
    }
  })
  return (
    <>
      {resuming.error === null ? null : <Problem of={resuming.error} />}
      {isPaused ? (
        <Button look="primary" icon="run" busy={resuming.isPending} onClick={() => resuming.mutate()}>
          Let it go on
        </Button>
      ) : (
        <Button icon="stop" onClick={() => setAsking(true)}>
          Pause
        </Button>
      )}
      {isAsking ? <PauseDialog onClose={() => setAsking(false)} onDone={again} /> : null}
    </>
  )
}
