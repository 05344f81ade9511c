/** Why a Change stands still until a person does something about its Tasks. Pure. */
import type { ChangeStatus } from "../model/Change.ts"
import { isHeld, isPlanned, type Task } from "../model/Task.ts"
import { Limits } from "../primitives/Limits.ts"

/** Whether a Task goes on by itself, or waits for one that does. */
const goesOn = ({ status }: Task): boolean => status !== "completed" && status !== "failed" && status !== "blocked"

/** What may be done about a Task that stands in the way of the others. */
const wayOn = (task: Task): string => {
  if (task.status === "failed") return "Send its edit yourself and ask for a Candidate, or cancel the Change."
  return isHeld(task) ? "Their ChangeSet completes it." : "Retry it, take it over, or cancel the Change."
}

/**
 * Why it stands still, in words that say what to do; null while its work goes on, and where something else says why.
 * `tasks` are in order of insertion.
 */
export const standstillOf = (status: ChangeStatus, tasks: ReadonlyArray<Task>): string | null => {
  if (status !== "running" && status !== "verifying") return null
  const refused = tasks.find((task) => task.status === "blocked" && task.blockedBy === "model")
  if (refused !== undefined) return refused.reason
  if (status === "verifying" || !tasks.some(isPlanned) || tasks.some(goesOn)) return null
  const task =
    tasks.find((each) => each.status === "failed") ??
    tasks.find((each) => each.status === "blocked" && each.blockedBy !== "dependency")
  if (task === undefined) return null
  const words = `the Task ${task.key} ${task.status === "failed" ? "failed" : "is blocked"}: ${task.reason ?? "no reason given"}. `
  const way = wayOn(task)
  return `${words.slice(0, Limits.problemLength - way.length)}${way}`
}
