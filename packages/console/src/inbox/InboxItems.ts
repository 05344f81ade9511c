/** What waits for a person, out of what the lists of the API say. Pure: the same lists make the same Inbox. */
import type { Answer } from "../api/Wire.ts"
import type { Project } from "../project/ByLabel.ts"

type Change = Answer<"changes", "list">["items"][number]
type Candidate = Answer<"candidates", "list">["items"][number]
type DeadLetter = Answer<"deadLetters", "list">["items"][number]

/** What is known of one Project. Candidates are by the id of their Change, oldest first. */
export interface ProjectNews {
  readonly project: Project
  readonly changes: ReadonlyArray<Change>
  readonly candidates: ReadonlyMap<string, ReadonlyArray<Candidate>>
  readonly deadLetters: ReadonlyArray<DeadLetter>
}

/** One thing that waits. */
export interface InboxItem {
  readonly key: string
  /** As `Status` draws it. */
  readonly status: string
  readonly title: string
  /** Why it waits, or what to do. */
  readonly why: string
  /** Where it is dealt with. */
  readonly to: string
  /** The label of its Project. */
  readonly label: string
  readonly at: string
}

/** Failures older than this, in ms, are history. */
const failureMs = 7 * 24 * 60 * 60 * 1000

const money = (usd: number): string => `$${usd.toFixed(2)}`

/** What a Change waits for; null when it is for nobody. */
const ofChange = (change: Change, candidates: ReadonlyArray<Candidate>, now: number) => {
  switch (change.status) {
    case "awaiting_approval":
      return { status: change.status, why: `Risk ${change.riskTier}. Look at it, and approve or reject.` }
    case "budget_blocked":
      return {
        status: change.status,
        why: `${money(change.spent_usd)} of ${money(change.budget_usd)} are spent. Raise its budget, or cancel it.`
      }
    case "failed":
      return now - Date.parse(change.updatedAt) > failureMs
        ? null
        : { status: change.status, why: change.reason ?? "It failed, and gave no reason." }
    case "verifying":
    case "created": {
      const last = candidates.at(-1)
      return last?.status === "rejected" || last?.status === "blocked"
        ? { status: last.status, why: last.reason ?? "Its Candidate cannot be promoted." }
        : null
    }
    default:
      return null
  }
}

const changesOf = ({ candidates, changes, project }: ProjectNews, now: number): ReadonlyArray<InboxItem> =>
  changes.flatMap((change) => {
    const waits = ofChange(change, candidates.get(change.id) ?? [], now)
    if (waits === null) return []
    const { goal, id, updatedAt } = change
    return [{ ...waits, key: id, title: goal, to: `/changes/${id}`, label: project.label, at: updatedAt }]
  })

const lettersOf = ({ deadLetters, project }: ProjectNews): ReadonlyArray<InboxItem> =>
  deadLetters.map((letter) => ({
    key: letter.id,
    status: "dead",
    title: `${letter.kind} failed ${letter.attempts} times`,
    why: letter.lastProblem ?? "Retry it, or dismiss it.",
    to: `/p/${project.label}/dead-letters`,
    label: project.label,
    at: letter.diedAt
  }))

const urgency = ["awaiting_approval", "budget_blocked", "blocked", "rejected", "dead", "failed"]

/** Everything that waits: approvals first, then what stands still, then what failed; the newest first of each. */
export const inboxOf = (news: ReadonlyArray<ProjectNews>, now: number): ReadonlyArray<InboxItem> =>
  news
    .flatMap((each) => [...changesOf(each, now), ...lettersOf(each)])
    .toSorted(
      (a, b) => urgency.indexOf(a.status) - urgency.indexOf(b.status) || (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)
    )
