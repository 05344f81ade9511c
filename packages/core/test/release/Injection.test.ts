import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import { Records } from "@pawl/core/ledger/Records"
import { Settings } from "@pawl/core/primitives/Settings"
import { demand } from "@pawl/core/ledger/Decision"
import { ProbeClient } from "@pawl/core/release/ProbeClient"
import { injectedPath, injectFailure } from "@pawl/core/release/Injection"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { changeOf, deployed, eventsSince, isLive, promoted, queued, releaseOf } from "../kit/ReleaseScenes.ts"
import { newProject } from "../kit/Scenes.ts"

const play = (program: Parameters<typeof run>[0], fixturesEnabled = true) =>
  run(
    Effect.flatMap(Settings, (settings) => Effect.provideService(program, Settings, { ...settings, fixturesEnabled }))
  )

const evidenceOf = (releaseId: string) =>
  Effect.flatMap(Records, (records) =>
    Effect.map(records.list("evidence", { where: { subject: releaseId } }), (page) =>
      page.items.map(({ record }) => [record.checkId, record.status, record.result])
    )
  )

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
  answers.set(injectedPath, page(404))
})

describe("An injected failure", () => {
  it("fails the live release by a 404, and leaves canonical, the pointer and the Change as they are", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* deployed
        const injected = yield* injectFailure(person, scene.project.id)
        expect(injected.release).toMatchObject({ id: scene.releaseId, status: "smoke_failed" })
        expect(injected.release).toEqual(yield* releaseOf(scene.releaseId))
        expect(injected.evidence).toMatchObject({ checkId: "release-s1-injected", result: "fail" })
        expect(injected.evidence.summary).toContain(`${injectedPath}: answered 404`)
        expect(yield* evidenceOf(scene.releaseId)).toEqual([
          ["release-s1", "checked_supported", "pass"],
          ["release-s1-injected", "checked_unsupported", "fail"]
        ])
        const told = (yield* eventsSince(scene.project.id, 1)).at(-1)
        expect(told).toMatchObject({
          type: "release.smoke_failed",
          data: { releaseId: scene.releaseId, generation: 1, injected: true },
          actor: person
        })
        expect((yield* demand("head", scene.project.id)).record.generation).toBe(1)
        expect((yield* changeOf(scene.changeId)).status).toBe("completed")
        yield* isLive(scene.project.id, 1)
      })
    ))

  it("is the same when it is repeated, and tells of itself once, however many ask at once", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* deployed
        const once = yield* Effect.all(
          Array.from({ length: 4 }, () => injectFailure(person, scene.project.id)),
          { concurrency: 4 }
        )
        const again = yield* injectFailure(person, scene.project.id)
        for (const each of once) expect(each).toEqual(again)
        const events = yield* eventsSince(scene.project.id, 1)
        expect(events.filter((event) => event.type === "release.smoke_failed").length).toBe(1)
      })
    ))

  it("does not keep the next release from going live, nor from coming back to what was live", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* deployed
        yield* injectFailure(person, scene.project.id)
        const bad = yield* promoted(scene.project, "r2")
        answers.set("/", page(500))
        yield* settle
        expect((yield* releaseOf(bad.releaseId)).status).toBe("smoke_failed")
        yield* isLive(scene.project.id, 1)
        answers.set("/", page(200))
        const good = yield* promoted(scene.project, "r3")
        yield* settle
        expect((yield* releaseOf(good.releaseId)).status).toBe("deployed")
      })
    ))

  it("fails the release that is live in the end, when another went live while it was probed", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* deployed
        const client = yield* ProbeClient
        const next = yield* promoted(scene.project, "r2")
        // The next release goes live between the first probe and the commit.
        const context = yield* Effect.context<Effect.Services<typeof settle>>()
        let first = true
        const goLive = Effect.suspend(() => {
          if (!first) return Effect.void
          first = false
          return Effect.orDie(Effect.provide(settle, context))
        })
        const injected = yield* injectFailure(person, scene.project.id).pipe(
          Effect.provideService(ProbeClient, {
            get: (options) => Effect.andThen(goLive, client.get(options))
          })
        )
        expect(injected.release).toMatchObject({ id: next.releaseId, generation: 2 })
        expect((yield* releaseOf(scene.releaseId)).status).toBe("deployed")
      })
    ))

  it("is refused where fixtures are switched off", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* deployed
        expect(yield* Effect.flip(injectFailure(person, scene.project.id))).toMatchObject({ _tag: "FixturesDisabled" })
        expect((yield* releaseOf(scene.releaseId)).status).toBe("deployed")
      }),
      false
    ))

  it("is refused where no release is deployed: none yet, one under way, or one that failed by itself", () =>
    play(
      Effect.gen(function* () {
        const refused = (projectId: `proj_${string}`) =>
          Effect.map(Effect.flip(injectFailure(person, projectId)), (fact) =>
            expect(fact).toMatchObject({ _tag: "NoDeployedRelease" })
          )
        const project = yield* newProject("other")
        yield* refused(project.id)
        const scene = yield* queued
        yield* refused(scene.project.id)
        answers.set("/", page(500))
        yield* settle
        yield* refused(scene.project.id)
      })
    ))
})
