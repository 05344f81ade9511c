/** The whole life of a Candidate, on one screen (specification, "Candidate status"). */
import * as Lifecycle from "./Lifecycle.ts"
import { candidateStatuses } from "./Candidate.ts"

export const CandidateLifecycle = Lifecycle.make("candidate", {
  // `composed` exists in the enumeration and in call results; stored rows never hold it.
  states: candidateStatuses,
  initial: ["composing"],
  final: ["promoted", "rejected", "stale"],
  rows: [
    ["composing", "planRecorded", "verifying", { also: "candidate.composed" }],
    [
      "composing",
      "notComposable",
      "rejected",
      { when: "incompatible, merge conflict, no Sandbox budget, or given up by a person", also: "candidate.rejected" }
    ],
    [
      ["composing", "verifying", "verified"],
      "canonicalAdvanced",
      "stale",
      { when: "canonical advanced first, or the base is behind canonical", also: "candidate.stale" }
    ],
    ["verifying", "checksPassed", "verified", { when: "every required check passes", also: "candidate.verified" }],
    [
      "verifying",
      "checksFailed",
      "rejected",
      { when: "a required check failed or has a gap, or it was given up by a person", also: "candidate.rejected" }
    ],
    [
      "verified",
      "policyChanged",
      "verifying",
      { when: "the same composition is asked for under a newer Policy", also: "re-planned in place" }
    ],
    ["verified", "approverRejected", "rejected", { also: "approval.rejected, candidate.rejected" }],
    ["verified", "swapWon", "promoted", { also: "canonical.advanced" }],
    [
      ["composing", "verifying", "verified"],
      "changeCancelled",
      "rejected",
      { also: "candidate.rejected with reason `change cancelled`" }
    ],
    [
      "stale",
      "recompositionsExhausted",
      "blocked",
      { when: "the limit of 2 recompositions per lineage is exceeded", also: "candidate.blocked" }
    ]
  ]
})
