/** How far a rollback is, in words. Pure. */
import type { Answer } from "../api/Wire.ts"

type Change = Answer<"changes", "get">["change"]
type Candidate = Answer<"candidates", "list">["items"][number]

/** One step: it is done, goes on now, comes later, or failed. */
export interface Step {
  readonly words: string
  readonly state: "done" | "now" | "later" | "failed"
}

const ended = new Set<Change["status"]>(["completed", "failed", "cancelled"])

/** Whether nothing happens to a Change any more. */
export const isOver = (status: Change["status"]): boolean => ended.has(status)

const places: Readonly<Record<string, number>> = {
  composing: 1,
  composed: 1,
  verifying: 2,
  verified: 3,
  promoted: 4
}

/** The steps in order. Only what the server has said is done. */
export const stepsOf = (
  { status }: Pick<Change, "status">,
  candidate: Pick<Candidate, "status"> | null,
  target: number
): ReadonlyArray<Step> => {
  const isDone = status === "completed"
  const at = isDone ? 5 : status === "releasing" ? 4 : (places[candidate?.status ?? "composing"] ?? 2)
  const isFailed = !isDone && (isOver(status) || candidate?.status === "rejected" || candidate?.status === "stale")
  const words = [
    "It is asked for",
    `The tree of S${target} is composed on the head`,
    "It is checked that the tree is the same",
    "It is promoted: the line has a new generation",
    "It is released: the app serves it"
  ]
  return words.map((each, index) => ({
    words: each,
    state: index < at ? "done" : index > at ? "later" : isFailed ? "failed" : "now"
  }))
}
