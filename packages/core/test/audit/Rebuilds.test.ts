import { Effect, References } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import { requestRebuild } from "@pawl/core/audit/AuditRequests"
import * as Audits from "@pawl/core/audit/Audits"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { type BuildWorld, madeProject, makeWorld, portsOf } from "../kit/BuildScenes.ts"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { candidateOf } from "../kit/Scenes.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

const play = <A, E>(story: (world: BuildWorld) => Parameters<typeof run<A, E>>[0]) => {
  const world = makeWorld()
  return run(
    Effect.provide(story(world), portsOf(world)).pipe(
      Effect.provide(TestClock.layer()),
      Effect.provideService(References.MinimumLogLevel, "None")
    )
  )
}

/** What a rebuild of a generation found. */
const rebuilt = (projectId: string, generation?: number) =>
  Effect.gen(function* () {
    yield* requestRebuild(projectId, generation)
    yield* settle
    return (yield* Audits.lastReport(projectId)).rebuild
  })

describe("A generation that is built again", () => {
  it("gives the bytes that are kept, also with the registry gone and after later generations", () =>
    play((world) =>
      Effect.gen(function* () {
        const project = yield* madeProject()
        const candidate = yield* candidateOf(project.id, "r1", { "page.txt": "another" })
        yield* Promotions.promote(person, candidate.id)
        yield* settle
        world.isThere = false
        world.jobs.length = 0
        expect(yield* rebuilt(project.id, 0)).toMatchObject({ generation: 0, outcome: "same" })
        expect(yield* rebuilt(project.id)).toMatchObject({ generation: 1, outcome: "same" })
        expect(world.jobs.map(({ command }) => command)).toEqual(["make site", "make site"])
      })
    ))

  it("is told with the first file that differs, when its build makes other bytes each time", () =>
    play((world) =>
      Effect.gen(function* () {
        let times = 0
        world.build = () => ({
          outcome: { _tag: "Exited", code: 0 },
          left: { "public/a.txt": "same", "public/time.txt": `${times++}`, "public/z.txt": `${times}` }
        })
        const project = yield* madeProject()
        const seen = yield* rebuilt(project.id)
        expect(seen).toMatchObject({ generation: 0, outcome: "different" })
        expect(seen?.detail).toContain("the asset time.txt differs")
        // The next look at the history keeps it.
        expect((yield* Audits.run(project.id)).rebuild).toEqual(seen)
      })
    ))

  it("says what is new and what is missing, and when it is refused by now", () =>
    play((world) =>
      Effect.gen(function* () {
        const project = yield* madeProject()
        const kept = world.build
        world.build = (job) => ({ ...kept(job), left: { ...kept(job).left, "public/b.txt": "b" } })
        expect((yield* rebuilt(project.id))?.detail).toContain("the asset b.txt is new")
        world.build = (job) => ({ ...kept(job), left: { "public/index2.html": "x" } })
        expect((yield* rebuilt(project.id))?.detail).toContain("the asset index.html is missing")
        world.build = () => ({ outcome: { _tag: "Exited", code: 1 }, output: "broken now" })
        const refused = yield* rebuilt(project.id)
        expect(refused).toMatchObject({ outcome: "different", detail: expect.stringContaining("broken now") })
      })
    ))

  it("is not built where nothing of it is kept, and cannot be asked for where there is none", () =>
    play((world) =>
      Effect.gen(function* () {
        const project = yield* madeProject()
        expect(yield* Effect.flip(requestRebuild(project.id, 7))).toMatchObject({ _tag: "Unknown" })
        yield* (yield* ObjectStore).removePrefix(`apps/${project.id}/`)
        world.jobs.length = 0
        expect(yield* rebuilt(project.id)).toMatchObject({ outcome: "not_built" })
        expect(world.jobs).toEqual([])
      })
    ))
})
