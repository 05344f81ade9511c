/** The whole life of an entry of the lane, on one screen. */
import * as Lifecycle from "./Lifecycle.ts"
import { laneEntryStatuses, openStatuses as open } from "./LaneEntry.ts"

const left = { emits: ["lane.left"] } as const

/** Every step that an entry may take, and the events that tell of it. What is absent is refused. */
export const LaneEntryLifecycle = Lifecycle.make("lane entry", {
  states: laneEntryStatuses,
  initial: ["waiting"],
  birth: ["lane.entered"],
  final: ["landed", "rejected", "left"],
  rows: [
    [
      "waiting",
      "composed",
      "running",
      {
        when: "its base is decided, it lies within the depth, and it is affordable",
        also: "its Candidate is asked for"
      }
    ],
    ["running", "checksPassed", "ready"],
    [
      "running",
      "checksFailed",
      "doubtful",
      { emits: ["lane.doubted"], also: "those behind it are predicted without it" }
    ],
    [
      ["running", "ready", "doubtful"],
      "predictionRefuted",
      "waiting",
      {
        when: "its base will not be canonical, or its Candidate is to be made anew",
        also: "a Candidate in flight is stale"
      }
    ],
    [
      ["running", "ready"],
      "decisionOwed",
      "aside",
      { when: "it owes an approval, and none carries over", also: "nobody waits for it" }
    ],
    [
      "aside",
      "decided",
      "waiting",
      {
        when: "it was granted, or its Candidate is to be made anew",
        also: "it goes behind those that run, or to where the very tree lands that was approved, where no other may"
      }
    ],
    ["ready", "swapWon", "landed", { emits: ["lane.left"], also: "in the commit of the swap" }],
    [
      "doubtful",
      "standsFirst",
      "rejected",
      { when: "nobody undecided stands before it, and its base is canonical", emits: ["lane.left"] }
    ],
    ["waiting", "notMergeable", "rejected", { when: "it does not merge with canonical itself", emits: ["lane.left"] }],
    [open, "withdrawn", "left", { ...left, when: "a person took it out, or an approver refused its Candidate" }],
    [open, "changeCancelled", "left", { ...left, when: "its Change ended without it" }],
    [open, "archived", "left", left],
    [open, "laneOff", "left", left],
    [open, "newWork", "left", { ...left, when: "its Change has a newer ChangeSet" }]
  ]
})
