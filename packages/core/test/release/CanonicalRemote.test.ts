import { Effect, References } from "effect"
import { describe, expect, it } from "vitest"
import { Commands } from "@pawl/core/work/Commands"
import { demand } from "@pawl/core/ledger/Decision"
import { Limits } from "@pawl/core/primitives/Limits"
import { Repositories, RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import { RemoteRefused, RemoteUnavailable } from "@pawl/core/release/CanonicalRemote"
import * as ReleaseTargets from "@pawl/core/project/ReleaseTargets"
import { settle } from "../kit/MemoryPawl.ts"
import { eventsSince, promoted, releaseOf } from "../kit/ReleaseScenes.ts"
import { newProject } from "../kit/Scenes.ts"
import {
  begun,
  begunAt,
  build,
  deployment,
  ends,
  pass,
  play,
  polls,
  remote,
  service,
  target
} from "../kit/TargetScenes.ts"

describe("Canonical main, before a build service looks at it", () => {
  const watchedTarget = { ...target, remote: "https://git.test/shop.git" }

  it("is pushed to the target's remote, forward from promotion to promotion", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* begunAt(watchedTarget)
        expect(remote.main).toBe(scene.commit)
        Object.assign(service, { builds: [build(scene.commit)], deployment })
        yield* pass(Limits.buildPollFirstMs)
        yield* ends(scene, "deployed", "completed")
        const next = yield* promoted(scene.project, "r2")
        yield* settle
        expect(remote.main).toBe(next.candidate.commit)
      })
    ))

  it("is not pushed without a remote", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* begun
        expect(remote.main).toBeNull()
        expect((yield* releaseOf(scene.releaseId)).status).toBe("building")
      })
    ))

  it("fails the release, in words and without another try, where the remote has diverged or refuses", () =>
    play(
      Effect.gen(function* () {
        remote.main = "f".repeat(40)
        const diverged = yield* begunAt(watchedTarget)
        yield* ends(diverged, "failed", "failed", "the remote has diverged")
        expect(remote.main).toBe("f".repeat(40))
        remote.fault = new RemoteRefused({ reason: "it does not let us push" })
        const refused = yield* promoted(diverged.project, "r2")
        yield* settle
        expect(yield* releaseOf(refused.releaseId)).toMatchObject({
          status: "failed",
          reason: expect.stringContaining("it does not let us push")
        })
        expect(yield* (yield* Commands).deadLetters(diverged.project.id)).toEqual([])
        expect(polls).toEqual([])
      })
    ))

  it("waits for a remote that is away, and the 15 minutes count from the push", () =>
    play(
      Effect.gen(function* () {
        remote.fault = new RemoteUnavailable({ reason: "no route" })
        const scene = yield* begunAt(watchedTarget)
        expect(yield* releaseOf(scene.releaseId)).toMatchObject({ status: "building" })
        expect(polls).toEqual([])
        remote.fault = null
        yield* pass(5000)
        expect(remote.main).toBe(scene.commit)
        expect(polls).toEqual([])
        yield* pass(Limits.buildPollForMs - 5000)
        expect((yield* releaseOf(scene.releaseId)).status).toBe("building")
        yield* pass(10_000)
        yield* ends(scene, "failed", "failed", "no build of")
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
    ))

  it("is brought to the promoted commit first, by the release itself if need be; until then nothing has started", () =>
    play(
      Effect.gen(function* () {
        const project = yield* newProject()
        yield* ReleaseTargets.putTarget(project.id, watchedTarget)
        const repositories = yield* Repositories
        const full = new RepositoriesUnavailable({ operation: "advance", reason: "the disk is full" })
        const broken = { ...repositories, advance: () => full }
        const scene = yield* Effect.provideService(Effect.tap(promoted(project, "r1"), settle), Repositories, broken)
        expect((yield* demand("head", project.id)).record).toMatchObject({ generation: 1, syncedGeneration: 0 })
        expect(yield* releaseOf(scene.releaseId)).toMatchObject({ status: "queued" })
        expect((yield* eventsSince(project.id, 1)).map(({ type }) => type)).not.toContain("build.started")
        yield* pass(5000)
        expect((yield* demand("head", project.id)).record).toMatchObject({ generation: 1, syncedGeneration: 1 })
        expect(yield* releaseOf(scene.releaseId)).toMatchObject({ status: "building" })
        expect(remote.main).toBe(scene.candidate.commit)
        expect(polls).toEqual([])
        yield* pass(Limits.buildPollFirstMs)
        expect(polls).toHaveLength(1)
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
    ))
})
