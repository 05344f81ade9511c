/** What a person does about a Task. Each asks first where work would end. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { announce } from "../shell/Announcements.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Problem } from "../ui/Problem.tsx"
import { type Task, whyNot } from "./WorkWords.ts"

type Act = "retry" | "stop" | "handOver"

const acts = {
  retry: { title: "Retry", done: "The Task is retried" },
  stop: {
    title: "Stop",
    done: "The Task is stopped",
    asks: "Its run ends, and it is blocked until somebody retries it or takes it over. What waits for it waits on."
  },
  handOver: {
    title: "Take it over",
    done: "The Task is yours",
    asks: "Its run ends, and it is held for you: your ChangeSet with this taskId completes it. What waits for it waits on."
  }
} as const

/** Nothing for a Task that is closed. */
export const TaskActions = ({ task }: { readonly task: Task }): ReactNode => {
  const [asking, setAsking] = useState<"stop" | "handOver" | null>(null)
  const client = useQueryClient()
  const act = useMutation({
    mutationFn: (what: Act) => api.tasks[what]({ params: { id: task.id } }),
    onSuccess: async (_, what) => {
      setAsking(null)
      announce(acts[what].done)
      await client.invalidateQueries({ queryKey: keys.change(task.changeId) })
    }
  })
  const offered = (["retry", "handOver", "stop"] as const).filter((what) => whyNot(what, task) === null)
  const close = () => {
    setAsking(null)
    act.reset()
  }
  if (offered.length === 0) return null
  return (
    <>
      <div className="task-actions">
        {offered.map((what) => (
          <Button
            key={what}
            size="small"
            {...(what === "stop" ? { look: "danger" as const } : {})}
            busy={act.isPending}
            onClick={() => (what === "retry" ? act.mutate(what) : setAsking(what))}
          >
            {acts[what].title}
          </Button>
        ))}
      </div>
      {act.error === null || asking !== null ? null : <Problem of={act.error} />}
      {asking === null ? null : (
        <Dialog
          title={`${acts[asking].title}: ${task.title}`}
          onClose={close}
          onSubmit={() => act.mutate(asking)}
          actions={
            <>
              <Button onClick={close}>Leave it as it is</Button>
              <Button type="submit" look={asking === "stop" ? "danger" : "primary"} busy={act.isPending}>
                {acts[asking].title}
              </Button>
            </>
          }
        >
          <p>{acts[asking].asks}</p>
          {act.error === null ? null : <Problem of={act.error} />}
        </Dialog>
      )}
    </>
  )
}
