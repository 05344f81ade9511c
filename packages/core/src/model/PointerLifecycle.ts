/** The whole life of an App pointer, on one screen (specification, "App pointer row status"). */
import * as Lifecycle from "./Lifecycle.ts"
import { pointerStatuses } from "./Pointer.ts"

/** Every step that a pointer may take. What is absent is refused. */
export const PointerLifecycle = Lifecycle.make("pointer", {
  states: pointerStatuses,
  initial: ["building", "live"],
  final: [],
  rows: [
    ["building", "built", "live"],
    ["building", "buildFailed", "build_failed", { when: "no earlier good bundle exists" }],
    ["building", "capReached", "limit_reached", { when: "no earlier good bundle exists" }],
    ["live", "built", "live", { when: "a newer bundle takes its place, or a failed release restores the older" }],
    ["live", "buildFailed", "live", { when: "the row keeps serving the last good bundle" }],
    ["live", "withdrawn", "build_failed", { when: "a first release failed its smoke test" }],
    [["build_failed", "limit_reached"], "buildStarted", "building"],
    [
      ["live", "building", "build_failed", "limit_reached"],
      "remove",
      "removed",
      {
        when: "project archived, remove-app, or a preview makes room for a newer one",
        also: "every host of the Project answers 410 at once; cleanup queued"
      }
    ],
    [
      "removed",
      "deploy",
      "building",
      { when: "deploy-app on a removed app", also: "a new pointer; removed preview and version rows are not revived" }
    ]
  ]
})
