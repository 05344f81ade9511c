/** What to do about a refusal, and about each block of a promotion: the server says what is wrong, this what to press. */
import { asRefusal } from "../api/Refusal.ts"
import { isWorkedOn } from "./WorkedOn.ts"

/** One reason why a promotion is refused. */
export interface Block {
  readonly code: string
  readonly detail: string
}

/** The same words with the first 8 digits of each commit and tree. */
export const shortHashes = (words: string): string =>
  words.replace(/\b([0-9a-f]{8})[0-9a-f]{32}(?:[0-9a-f]{24})?\b/g, "$1")

const ofBlock: Readonly<Record<string, string>> = {
  candidate_not_verified: "Wait for its checks, or mend what they refuse.",
  base_behind: "Canonical moved on. A Candidate on the new base takes its place by itself; else request one.",
  base_ahead: "What it was made on must land first.",
  check_gap:
    "A required check did not pass. Look at its evidence: mend what it refuses, or request the Candidate again.",
  approval_missing: "Somebody who may approve looks at it and decides.",
  approval_rejected: "Send another ChangeSet, and request a new Candidate.",
  policy_version_mismatch: "Request the same Candidate again: it is planned under the Policy of today.",
  composed_commit_missing: "Send another ChangeSet, and request a new Candidate.",
  frozen: "Nothing is promoted until the freeze ends."
}

/** What is there of itself until a Candidate is composed and checked. */
const ofWork: ReadonlySet<string> = new Set([
  "candidate_not_verified",
  "check_gap",
  "composed_commit_missing",
  "approval_missing"
])

/** Those that somebody is to do something about: while a Candidate is worked on, what it has not yet is none of them. */
export const blocksAt = (status: string, blocks: ReadonlyArray<Block>): ReadonlyArray<Block> =>
  isWorkedOn(status) ? blocks.filter(({ code }) => !ofWork.has(code)) : blocks

/** One sentence for a block; null for one that a newer server may have. */
export const blockNext = (code: string): string | null => ofBlock[code] ?? null

const ofRefusal: Readonly<Record<string, string>> = {
  stale: "Look at the Candidate that took its place; where there is none, request one. Then decide anew.",
  promotion_under_way: "Wait for the other Candidate: what becomes of it decides.",
  already_decided: "Close this. What was decided stands on the page.",
  not_required: "Close this. It needs no decision of yours any more.",
  self_approval: "Ask somebody who did not open this Change and wrote nothing of it.",
  passkey_refused: "Sign with a passkey that is enrolled here, on this very address.",
  lane_off: "Promote it instead: the lane of this Project is off.",
  change_closed: "Open another Change if this work is still wanted.",
  candidate_limit: "This Change has as many Candidates as it may. Open another Change.",
  planning_unavailable: "Choose people: no model is set up on this server.",
  insufficient_role: "Ask an admin of the Project.",
  insufficient_scope: "Sign in with a token that has the scope."
}

/** What to do about what was thrown; null where its own words say all. */
export const refusalNext = (thrown: unknown): string | null => ofRefusal[asRefusal(thrown).code] ?? null

/** The blocks in a refusal `blocked`; empty in any other. */
export const blocksIn = (thrown: unknown): ReadonlyArray<Block> => {
  const { blocks } = asRefusal(thrown).facts
  return Array.isArray(blocks) ? (blocks as ReadonlyArray<Block>) : []
}
