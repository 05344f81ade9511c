/** The whole life of a Change, on one screen (specification, "Change status"). */
import * as Lifecycle from "./Lifecycle.ts"
import { changeStatuses } from "./Change.ts"

/** Every step that a Change may take, and the events that tell of it. What is absent is refused. */
export const ChangeLifecycle = Lifecycle.make("change", {
  states: changeStatuses,
  initial: ["created"],
  final: ["completed", "failed", "cancelled"],
  rows: [
    ["created", "planningStarted", "compiling"],
    [
      "created",
      "personWorked",
      "running",
      { when: "a Change opened without planning gets a person's first ChangeSet" }
    ],
    [
      "compiling",
      "workGraphStored",
      "running",
      { emits: ["change.compiled"], also: "Tasks stored, ready Tasks dispatched" }
    ],
    ["compiling", "plannerFailed", "failed", { emits: ["change.failed"] }],
    ["running", "lastTaskCompleted", "verifying", { emits: ["verification.started"] }],
    ["running", "budgetStopped", "budget_blocked", { when: "a budget or limit stop" }],
    [
      "budget_blocked",
      "budgetRaised",
      "running",
      { also: "budget-stopped Tasks become ready, their blocked dependents pending" }
    ],
    [
      "verifying",
      "approvalNeeded",
      "awaiting_approval",
      { when: "a verified Candidate needs approval", also: "approval.requested, by the Candidate that owes it" }
    ],
    ["awaiting_approval", "noVerifiedCandidate", "verifying", { when: "no verified Candidate is left" }],
    [
      ["verifying", "awaiting_approval", "running", "budget_blocked"],
      "promotionRequested",
      "promoting",
      { emits: ["canonical.promotion.requested"] }
    ],
    ["promoting", "swapRefused", "verifying", { when: "it was verifying, or no verified Candidate is left" }],
    ["promoting", "swapRefused", "awaiting_approval", { when: "it was awaiting approval" }],
    ["promoting", "swapRefused", "running", { when: "it was running" }],
    ["promoting", "swapRefused", "budget_blocked", { when: "it was blocked by its budget" }],
    [
      "promoting",
      "swapWonWithRelease",
      "releasing",
      { when: "a release target or app exists", also: "its Candidate is promoted; a Release is queued" }
    ],
    [
      "promoting",
      "swapWonWithoutRelease",
      "completed",
      { when: "no release target", emits: ["change.completed"], also: "its Candidate is promoted" }
    ],
    [
      "releasing",
      "released",
      "completed",
      { when: "the release is deployed or superseded", emits: ["change.completed"] }
    ],
    [
      "releasing",
      "releaseFailed",
      "failed",
      { when: "the release failed, or is stuck for 45 minutes", emits: ["change.failed"] }
    ],
    [
      ["created", "compiling", "running", "verifying", "awaiting_approval", "budget_blocked"],
      "cancel",
      "cancelled",
      {
        when: "before promotion starts, or when a rollback's only Candidate has ended",
        emits: ["change.cancelled"],
        also: "open Tasks cancelled, open Candidates rejected with reason `change cancelled`"
      }
    ]
  ]
})
