/** The whole life of a Claim, on one screen. */
import * as Lifecycle from "./Lifecycle.ts"
import { claimStatuses } from "./Claim.ts"

/** Every step that a Claim may take, and the events that tell of it. What is absent is refused. */
export const ClaimLifecycle = Lifecycle.make("claim", {
  states: claimStatuses,
  initial: ["held"],
  final: [],
  rows: [
    ["held", "workEnded", "released", { when: "its Task is completed, failed, blocked or cancelled" }],
    ["held", "leaseEnded", "expired", { when: "nobody renewed it for 5 minutes", emits: ["claim.expired"] }],
    [["released", "expired"], "heldAgain", "held", { when: "its Task is worked again" }]
  ]
})
