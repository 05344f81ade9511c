/** What waits for a person, as the page tells it. */
import type { Answer } from "../api/Wire.ts"

type Waiting = Answer<"inbox", "inbox">["items"][number]

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

/** What to do where the record gives no reason of its own. */
const words: Readonly<Record<Waiting["kind"], string>> = {
  approval: "Look at it, and approve or reject.",
  budget: "Its budget is spent. Raise it, or cancel the Change.",
  candidate: "Its Candidate cannot be promoted.",
  release: "It did not go live: what was live before still is.",
  dead_letter: "Retry it, or dismiss it.",
  change: "It failed, and gave no reason."
}

const placeOf = ({ changeId, kind, label }: Waiting): string => {
  if (kind === "dead_letter") return `/p/${label}/dead-letters`
  if (kind === "budget") return `/changes/${changeId}/work`
  return changeId === null || kind === "release" ? `/p/${label}` : `/changes/${changeId}`
}

/** In the order of the server: the most urgent first. */
export const itemsOf = (waiting: ReadonlyArray<Waiting>): ReadonlyArray<InboxItem> =>
  waiting.map((each) => ({
    key: `${each.kind} ${each.id}`,
    status: each.status,
    title: each.kind === "dead_letter" ? `${each.title} failed too often` : each.title,
    // An approval and a budget wait for somebody to do something; what else waits says why by itself.
    why: each.kind === "approval" || each.kind === "budget" ? words[each.kind] : (each.reason ?? words[each.kind]),
    to: placeOf(each),
    label: each.label,
    at: each.at
  }))
