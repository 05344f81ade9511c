/**
 * A decision that is made on what the approver's own clone shows: the text that is signed is made from the clone's values,
 * and what the server says otherwise is named.
 */
import type { Candidate } from "@pawl/core/model/Candidate"
import { type ApprovalClaim, approvalText, planDigest } from "@pawl/core/provenance/ApprovalText"
import type { ClonedCandidate } from "./ClonedCandidate.ts"

/** What the server says that its values are. */
export interface Served {
  readonly candidate: Pick<Candidate, "id" | "changeId" | "projectId" | "commit" | "tree" | "plan">
  /** The user of the token. */
  readonly user: string
  /** The text that it wants signed. */
  readonly text: string
}

/** One thing that the server says otherwise. */
export interface Difference {
  readonly field: string
  readonly own: string
  readonly served: string
}

/** What the decision is bound to, by the clone; Change and plan are those that are shown. Null without a plan. */
export const ownClaim = (
  { project, source, tree }: ClonedCandidate,
  { candidate, user }: Omit<Served, "text">,
  decision: ApprovalClaim["decision"]
): ApprovalClaim | null =>
  candidate.plan === null
    ? null
    : {
        project,
        change: candidate.changeId,
        candidate: candidate.id,
        tree,
        source,
        plan: planDigest(candidate.plan),
        decision,
        approver: user
      }

const fieldsOf = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const read: unknown = JSON.parse(text)
    return typeof read === "object" && read !== null ? { ...read } : {}
  } catch {
    return {}
  }
}

const shown = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing"))

/** Where the server's Candidate, or the text that it wants signed, is not what the clone shows. */
export const differences = (
  { commit, project, tree }: ClonedCandidate,
  own: ApprovalClaim,
  { candidate, text }: Served
): ReadonlyArray<Difference> => {
  const said: ReadonlyArray<readonly [field: string, own: string, served: unknown]> = [
    ["project", project, candidate.projectId],
    ["commit", commit, candidate.commit],
    ["tree", tree, candidate.tree]
  ]
  const expected = approvalText(own)
  const [ours, theirs] = [fieldsOf(expected), fieldsOf(text)]
  const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])]
  const all = [
    ...said,
    ...names.map((name) => [name, shown(ours[name]), theirs[name]] as const),
    // Two texts can hold the same and be written otherwise.
    ...(names.every((name) => ours[name] === theirs[name]) ? [["text", expected, text] as const] : [])
  ]
  const found = all.flatMap(([field, mine, served]) =>
    mine === shown(served) ? [] : [{ field, own: mine, served: shown(served) }]
  )
  return found.filter(({ field }, index) => found.findIndex((each) => each.field === field) === index)
}
