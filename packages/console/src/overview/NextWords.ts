/** What a Change that is not over waits for, in one line. Its own page says more. */
import { withoutCode } from "../change/Next.ts"
import type { Change } from "../generation/GenerationQueries.ts"

const ended = new Set<Change["status"]>(["completed", "failed", "cancelled"])

/** Those that are not over, the one that moved last first. */
export const openOf = (changes: ReadonlyArray<Change>): ReadonlyArray<Change> =>
  changes.filter(({ status }) => !ended.has(status)).toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))

const words: Readonly<Partial<Record<Change["status"], string>>> = {
  created: "Send a ChangeSet, or let agents plan it.",
  compiling: "Agents plan it.",
  running: "Agents or people work on it.",
  budget_blocked: "Raise its budget, or cancel it.",
  verifying: "Its Candidate is composed and checked; ask for one if there is none.",
  awaiting_approval: "Somebody who may approve looks at it.",
  promoting: "It becomes canonical.",
  releasing: "The app is built and probed."
}

/** The reason that it was given, else what comes next. */
export const nextOf = ({ reason, status }: Pick<Change, "reason" | "status">): string =>
  (reason === null ? null : withoutCode(reason)) ?? words[status] ?? "Open it to see what is next."
