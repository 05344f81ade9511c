/** What a Change that is not over waits for, in one line. Its own page says more. */
import { withoutCode } from "../change/Next.ts"
import type { Change } from "../change/Records.ts"

/** How many are not shown; `isPart` where the server has even more. */
export const moreWords = (left: number, isPart: boolean): string => `and ${isPart ? "more than " : ""}${left} more`

const words: Readonly<Partial<Record<Change["status"], string>>> = {
  created: "Send a ChangeSet, or let agents plan it.",
  compiling: "Agents plan it.",
  running: "Agents or people work on it.",
  budget_blocked: "Raise its budget, or cancel it.",
  verifying: "Open it: its Candidate is on its way, or you are next.",
  awaiting_approval: "Somebody who may approve looks at it.",
  promoting: "It becomes canonical.",
  releasing: "The app is built and probed."
}

/** The reason that it was given, else what comes next. */
export const nextOf = ({ reason, status }: Pick<Change, "reason" | "status">): string =>
  (reason === null ? null : withoutCode(reason)) ?? words[status] ?? "Open it to see what is next."
