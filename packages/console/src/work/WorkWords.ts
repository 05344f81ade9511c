/** Work, money and time of Tasks in words. */
import type { Answer } from "../api/Wire.ts"
import { maxBudgetUsd } from "../change/Budget.ts"
import { withoutCode } from "../change/Next.ts"
import type { Change } from "../change/Records.ts"

/** A Task as the API answers it. */
export type Task = Answer<"changes", "tasks">["items"][number]
/** One attempt at a Task. */
export type Run = Answer<"tasks", "runs">["items"][number]

/** `$0.0004`, `$1.20`: what is small keeps the digits that tell it from nothing. */
export const moneyWords = (usd: number): string => `$${usd.toFixed(usd !== 0 && Math.abs(usd) < 0.1 ? 4 : 2)}`

/** What a budget is proposed to become, as one types it: twice as much, as far as one may go. */
export const raisedTo = (usd: number): string => String(Math.min(maxBudgetUsd, Math.round(usd * 200) / 100))

/** Why nobody works on a Change though it is not done; null where that is not so. */
export const stoppedWords = ({ reason, status }: Pick<Change, "reason" | "status">): string | null => {
  if (status === "budget_blocked") return sentence("The work stopped", reason ?? "the budget is spent")
  return status === "failed" ? sentence("The work ended", reason ?? "no reason was given") : null
}

const sentence = (begin: string, reason: string): string => `${begin}: ${withoutCode(reason).replace(/\.$/, "")}.`

/** How long a run took, or takes until now: `3 s`, `4 min`, `2 h 5 min`. */
export const runWords = ({ endedAt, startedAt }: Pick<Run, "endedAt" | "startedAt">, nowMs: number): string => {
  const seconds = Math.max(
    0,
    Math.round(((endedAt === null ? nowMs : Date.parse(endedAt)) - Date.parse(startedAt)) / 1000)
  )
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

// Nothing can be done for them any more.
const closed: ReadonlyArray<string> = ["completed", "failed", "cancelled"]

const readOnly: ReadonlyArray<string> = ["research", "review", "docs-review"]

/** Why a Task cannot be acted upon so, in words; null where it can. The server judges again. */
export const whyNot = (
  act: "retry" | "stop" | "handOver" | "note",
  task: Pick<Task, "blockedBy" | "kind" | "status">
): string | null => {
  if (closed.includes(task.status)) return `The Task is ${task.status}.`
  if (act === "retry") return task.status === "blocked" ? null : "Only a blocked Task is retried."
  if (act === "stop") return task.status === "blocked" ? "It does not run." : null
  if (act === "handOver" && readOnly.includes(task.kind)) return "It only answers: no ChangeSet could complete it."
  return act === "handOver" && task.blockedBy === "person" ? "A person holds it already." : null
}

const waits: Readonly<Record<string, string>> = {
  dependency: "It goes on when the Tasks that it waits for do.",
  dead_letter: "Its agent could not be run. Retry it, or take it over.",
  budget: "The budget is spent. It goes on when somebody raises it.",
  calls: "The calls of models of today are used up. It goes on the next day (UTC).",
  model: "No model answers. Whoever runs this server can mend that; then retry it.",
  stopped: "A person stopped it. Retry it, or take it over.",
  person: "A person does it: their ChangeSet completes it. Retry gives it back to its agent."
}

/** What is to be done about a Task, in a sentence; null where nothing is. */
export const nextWords = (task: Pick<Task, "blockedBy" | "status">): string | null => {
  if (task.status === "blocked") return waits[task.blockedBy ?? ""] ?? "Retry it, or take it over."
  if (task.status === "failed")
    return "Its agents could not do it. Take over what waits for it, or cancel the Change and open another one."
  return null
}

/** The Task that is worth a look first: what is stuck, then what runs; null when all is calm. */
export const worthALook = (tasks: ReadonlyArray<Task>): string | null =>
  (
    tasks.find(({ status }) => status === "failed" || status === "blocked") ??
    tasks.find(({ status }) => status === "running")
  )?.id ?? null

/** A line for the picture, cut where it has no room. */
export const cutTo = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).trimEnd()}…`
