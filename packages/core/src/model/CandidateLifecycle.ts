/** The whole life of a Candidate, on one screen (specification, "Candidate status"). */
import * as Lifecycle from "./Lifecycle.ts"
import { candidateStatuses } from "./Candidate.ts"

/** Every step that a Candidate may take, and the events that tell of it. What is absent is refused. */
export const CandidateLifecycle = Lifecycle.make("candidate", {
  // `composed` exists in the enumeration and in call results; stored rows never hold it.
  states: candidateStatuses,
  initial: ["composing"],
  final: ["promoted", "rejected", "stale"],
  rows: [
    ["composing", "planRecorded", "verifying", { emits: ["candidate.composed"] }],
    [
      "composing",
      "notComposable",
      "rejected",
      {
        when: "incompatible, merge conflict, no Sandbox budget, or given up by a person",
        emits: ["candidate.rejected"]
      }
    ],
    [
      ["composing", "verifying", "verified"],
      "canonicalAdvanced",
      "stale",
      { when: "canonical advanced first, or the base is behind canonical", emits: ["candidate.stale"] }
    ],
    [
      ["composing", "verifying", "verified"],
      "predictionRefuted",
      "stale",
      {
        when: "the Candidate that it was made on will not become canonical",
        also: "no recomposition of its lineage",
        emits: ["candidate.stale"]
      }
    ],
    [
      "verifying",
      "checksPassed",
      "verified",
      {
        when: "every required check passes",
        emits: ["candidate.verified"],
        mayEmit: ["approval.requested"],
        also: "it asks for the approval that it owes"
      }
    ],
    [
      "verifying",
      "checksFailed",
      "rejected",
      { when: "a required check failed or has a gap, or it was given up by a person", emits: ["candidate.rejected"] }
    ],
    [
      "verified",
      "policyChanged",
      "verifying",
      { when: "the same composition is asked for under a newer Policy", also: "re-planned in place" }
    ],
    ["verified", "approverRejected", "rejected", { emits: ["approval.rejected", "candidate.rejected"] }],
    ["verified", "swapWon", "promoted", { emits: ["canonical.advanced"] }],
    [
      ["composing", "verifying", "verified"],
      "changeCancelled",
      "rejected",
      { emits: ["candidate.rejected"], also: "its reason is `change cancelled`" }
    ],
    [
      "stale",
      "recompositionsExhausted",
      "blocked",
      { when: "the limit of 2 recompositions per lineage is exceeded", emits: ["candidate.blocked"] }
    ]
  ]
})
