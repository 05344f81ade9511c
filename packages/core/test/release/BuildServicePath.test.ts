import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Commands } from "@pawl/core/work/Commands"
import { Limits } from "@pawl/core/primitives/Limits"
import * as BuildService from "@pawl/core/release/BuildService"
import { buildPollTimes, confirmTimes } from "@pawl/core/release/BuildServicePath"
import * as ReleaseTargets from "@pawl/core/project/ReleaseTargets"
import { injectedPath, injectFailure } from "@pawl/core/release/Injection"
import { page, person, settle } from "../kit/MemoryPawl.ts"
import { changeOf, claimRelease, eventsSince, promoted, releaseOf } from "../kit/ReleaseScenes.ts"
import { newProject } from "../kit/Scenes.ts"
import { answers, begun, build, deployment, ends, pass, play, polls, service, target } from "../kit/TargetScenes.ts"

describe("The release to a build service's target", () => {
  it("is deployed when the build of the promoted commit is the newest deployment and its probes pass", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* begun
        Object.assign(service, { builds: [build(scene.commit)], deployment })
        yield* pass(Limits.buildPollFirstMs)
        expect(yield* ends(scene, "deployed", "completed")).toEqual([
          "build.started",
          "build.completed",
          "deployment.completed",
          "change.completed"
        ])
        const told = (yield* eventsSince(scene.project.id, 1)).find((event) => event.type === "deployment.completed")
        expect(told?.data).toEqual({
          releaseId: scene.releaseId,
          generation: 1,
          status: "deployed",
          versionId: "v1",
          buildId: "b1"
        })
      })
    ))

  it("asks for builds after 15 s, 30 s more, then every 60 s, until 15 minutes are over, and holds no worker between", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* begun
        yield* pass(Limits.buildPollForMs - 1000)
        expect((yield* releaseOf(scene.releaseId)).status).toBe("building")
        const idle = yield* (yield* Commands).claim({ worker: "x", kinds: ["release.run"], limit: 1, leaseMs: 1000 })
        expect(idle).toEqual([])
        yield* pass(1000)
        const seconds = polls.map((at) => (at - scene.startedAt) / 1000)
        expect(seconds).toEqual([15, 45, ...Array.from({ length: 14 }, (_, index) => 105 + 60 * index), 900])
        expect(seconds).toEqual(buildPollTimes.map((time) => time / 1000))
        expect(yield* ends(scene, "failed", "failed", "no build of")).toEqual([
          "build.started",
          "deployment.failed",
          "change.failed"
        ])
      })
    ))

  it("fails at once when there is no build and nothing that would build: the connection is missing", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* begun
        service.hasTrigger = false
        yield* pass(Limits.buildPollFirstMs)
        yield* ends(scene, "failed", "failed", "connection missing")
        expect(polls.length).toBe(1)
      })
    ))

  it.each(["fail", "cancelled", "terminated", "skipped"] as const)("fails with a build that ended with %s", (outcome) =>
    play(
      Effect.gen(function* () {
        const scene = yield* begun
        service.builds = [build(scene.commit, { outcome })]
        yield* pass(Limits.buildPollFirstMs)
        expect(yield* ends(scene, "failed", "failed", outcome)).toEqual([
          "build.started",
          "build.completed",
          "deployment.failed",
          "change.failed"
        ])
      })
    )
  )

  it("counts only builds of the promoted commit, and of those the newest", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* begun
        service.builds = [build("f".repeat(40), { id: "b0" })]
        service.deployment = { ...deployment, buildId: "b0" }
        yield* pass(buildPollTimes[1]!)
        expect((yield* releaseOf(scene.releaseId)).status).toBe("building")
        service.builds = [
          build(scene.commit, { id: "old", outcome: "fail" }),
          build(scene.commit, { id: "b1", createdAt: "2026-01-01T00:01:00Z" })
        ]
        service.deployment = deployment
        yield* pass(Limits.buildPollMs)
        yield* ends(scene, "deployed", "completed")
      })
    ))

  it("waits for a build that is at work, and gives up on one that never ends", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* begun
        service.builds = [build(scene.commit, { status: "running", outcome: null })]
        yield* pass(Limits.buildPollForMs)
        yield* ends(scene, "failed", "failed", "did not finish within 15 minutes")
      })
    ))

  it("fails when the newest deployment is never confirmed to be of that build", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* begun
        service.builds = [build(scene.commit)]
        service.deployment = { ...deployment, buildId: "another" }
        yield* pass(Limits.buildPollFirstMs + Limits.deploymentConfirmForMs - 1000)
        expect((yield* releaseOf(scene.releaseId)).status).toBe("building")
        yield* pass(1000)
        expect(yield* ends(scene, "failed", "failed", "deployment unconfirmed")).toEqual([
          "build.started",
          "build.completed",
          "deployment.failed",
          "change.failed"
        ])
        expect(confirmTimes.length).toBe(13)
      })
    ))

  it("goes on when the deployment shows up later, and asks for builds no more", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* begun
        service.builds = [build(scene.commit)]
        yield* pass(Limits.buildPollFirstMs + Limits.deploymentConfirmMs)
        service.deployment = deployment
        yield* pass(Limits.deploymentConfirmMs)
        yield* ends(scene, "deployed", "completed")
        expect(polls.length).toBe(1)
      })
    ))

  it("fails its smoke test with a 404, a gap is never a pass, and nothing is told as restored", () =>
    play(
      Effect.gen(function* () {
        for (const [request, answer] of [
          ["404", page(404)],
          ["gap", null]
        ] as const) {
          answers.clear()
          if (answer !== null) answers.set("/", answer)
          service.builds = []
          const project = yield* newProject(`shop-${request}`)
          yield* ReleaseTargets.putTarget(project.id, target)
          const scene = yield* promoted(project, request)
          service.builds = [build(scene.candidate.commit ?? "")]
          service.deployment = deployment
          yield* settle
          yield* pass(Limits.buildPollFirstMs)
          const events = yield* ends({ ...scene, startedAt: 0, commit: "" }, "smoke_failed", "failed")
          expect(events).toEqual([
            "build.started",
            "build.completed",
            "deployment.completed",
            "release.smoke_failed",
            "change.failed"
          ])
          expect((yield* releaseOf(scene.releaseId)).probes.map((probe) => probe.result)).toEqual([
            request === "gap" ? "gap" : "fail"
          ])
        }
      })
    ))

  it("is superseded by the next promotion, between two polls", () =>
    play(
      Effect.gen(function* () {
        const older = yield* begun
        const newer = yield* promoted(older.project, "r2")
        yield* settle
        yield* ends(older, "superseded", "completed")
        expect((yield* releaseOf(newer.releaseId)).status).toBe("building")
      })
    ))

  it("fails at its next step when the target was forgotten", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* begun
        yield* ReleaseTargets.deleteTarget(scene.project.id)
        yield* pass(Limits.buildPollFirstMs)
        yield* ends(scene, "failed", "failed", "nothing to release to")
      })
    ))

  it("goes on from its journal when a worker died, and tells nothing twice", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* begun
        service.builds = [build(scene.commit)]
        yield* pass(Limits.buildPollFirstMs)
        // A worker takes the command, and falls silent.
        yield* TestClock.adjust(Limits.deploymentConfirmMs)
        yield* claimRelease
        service.deployment = deployment
        yield* pass(Limits.commandLeaseMs)
        const events = yield* ends(scene, "deployed", "completed")
        expect(events.filter((type) => type === "build.completed").length).toBe(1)
        expect(polls.length).toBe(1)
      })
    ))
})

describe("A build service that", () => {
  it("refuses the credentials fails the release at once, without naming them", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* begun
        service.fault = new BuildService.BuildServiceUnauthorized({ status: 401 })
        yield* pass(Limits.buildPollFirstMs)
        yield* ends(scene, "failed", "failed", "refused the credentials (401)")
      })
    ))

  it("asks for patience is not asked before that, and the release goes on after it", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* begun
        service.fault = new BuildService.BuildServiceLimited({ retryAfterMs: 120_000 })
        yield* pass(Limits.buildPollFirstMs)
        Object.assign(service, { fault: null, builds: [build(scene.commit)], deployment })
        yield* pass(119_000)
        expect((yield* releaseOf(scene.releaseId)).status).toBe("building")
        yield* pass(1000)
        yield* ends(scene, "deployed", "completed")
        expect(polls.map((at) => (at - scene.startedAt) / 1000)).toEqual([15, 135])
      })
    ))

  it("is away is asked again at the next time, and its silence is the reason in the end", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* begun
        service.fault = new BuildService.BuildServiceUnavailable({ reason: "status 500" })
        yield* pass(Limits.buildPollForMs)
        yield* ends(scene, "failed", "failed", "away: status 500")
        expect(polls.length).toBe(buildPollTimes.length)
      })
    ))
})

describe("An injected failure at a release target", () => {
  it("fails the newest deployed release there", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* begun
        Object.assign(service, { builds: [build(scene.commit)], deployment })
        yield* pass(Limits.buildPollFirstMs)
        answers.set(injectedPath, page(404))
        const { evidence, release } = yield* injectFailure(person, scene.project.id)
        expect(release).toMatchObject({ id: scene.releaseId, status: "smoke_failed" })
        expect(evidence).toMatchObject({ checkId: "release-s1-injected", result: "fail" })
        expect((yield* changeOf(scene.changeId)).status).toBe("completed")
      })
    ))
})
