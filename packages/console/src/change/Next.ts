/** What to do with a Change, in words for people who have buttons. */
import type { Candidate, Change } from "./Records.ts"

const request = String.raw`(?:GET|POST|PUT|DELETE) /v1/[^\s),]*[^\s),.]`

/** The server's sentence without the requests in it: they are for those who have no buttons. */
export const withoutRequests = (next: string): string =>
  next.replace(new RegExp(String.raw` \(${request}[^)]*\)`, "g"), "").replace(new RegExp(`: ${request}`, "g"), "")

/** The same sentence for a headline: it begins with what there is, where the server's begins with there being nothing to do. */
export const withoutNothing = (next: string): string =>
  next
    .replace(/^Nothing: it is (?=S\d|completed)/, "Done: it is ")
    .replace(/^Nothing: (.)/, (_, first: string) => first.toUpperCase())

/** A reason without the word for programs that it may begin with. */
export const withoutCode = (reason: string): string => reason.replace(/^[a-z]+(?:_[a-z]+)+: /, "")

/** Where a Change that is over leads on; nowhere while it is not. `label` is its Project's. */
export const waysOn = (
  { status }: Pick<Change, "status">,
  label: string,
  isArchived: boolean
): ReadonlyArray<{ readonly title: string; readonly to: string }> => {
  if (status !== "completed" && status !== "failed" && status !== "cancelled") return []
  const overview = { title: "See the Project", to: `/p/${label}` }
  // Nobody opens one of a Project that is archived, and nothing of it is served.
  if (isArchived) return [overview]
  const back = { title: "Go back to an older state", to: `/p/${label}/rollback` }
  const opened = { title: "New Change", to: `/p/${label}/changes?new` }
  return status === "completed" ? [overview, opened, back] : [overview, opened]
}

const count = (changeSets: number): string => (changeSets === 1 ? "its ChangeSet" : `its ${changeSets} ChangeSets`)

/** What there is to do while a Change has no Candidate. */
export const nextWithout = (
  { laneEntryId, reason, status }: Pick<Change, "status" | "reason" | "laneEntryId">,
  changeSets: number
): string => {
  if (laneEntryId != null) return "Wait: it stands in the lane, and its Candidate is composed in turn."
  switch (status) {
    case "compiling":
      return "Wait: its Tasks are being planned."
    case "running":
      return "Wait: its Tasks are being worked."
    case "budget_blocked":
      return `Raise its budget on the tab Work, or cancel the Change: ${withoutCode(reason ?? "it is spent")}.`
    case "completed":
      return "Nothing: it is completed."
    case "failed":
      return `It failed: ${reason ?? "no reason was given"}. Open another Change if this work is still wanted.`
    case "cancelled":
      return "Nothing: it was cancelled. Open another Change if this work is still wanted."
    default:
      return changeSets === 0 ? "Send a ChangeSet." : `Request a Candidate of ${count(changeSets)}.`
  }
}

/** Whether a Candidate holds every one of these ChangeSets. */
export const holdsAll = (candidate: Pick<Candidate, "changeSets">, changeSets: ReadonlyArray<string>): boolean =>
  changeSets.every((id) => candidate.changeSets.some((held) => held === id))

const longestTitle = 100

/** The first line of a goal, cut at a word where it is long. */
export const titleOf = (goal: string): string => {
  const [line = ""] = goal.trim().split("\n", 1)
  if (line.length <= longestTitle) return line
  const cut = line.slice(0, longestTitle)
  return `${cut.slice(0, cut.lastIndexOf(" ") > 60 ? cut.lastIndexOf(" ") : longestTitle)}…`
}
