import { Clock, Deferred, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import { Commands } from "@pawl/core/work/Commands"
import * as Commit from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Limits } from "@pawl/core/primitives/Limits"
import { Settings } from "@pawl/core/primitives/Settings"
import { scanStuck } from "@pawl/core/release/Recovery"
import { run } from "@pawl/core/upkeep/Schedules"
import { answers, page, run as runPawl, settle } from "../kit/MemoryPawl.ts"
import {
  changeOf,
  claimRelease,
  deployed,
  eventsSince,
  isLive,
  pointerOf,
  promoted,
  queued,
  recovered,
  releaseOf,
  stopAtProbe,
  upFor,
  work
} from "../kit/ReleaseScenes.ts"

const play = (program: Parameters<typeof runPawl>[0]): Promise<void> =>
  runPawl(Effect.asVoid(Effect.provide(program, TestClock.layer())))

/** The release's row is lost, as if it had never been queued. */
const neverQueued = Effect.gen(function* () {
  const scene = yield* queued
  const release = yield* demand("release", scene.releaseId)
  yield* (yield* Ledger).commit({
    name: "test",
    projectId: scene.project.id,
    writes: [{ _tag: "Delete", kind: "release", id: scene.releaseId, revision: release.revision }]
  })
  return scene
})

/** The app is taken away under a release. */
const withoutApp = (projectId: string) =>
  Effect.gen(function* () {
    const pointer = yield* demand("pointer", `${projectId}/production`)
    const removed = Commit.update("pointer", pointer, { status: "removed" })
    yield* (yield* Ledger).commit({ name: "test", projectId, writes: [removed] })
  })

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

describe("A stuck release", () => {
  it("is left alone until 45 minutes have passed since its promotion, and sent once however often the scan looks", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* queued
        yield* upFor(Limits.releaseStuckAfterMs - 1)
        expect(yield* scanStuck).toBe(0)
        yield* upFor(1)
        expect([yield* scanStuck, yield* scanStuck]).toEqual([1, 1])
        yield* recovered
        expect((yield* releaseOf(scene.releaseId)).status).toBe("failed")
        expect(yield* scanStuck).toBe(0)
        const events = yield* eventsSince(scene.project.id, 1)
        expect(events.map((event) => event.type)).toEqual(["change.failed"])
      })
    ))

  it("counts from the promotion, not from the last write to the Change", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* queued
        yield* upFor(Limits.releaseStuckAfterMs)
        const change = yield* demand("change", scene.changeId)
        const raised = Commit.update("change", change, { budgetUsd: 2, updatedAt: "2026-01-01T00:00:00.000Z" })
        yield* (yield* Ledger).commit({ name: "test", projectId: scene.project.id, writes: [raised] })
        expect(yield* scanStuck).toBe(1)
      })
    ))

  it("is given 45 minutes in which a worker could work: time when none was up, or all were paused, does not count", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* queued
        const settings = yield* Settings
        const sent = Effect.map(
          Effect.flatMap(Commands, (commands) => commands.workableSince(scene.project.id, ["release.recover"])),
          (since) => since !== null
        )
        const upMinutes = (minutes: number, paused = false) =>
          Effect.gen(function* () {
            const process = yield* Effect.forkChild(Effect.provideService(run, Settings, { ...settings, paused }))
            for (let n = 0; n < minutes; n++) yield* TestClock.adjust("1 minutes")
            yield* Fiber.interrupt(process)
          })
        yield* TestClock.adjust("3 hours")
        yield* upMinutes(25)
        yield* TestClock.adjust("3 hours")
        yield* upMinutes(90, true)
        yield* upMinutes(15)
        expect(yield* sent).toBe(false)
        yield* upMinutes(15)
        expect(yield* sent).toBe(true)
      })
    ))

  it("is not what a release is that waited for machinery: its 45 minutes begin when that is back", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* queued
        const commands = yield* Commands
        for (let waited = 0; waited < 15; waited++) {
          yield* commands.release((yield* claimRelease).lease, Limits.commandBackoffMaxMs, "outage")
          yield* upFor(Limits.commandBackoffMaxMs)
          expect(yield* scanStuck).toBe(0)
        }
        // Its worker goes on, and hangs.
        const { lease } = yield* claimRelease
        yield* upFor(Limits.releaseStuckAfterMs - Limits.commandBackoffMaxMs)
        expect(yield* scanStuck).toBe(0)
        yield* upFor(Limits.commandBackoffMaxMs)
        expect(yield* scanStuck).toBe(1)
        expect(lease.commandId).toBe(`release.run:${scene.releaseId}`)
      })
    ))

  it("gives the live app back what it replaced, when its probes never passed", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* Effect.flatMap(queued, stopAtProbe)
        yield* recovered
        yield* isLive(scene.project.id, 0)
        expect(yield* releaseOf(scene.releaseId)).toMatchObject({ status: "failed", replacedGeneration: 0 })
        expect((yield* changeOf(scene.changeId)).status).toBe("failed")
        expect((yield* demand("head", scene.project.id)).record.generation).toBe(1)
        const events = yield* eventsSince(scene.project.id, 1)
        expect(events.map((event) => [event.type, event.data["status"]])).toEqual([
          ["build.started", undefined],
          ["build.completed", undefined],
          ["deployment.completed", "restored"],
          ["change.failed", undefined]
        ])
      })
    ))

  it("is harmless when its worker wakes up afterwards: nothing is written any more", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* Effect.flatMap(queued, stopAtProbe)
        yield* recovered
        const before = yield* Effect.all([
          demand("release", scene.releaseId),
          demand("pointer", `${scene.project.id}/production`),
          demand("change", scene.changeId),
          eventsSince(scene.project.id, 1)
        ])
        yield* scene.finish
        yield* settle
        const after = yield* Effect.all([
          demand("release", scene.releaseId),
          demand("pointer", `${scene.project.id}/production`),
          demand("change", scene.changeId),
          eventsSince(scene.project.id, 1)
        ])
        expect(after).toEqual(before)
      })
    ))

  it("leaves the pointer with a newer generation that has been taken live meanwhile", () =>
    play(
      Effect.gen(function* () {
        const stuck = yield* Effect.flatMap(queued, stopAtProbe)
        const newer = yield* promoted(stuck.project, "r2")
        yield* settle
        yield* recovered
        yield* stuck.finish
        expect((yield* releaseOf(stuck.releaseId)).status).toBe("superseded")
        expect((yield* changeOf(stuck.changeId)).status).toBe("completed")
        yield* isLive(stuck.project.id, newer.generation)
        expect((yield* pointerOf(stuck.project.id)).lastGood?.generation).toBe(newer.generation)
      })
    ))

  it("that never started is recorded as a failed release, and its Change fails", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* neverQueued
        yield* recovered
        expect(yield* releaseOf(scene.releaseId)).toMatchObject({
          status: "failed",
          generation: 1,
          commit: scene.candidate.commit
        })
        expect((yield* changeOf(scene.changeId)).status).toBe("failed")
      })
    ))

  it.each([
    ["queued", queued],
    ["never started", neverQueued]
  ])("lets its Change complete when there is nothing left to release to: %s", (_name, begin) =>
    play(
      Effect.gen(function* () {
        const scene = yield* begin
        yield* withoutApp(scene.project.id)
        yield* recovered
        expect((yield* releaseOf(scene.releaseId)).status).toBe("failed")
        expect((yield* changeOf(scene.changeId)).status).toBe("completed")
      })
    )
  )

  it("is not what a release that ended in time is taken for", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* deployed
        expect(yield* recovered).toBe(0)
        expect((yield* releaseOf(scene.releaseId)).status).toBe("deployed")
      })
    ))
})

describe("The one retry of a probe", () => {
  it("comes after the set wait, and counts when it passes", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* queued
        answers.set("/", page(500))
        const settings = yield* Settings
        const asleep = yield* Deferred.make<void>()
        const clock = yield* Clock.Clock
        const watched: Clock.Clock = Object.assign(Object.create(clock), {
          sleep: (duration: Duration.Duration) => {
            if (Duration.toMillis(duration) === Limits.probeRetryMs) Deferred.doneUnsafe(asleep, Effect.void)
            return clock.sleep(duration)
          }
        })
        const worker = yield* work(yield* claimRelease).pipe(
          Effect.provideService(Settings, { ...settings, smokeRetryMs: Limits.probeRetryMs }),
          Effect.provideService(Clock.Clock, watched),
          Effect.forkChild
        )
        // Until it sleeps: what comes before takes as many turns as it takes.
        yield* Deferred.await(asleep)
        yield* TestClock.adjust(Limits.probeRetryMs - 1)
        answers.set("/", page(200))
        expect((yield* releaseOf(scene.releaseId)).status).toBe("building")
        yield* TestClock.adjust(1)
        yield* Fiber.join(worker)
        expect((yield* releaseOf(scene.releaseId)).status).toBe("deployed")
      })
    ))
})
