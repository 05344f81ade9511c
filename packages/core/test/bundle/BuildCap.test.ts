import { Effect, References } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import { deploy, requestApp } from "@pawl/core/app/Apps"
import { DailyCounter } from "@pawl/core/bundle/DailyCounter"
import { layerMemoryWith } from "@pawl/adapters-memory/MemoryAppBuilder"
import { remove } from "@pawl/core/app/Removal"
import { Commands } from "@pawl/core/work/Commands"
import { find } from "@pawl/core/ledger/Decision"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Time from "@pawl/core/primitives/Time"
import { Settings } from "@pawl/core/primitives/Settings"
import { archive } from "@pawl/core/project/Archival"
import * as Projects from "@pawl/core/project/Projects"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { answers, organizationId, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { isLive, pointerOf, promoted, releaseOf } from "../kit/ReleaseScenes.ts"
import { ask } from "../kit/RollbackScenes.ts"
import { candidateOf, newProject } from "../kit/Scenes.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

const used = Effect.gen(function* () {
  return yield* (yield* DailyCounter).used("app-builds", (yield* Time.now).slice(0, 10))
})

/** How many builds of the day a step takes. */
const taken = <A, E, R>(step: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = yield* used
    const value = yield* step
    return { value, builds: (yield* used) - before }
  })

/** A new Project, and all tries to provision its app. */
const triedOut = Effect.gen(function* () {
  const project = yield* newProject()
  yield* Effect.repeat(Effect.andThen(TestClock.adjust("6 minutes"), settle), { times: Limits.commandAttempts })
  return project
})

describe("The builds of a day", () => {
  it("are taken once by provisioning, by each `build` check, and by no preview, release or rollback of what is built", () =>
    run(
      Effect.gen(function* () {
        const { value: project, builds } = yield* taken(newProject())
        expect(builds).toBe(1)
        const first = yield* taken(candidateOf(project.id, "r1", { "a.txt": "a" }))
        expect(first.builds).toBe(1)
        const channel = `${project.id}/preview:${first.value.id.slice(5, 13)}`
        expect((yield* find("pointer", channel))?.record.status).toBe("live")
        const release = yield* taken(Effect.tap(Promotions.promote(person, first.value.id), settle))
        expect((yield* releaseOf(release.value.releaseId)).bundleSource).toBe("preview_copy")
        expect(release.builds).toBe(0)
        const rollback = yield* taken(Effect.tap(ask(project.id, 0, 1), settle))
        expect(rollback.builds).toBe(0)
      })
    ))

  it("are taken by a release that finds no bundle, and by a deploy after a removal", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        const { releaseId } = yield* promoted(project, "r1")
        const objects = yield* ObjectStore
        for (const kind of ["apps", "app-previews"]) yield* objects.removePrefix(`${kind}/${project.id}/`)
        expect((yield* taken(settle)).builds).toBe(1)
        expect((yield* releaseOf(releaseId)).bundleSource).toBe("build")
        yield* remove(person, project.id)
        yield* settle
        expect((yield* taken(Effect.andThen(deploy(project.id), settle))).builds).toBe(1)
      })
    ))

  it("are not why an archived Project is refused", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        yield* archive(person, project.id)
        yield* (yield* ObjectStore).removePrefix(`apps/${project.id}/`)
        const settings = { ...(yield* Settings), buildsPerDay: 1 }
        const refused = yield* Effect.provideService(Effect.flip(requestApp(project.id)), Settings, settings)
        expect(refused).toMatchObject({ _tag: "ProjectArchived" })
      })
    ))

  it("are taken once by an app whose bundler dies at every try; its host does not say `building` for ever", () =>
    run(
      Effect.gen(function* () {
        let tries = 0
        const dying = layerMemoryWith(() => {
          tries++
          return { _tag: "Crashed", reason: "it ran out of memory" }
        })
        const { value: project, builds } = yield* taken(Effect.provide(triedOut, dying))
        expect([tries, builds]).toEqual([Limits.commandAttempts, 1])
        expect(yield* pointerOf(project.id)).toMatchObject({
          status: "build_failed",
          reason: expect.stringContaining("the bundler did not finish: it ran out of memory")
        })
        const letters = yield* (yield* Commands).deadLetters(project.id)
        expect(letters.map(({ kind }) => kind)).toEqual(["app.provision"])
        yield* (yield* Commands).retry(letters[0]!.id)
        yield* settle
        yield* isLive(project.id, 0)
      }).pipe(Effect.provide(TestClock.layer()), Effect.provideService(References.MinimumLogLevel, "None"))
    ))

  it("are told by the host of a release that needs one and finds none left; a good bundle goes on being served", () =>
    run(
      Effect.gen(function* () {
        const withoutBuilds = { ...(yield* Settings), buildsPerDay: 0 }
        const meetsTheCap = (project: Effect.Success<ReturnType<typeof newProject>>) =>
          Effect.gen(function* () {
            const candidate = yield* candidateOf(project.id, "r1", { "src/index.js": "export default 1" })
            const { releaseId } = yield* Promotions.promote(person, candidate.id)
            const objects = yield* ObjectStore
            for (const kind of ["apps", "app-previews"]) yield* objects.removePrefix(`${kind}/${project.id}/`)
            yield* Effect.provideService(settle, Settings, withoutBuilds)
            expect(yield* releaseOf(releaseId)).toMatchObject({ status: "failed" })
            return yield* pointerOf(project.id)
          })
        const nothing = { "README.md": "nothing to serve" }
        const unbuilt = yield* Projects.create(person, { organizationId, slug: "unbuilt", files: nothing })
        yield* settle
        expect(yield* pointerOf(unbuilt.id)).toMatchObject({ status: "build_failed" })
        expect(yield* meetsTheCap(unbuilt)).toMatchObject({
          status: "limit_reached",
          reason: "all 0 builds of today are used"
        })
        expect(yield* meetsTheCap(yield* newProject())).toMatchObject({ status: "live", generation: 0 })
      })
    ))

  it("are taken before the build, also by one that is then refused", () =>
    run(
      Effect.gen(function* () {
        const files = { "README.md": "nothing to serve" }
        const { builds } = yield* taken(
          Effect.andThen(Projects.create(person, { organizationId, slug: "corner", files }), settle)
        )
        expect(builds).toBe(1)
      })
    ))
})
