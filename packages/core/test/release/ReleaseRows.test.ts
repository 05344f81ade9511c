import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, expect } from "vitest"
import { Limits } from "@pawl/core/primitives/Limits"
import { Settings, type SettingsShape } from "@pawl/core/primitives/Settings"
import { injectedPath, injectFailure } from "@pawl/core/release/Injection"
import { ReleaseLifecycle } from "@pawl/core/model/ReleaseLifecycle"
import * as ReleaseTargets from "@pawl/core/project/ReleaseTargets"
import { answers, page, person, settle } from "../kit/MemoryPawl.ts"
import {
  changeOf,
  claimRelease,
  deployed,
  isLive,
  pointerOf,
  promoted,
  queued,
  recovered,
  releaseOf,
  work
} from "../kit/ReleaseScenes.ts"
import { eachRow } from "../kit/Rows.ts"
import { newProject } from "../kit/Scenes.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
  answers.set(injectedPath, page(404))
})

const withSettings = <A, E, R>(change: Partial<SettingsShape>, program: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Settings, (settings) => Effect.provideService(program, Settings, { ...settings, ...change }))

const clocked = <A, E, R>(program: Effect.Effect<A, E, R>) => Effect.provide(program, TestClock.layer())

/** A release that has begun and whose worker was taken from it: no build service answers, so it waits. */
const building = Effect.gen(function* () {
  const project = yield* newProject()
  yield* ReleaseTargets.putTarget(project.id, { workerName: "shop", workerTag: "tag", url: "https://shop.test" })
  const scene = yield* promoted(project, "r1")
  yield* work(yield* claimRelease)
  expect((yield* releaseOf(scene.releaseId)).status).toBe("building")
  return scene
})

/** With a release target instead of an app. */
const atTarget = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  withSettings({ appsDomain: null, environment: "development" }, program)

const endsAs = (scene: Effect.Success<typeof queued>, release: string, change: string) =>
  Effect.gen(function* () {
    expect((yield* releaseOf(scene.releaseId)).status).toBe(release)
    expect((yield* changeOf(scene.changeId)).status).toBe(change)
  })

eachRow(ReleaseLifecycle, "release", {
  "queued × started → building": deployed,
  "queued × newerPromoted → superseded": Effect.gen(function* () {
    const older = yield* queued
    yield* claimRelease
    const newer = yield* promoted(older.project, "r2")
    yield* settle
    yield* endsAs(older, "superseded", "completed")
    yield* endsAs(newer, "deployed", "completed")
    yield* isLive(older.project.id, newer.generation)
  }),
  "building × newerPromoted → superseded": clocked(
    atTarget(
      Effect.gen(function* () {
        const older = yield* building
        const newer = yield* promoted(older.project, "r2")
        yield* settle
        yield* endsAs(older, "superseded", "completed")
        yield* endsAs(newer, "building", "releasing")
      })
    )
  ),
  "building × buildFailed → failed": clocked(
    atTarget(
      Effect.gen(function* () {
        const scene = yield* building
        yield* TestClock.adjust(Limits.buildPollFirstMs)
        yield* settle
        yield* endsAs(scene, "failed", "failed")
        expect((yield* releaseOf(scene.releaseId)).reason).toContain("no build service is set up")
      })
    )
  ),
  "queued × stuck → failed": clocked(
    Effect.gen(function* () {
      const scene = yield* queued
      expect(yield* recovered).toBe(1)
      yield* endsAs(scene, "failed", "failed")
      yield* isLive(scene.project.id, 0)
    })
  ),
  "building × stuck → failed": clocked(
    atTarget(
      Effect.gen(function* () {
        const scene = yield* building
        expect(yield* recovered).toBe(1)
        yield* endsAs(scene, "failed", "failed")
      })
    )
  ),
  "building × probesPassed → deployed": deployed,
  "building × probesFailed → smoke_failed": Effect.gen(function* () {
    const scene = yield* queued
    answers.set("/", page(500))
    yield* settle
    yield* endsAs(scene, "smoke_failed", "failed")
    yield* isLive(scene.project.id, 0)
  }),
  "deployed × failureInjected → smoke_failed": withSettings(
    { fixturesEnabled: true },
    Effect.gen(function* () {
      const scene = yield* deployed
      yield* injectFailure(person, scene.project.id)
      yield* endsAs(scene, "smoke_failed", "completed")
      expect(yield* pointerOf(scene.project.id)).toMatchObject({ status: "live", generation: 1 })
    })
  )
})
