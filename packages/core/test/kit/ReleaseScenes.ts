/** Scenes of releases: one that is queued, one whose worker stopped at a named point, one that is live. */
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { Commands } from "@pawl/core/work/Commands"
import { handlers } from "@pawl/core/worker/Handlers"
import { EventLog } from "@pawl/core/event/EventLog"
import * as Commit from "@pawl/core/ledger/Commit"
import { demand, find } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { execute } from "@pawl/core/work/Processes"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Time from "@pawl/core/primitives/Time"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { ProbeClient } from "@pawl/core/release/ProbeClient"
import { scanStuck } from "@pawl/core/release/Recovery"
import { person, settle } from "./MemoryPawl.ts"
import { candidateOf, newProject } from "./Scenes.ts"

export const releaseOf = (id: string | null) => Effect.map(demand("release", id ?? ""), ({ record }) => record)
export const changeOf = (id: string) => Effect.map(demand("change", id), ({ record }) => record)
export const pointerOf = (projectId: string) =>
  Effect.map(demand("pointer", `${projectId}/production`), ({ record }) => record)

/** The types of a Project's events, from the one that says that canonical moved to this generation. */
export const eventsSince = (projectId: string, generation: number) =>
  Effect.gen(function* () {
    const events = yield* (yield* EventLog).read(projectId, 0, 1000)
    const start = events.findIndex(
      (event) => event.type === "canonical.advanced" && event.data["generation"] === generation
    )
    return events.slice(start + 1)
  })

/** A live app at S0, and a promoted Candidate whose release has not begun. */
export const queued = Effect.gen(function* () {
  const project = yield* newProject()
  return yield* promoted(project, "r1")
})

/** One more promotion of a Project; its release is queued. */
export const promoted = (project: Effect.Success<ReturnType<typeof newProject>>, request: string) =>
  Effect.gen(function* () {
    const candidate = yield* candidateOf(project.id, request, { [`${request}.txt`]: request })
    const { generation, releaseId } = yield* Promotions.promote(person, candidate.id)
    expect((yield* releaseOf(releaseId)).status).toBe("queued")
    return { project, candidate, changeId: candidate.changeId, generation, releaseId: releaseId! }
  })

/** A release that was taken live. */
export const deployed = Effect.gen(function* () {
  const scene = yield* queued
  yield* settle
  expect((yield* releaseOf(scene.releaseId)).status).toBe("deployed")
  return scene
})

/** Claims the release's command, as a worker does that then falls silent: its lease ends. */
export const claimRelease = Effect.gen(function* () {
  const claimed = yield* (yield* Commands).claim({
    worker: "slow",
    kinds: ["release.run"],
    limit: 1,
    leaseMs: Limits.commandLeaseMs
  })
  return claimed[0]!
})

/** Runs a claimed release. */
export const work = (leased: Effect.Success<typeof claimRelease>) => execute(leased, handlers)

/** Takes a queued release live and stops its worker at its first probe, until `finish`. The worker keeps its lease. */
export const stopAtProbe = <S extends Effect.Success<typeof queued>>(scene: S) =>
  Effect.gen(function* () {
    const asked = yield* Deferred.make<void>()
    const goOn = yield* Deferred.make<void>()
    const client = yield* ProbeClient
    const slow: ProbeClient["Service"] = {
      get: (options) =>
        Deferred.succeed(asked, undefined).pipe(
          Effect.andThen(Deferred.await(goOn)),
          Effect.andThen(client.get(options))
        )
    }
    const worker = yield* work(yield* claimRelease).pipe(Effect.provideService(ProbeClient, slow), Effect.forkChild)
    yield* Deferred.await(asked)
    expect(yield* pointerOf(scene.project.id)).toMatchObject({ status: "live", generation: scene.generation })
    return { ...scene, finish: Effect.andThen(Deferred.succeed(goOn, undefined), Fiber.join(worker)) }
  })

/** Time passes in which a worker is up: the ticks say so. */
export const upFor = (ms: number) =>
  Effect.gen(function* () {
    const from = yield* Time.nowMillis
    yield* TestClock.adjust(ms)
    const to = yield* Time.nowMillis
    const schedule = yield* find("schedule", "release.recover")
    const worked = [...(schedule?.record.worked ?? []), { from, to }]
    const moved = { name: "release.recover", firedAt: Time.fromMillis(to), cursor: null, worked }
    yield* (yield* Ledger).commit({
      name: "test",
      projectId: null,
      writes: [schedule === null ? Commit.insert("schedule", moved) : Commit.update("schedule", schedule, moved)]
    })
  })

/** 45 minutes pass, the scan looks, and what it sent is done. Nothing else that is due runs. */
export const recovered = Effect.gen(function* () {
  yield* upFor(Limits.releaseStuckAfterMs)
  const sent = yield* scanStuck
  const claimed = yield* (yield* Commands).claim({
    worker: "upkeep",
    kinds: ["release.recover"],
    limit: 10,
    leaseMs: Limits.commandLeaseMs
  })
  yield* Effect.forEach(claimed, (leased) => execute(leased, handlers), { discard: true })
  return sent
})

export const isLive = (projectId: string, generation: number) =>
  Effect.gen(function* () {
    expect(yield* pointerOf(projectId)).toMatchObject({ status: "live", generation })
    const version = yield* find("pointer", `${projectId}/preview:v${String(generation).padStart(7, "0")}`)
    expect(version?.record.bundleDigest).toBe((yield* pointerOf(projectId)).bundleDigest)
  })
