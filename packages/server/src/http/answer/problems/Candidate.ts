/** What stands between a Candidate and its promotion. */
import { conflict, problemOf, type Rows } from "./Row.ts"

/** Refusals of Candidates, approvals and promotion. */
export const candidateProblems = {
  CandidateLimit: ({ max, message }) => conflict("candidate_limit", "No more Candidates", message, { max }),
  NotComposed: ({ message, status }) =>
    conflict("not_composed", "There is nothing to compare yet", message, { candidateStatus: status }),
  Stale: ({ baseGeneration, candidateId, canonicalGeneration, message }) =>
    conflict("stale", "Canonical has moved on", message, { candidateId, baseGeneration, canonicalGeneration }),
  RollbackStale: ({ canonicalGeneration, expectedGeneration, message }) =>
    conflict("stale", "Canonical has moved on", message, { expectedGeneration, canonicalGeneration }),
  AnotherPromoting: ({ candidateId, message, promotingCandidateId }) =>
    conflict("promotion_under_way", "Another Candidate is being promoted", message, {
      candidateId,
      promotingCandidateId
    }),
  Blocked: ({ blocks, candidateId, message }) =>
    conflict("blocked", "The Candidate cannot be promoted", message, { candidateId, blocks }),
  AlreadyDecided: ({ approver, candidateId, decision, message }) =>
    conflict("already_decided", "It was decided before", message, { candidateId, decision, approver }),
  NotRequired: ({ candidateId, message, status }) =>
    conflict("not_required", "No approval is owed", message, { candidateId, candidateStatus: status }),
  PasskeyRequired: ({ candidateId, message }) =>
    problemOf(403, "passkey_required", "A passkey must sign this", message, { candidateId }),
  PasskeyRefused: ({ message, problem }) =>
    problemOf(403, "passkey_refused", "The passkey does not sign this", message, { problem }),
  SelfApproval: ({ changeId, message }) =>
    problemOf(403, "self_approval", "Someone else must decide", message, { changeId })
} satisfies Partial<Rows>
