/** The whole life of a Release, on one screen (specification, "Release status"). */
import * as Lifecycle from "./Lifecycle.ts"
import { releaseStatuses } from "./Release.ts"

/** Every step that a Release may take, and the events that tell of it. What is absent is refused. */
export const ReleaseLifecycle = Lifecycle.make("release", {
  states: releaseStatuses,
  // A release that never started is recorded as a failed row by the recovery scan.
  initial: ["queued", "failed"],
  final: ["deployed", "failed", "smoke_failed", "superseded"],
  rows: [
    ["queued", "started", "building", { when: "the generation is still canonical", emits: ["build.started"] }],
    [
      ["queued", "building"],
      "newerPromoted",
      "superseded",
      { when: "a newer generation was promoted", also: "its Change is completed" }
    ],
    [
      "building",
      "buildFailed",
      "failed",
      {
        when: "no build, build failed, or deployment unconfirmed",
        emits: ["deployment.failed"],
        also: "its Change fails"
      }
    ],
    [
      ["queued", "building"],
      "stuck",
      "failed",
      {
        when: "still queued or building 45 minutes after promotion",
        mayEmit: ["deployment.completed"],
        also: "what was served before it is restored; its Change fails"
      }
    ],
    [
      "building",
      "probesPassed",
      "deployed",
      {
        mayEmit: ["deployment.completed"],
        also: "the deployment at a release target was told when it was confirmed; its Change is completed"
      }
    ],
    [
      "building",
      "probesFailed",
      "smoke_failed",
      {
        emits: ["release.smoke_failed"],
        mayEmit: ["deployment.completed"],
        also: "what was served before it is restored; its Change fails"
      }
    ],
    ["deployed", "failureInjected", "smoke_failed", { emits: ["release.smoke_failed"], also: "with `injected: true`" }]
  ]
})
