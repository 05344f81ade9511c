/** Scenes of a release to a build service's target: the service, the target and its git remote, as a test would have them. */
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { Settings } from "@pawl/core/primitives/Settings"
import * as MemoryBuildService from "@pawl/adapters-memory/MemoryBuildService"
import * as BuildService from "@pawl/core/release/BuildService"
import * as MemoryCanonicalRemote from "@pawl/adapters-memory/MemoryCanonicalRemote"
import * as ReleaseTargets from "@pawl/core/project/ReleaseTargets"
import * as MemoryTargetProbeClient from "@pawl/adapters-memory/MemoryTargetProbeClient"
import { page, run, settle } from "./MemoryPawl.ts"
import { changeOf, eventsSince, promoted, releaseOf } from "./ReleaseScenes.ts"
import { newProject } from "./Scenes.ts"

/** What the targets answer, by path. */
export const answers = new Map([["/", page(200)]])
export const service: MemoryBuildService.MemoryBuilds = { builds: [], hasTrigger: true, deployment: null, fault: null }
export const remote: MemoryCanonicalRemote.MemoryRemote = { main: null, fault: null }
/** When the service was asked for builds, in milliseconds of the program's clock. */
export const polls: Array<number> = []

const afresh = () => {
  Object.assign(service, { builds: [], hasTrigger: true, deployment: null, fault: null })
  Object.assign(remote, { main: null, fault: null })
  polls.length = 0
  answers.clear()
  answers.set("/", page(200))
}

const watched = Layer.effect(
  BuildService.BuildService,
  Effect.map(BuildService.BuildService, (inner): BuildService.BuildServiceShape => ({
    ...inner,
    builds: (target, commit) =>
      Effect.clockWith((clock) => clock.currentTimeMillis).pipe(
        Effect.tap((now) => Effect.sync(() => polls.push(now))),
        Effect.andThen(inner.builds(target, commit))
      )
  }))
)

/** In development, with a release target and no app, under a clock of the test's own. */
export const play = (program: Parameters<typeof run>[0]): Promise<void> =>
  run(
    Effect.gen(function* () {
      afresh()
      const settings = { ...(yield* Settings), appsDomain: null, environment: "development" as const }
      yield* program.pipe(
        Effect.provide(Layer.mergeAll(MemoryTargetProbeClient.layerMemory(answers))),
        Effect.provide(Layer.suspend(() => MemoryCanonicalRemote.layerMemory(remote))),
        Effect.provide(Layer.suspend(() => Layer.provideMerge(watched, MemoryBuildService.layerMemory(service)))),
        Effect.provideService(Settings, { ...settings, fixturesEnabled: true })
      )
    }).pipe(Effect.provide(TestClock.layer()))
  )

export const target = { workerName: "shop", workerTag: "tag", url: "https://shop.test" }

/** A promotion whose release waits for its first poll. */
export const begunAt = (at: ReleaseTargets.TargetFields) =>
  Effect.gen(function* () {
    const project = yield* newProject()
    yield* ReleaseTargets.putTarget(project.id, at)
    const scene = yield* promoted(project, "r1")
    const startedAt = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    yield* settle
    return { ...scene, startedAt, commit: scene.candidate.commit ?? "" }
  })
export const begun = begunAt(target)

/** Lets time pass in steps of five seconds and the rest, with a worker that does whatever is due. */
export const pass = (ms: number): Effect.Effect<void, unknown, Effect.Services<typeof settle>> => {
  const step = Math.min(ms, 5000)
  return step <= 0
    ? Effect.void
    : TestClock.adjust(step).pipe(Effect.andThen(settle), Effect.andThen(Effect.suspend(() => pass(ms - step))))
}

export const build = (commit: string, fields: Partial<BuildService.ServiceBuild> = {}): BuildService.ServiceBuild => ({
  id: "b1",
  status: "finished",
  outcome: "success",
  commit,
  createdAt: "2026-01-01T00:00:00Z",
  ...fields
})
export const deployment = { id: "d1", versionId: "v1", buildId: "b1" }

export const ends = (
  scene: Effect.Success<typeof begun>,
  release: string,
  change: string,
  reason: string | null = null
) =>
  Effect.gen(function* () {
    const ended = yield* releaseOf(scene.releaseId)
    expect(ended.status).toBe(release)
    if (reason !== null) expect(ended.reason).toContain(reason)
    expect((yield* changeOf(scene.changeId)).status).toBe(change)
    const events = yield* eventsSince(scene.project.id, scene.generation)
    return events.map((event) => event.type)
  })
