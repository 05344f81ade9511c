/** The whole life of a Release, on one screen (specification, "Release status"). */
import * as Lifecycle from "./Lifecycle.ts"
import { releaseStatuses } from "./Release.ts"

export const ReleaseLifecycle = Lifecycle.make("release", {
  states: releaseStatuses,
  // A release that never started is recorded as a failed row by the recovery scan.
  initial: ["queued", "failed"],
  final: ["deployed", "failed", "smoke_failed", "superseded"],
  rows: [
    ["queued", "started", "building", { when: "the generation is still canonical", also: "build.started" }],
    [
      ["queued", "building"],
      "newerPromoted",
      "superseded",
      { when: "a newer generation was promoted", also: "change.completed" }
    ],
    [
      "building",
      "buildFailed",
      "failed",
      { when: "no build, build failed, or deployment unconfirmed", also: "deployment.failed, change.failed" }
    ],
    [
      ["queued", "building"],
      "stuck",
      "failed",
      { when: "still queued or building 45 minutes after promotion", also: "change.failed" }
    ],
    ["building", "probesPassed", "deployed", { also: "deployment.completed, change.completed" }],
    [
      "building",
      "probesFailed",
      "smoke_failed",
      { also: "deployment.completed (restored), release.smoke_failed, change.failed" }
    ],
    ["deployed", "failureInjected", "smoke_failed", { also: "release.smoke_failed with `injected: true`" }]
  ]
})
