/** What a Candidate looks like as commit statuses of GitHub. Pure. */
import type { Candidate, Why } from "./PawlApi.ts"

export interface CommitStatus {
  readonly context: string
  readonly state: "pending" | "success" | "failure" | "error"
  readonly description: string
  readonly target_url: string
}

/** As long as GitHub takes a description (REST API, "Commit statuses"). */
const longest = 140

/** One line that GitHub takes. */
export const described = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim()
  return line.length > longest ? `${line.slice(0, longest - 2)} …` : line
}

type Told = Pick<CommitStatus, "state" | "description">

const verified = (candidate: Candidate, { blocks }: Why): Told => {
  const [first] = blocks
  return first === undefined
    ? { state: "success", description: `Every required check passed, on S${candidate.base_generation}` }
    : { state: "pending", description: `Verified, and blocked: ${first.detail}` }
}

const whole = (candidate: Candidate, why: Why): Told => {
  switch (candidate.status) {
    case "verified":
      return verified(candidate, why)
    case "promoted":
      return { state: "success", description: "Promoted" }
    case "rejected":
      return { state: "failure", description: candidate.reason ?? "Rejected" }
    case "blocked":
      return { state: "failure", description: candidate.reason ?? "Composed anew too often" }
    case "stale":
      return { state: "pending", description: "Canonical moved on: it needs a new Candidate" }
    default:
      return { state: "pending", description: `It is checked on S${candidate.base_generation}` }
  }
}

/** While it is checked, a check without evidence is on its way; afterwards it could not run. */
const isUnderWay = ({ status }: Candidate): boolean => status === "composing" || status === "verifying"

const ofCheck = (candidate: Candidate, check: Why["checks"][number]): Told => {
  if (check.evidenceId === null && isUnderWay(candidate))
    return { state: "pending", description: "It has not ended yet" }
  switch (check.verdict) {
    case "pass":
      return { state: "success", description: check.summary }
    case "fail":
      return { state: "failure", description: check.summary }
    case "gap":
      return { state: "error", description: check.summary }
  }
}

/** All that is shown of a Candidate: one status for the whole, and one for each check. */
export const statusesOf = (
  candidate: Candidate,
  why: Why,
  { context, target }: { readonly context: string; readonly target: string }
): ReadonlyArray<CommitStatus> => {
  const status = (name: string, { description, state }: Told): CommitStatus => ({
    context: name,
    state,
    description: described(description),
    target_url: target
  })
  return [
    status(context, whole(candidate, why)),
    ...why.checks.map((check) => status(`${context}/${check.checkId}`, ofCheck(candidate, check)))
  ]
}

/** Of a commit whose files Pawl never had: whatever became of others says nothing about it. */
export const unseen = ({ context, target }: { readonly context: string; readonly target: string }): CommitStatus => ({
  context,
  state: "pending",
  description: "Pawl has not been given the files of this commit: push it to the Change",
  target_url: target
})
