/** What a person can do about a Task, in one sentence for somebody who asks over HTTP. */
import { isWritable, type Task } from "@pawl/core/model/Task"

type Named = Pick<Task, "blockedBy" | "changeId" | "heldBy" | "id" | "kind" | "status">

const ask = (task: Named, what: string): string => `POST /v1/tasks/${task.id}/${what}`

/** Where a ChangeSet can complete it. */
const orTake = (task: Named): string => (isWritable(task.kind) ? `, or do it yourself (${ask(task, "hand-over")})` : "")

const blocked = (task: Named): string => {
  switch (task.blockedBy) {
    case "budget":
      return `Raise the budget: POST /v1/changes/${task.changeId}/budget.`
    case "calls":
      return `Wait: the calls of models of today are used up, and it goes on the next day (UTC), or when PAWL_AGENT_DAILY_CALL_CAP is raised${orTake(task)}.`
    case "model":
      return `Tell whoever runs this server, who can mend how models are asked (pawl doctor); then retry it (${ask(task, "retry")})${orTake(task)}.`
    case "person":
      return `Wait for the ChangeSet of ${task.heldBy ?? "who holds it"} with this taskId, or give it back to its agent: ${ask(task, "retry")}.`
    case "dependency":
      return `Look at the Tasks that it depends on: it goes on when they do${orTake(task)}.`
    default:
      return `Retry it (${ask(task, "retry")})${orTake(task)}.`
  }
}

/** What is known of the run that a Task is at. */
export interface Known {
  /** Why its model gave no answer when it was asked last. */
  readonly unanswered?: string
  /** Whose agent works it, outside. */
  readonly outside?: string
}

/** One sentence for each state of a Task, with the request that does it where a request can. */
export const taskInWords = (task: Named, { outside, unanswered }: Known = {}): string => {
  switch (task.status) {
    case "pending":
      return `Wait: what it depends on is not completed. ${ask(task, "stop")} stops it.`
    case "ready":
    case "assigned":
      return `Wait: an agent takes it${task.status === "ready" ? `, or have your own work it (pawl work --task ${task.id})` : ""}. ${ask(task, "stop")} stops it.`
    case "running":
      if (outside !== undefined)
        return `Wait: an agent of ${outside}'s works it outside; it is ready again soon after that agent is gone. ${ask(task, "stop")} stops it.`
      if (unanswered !== undefined)
        return `Wait: its model gave no answer (${unanswered}) and is asked again. ${ask(task, "stop")} stops it.`
      return `Wait, or tell its agent something: ${ask(task, "notes")}. ${ask(task, "stop")} stops it.`
    case "blocked":
      return blocked(task)
    case "failed":
      return `Its agents could not do it. Take over what depends on it, or cancel the Change (POST /v1/changes/${task.changeId}/cancel) and open another one.`
    case "completed":
      return "Nothing: its work is done."
    case "cancelled":
      return "Nothing: it ended with its Change."
  }
}
