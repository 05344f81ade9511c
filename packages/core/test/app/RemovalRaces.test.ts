import { Deferred, Effect, Fiber, References } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { AppData } from "@pawl/core/app/AppData"
import { deploy, requestApp } from "@pawl/core/app/Apps"
import { remove } from "@pawl/core/app/Removal"
import { Commands } from "@pawl/core/work/Commands"
import * as DeadLetters from "@pawl/core/worker/DeadLetters"
import { demand } from "@pawl/core/ledger/Decision"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { persons } from "../change/ChangeScenes.ts"
import { answers, page, person, settle } from "../kit/MemoryPawl.ts"
import {
  changeOf,
  eventsSince,
  isLive,
  pointerOf,
  promoted,
  queued,
  recovered,
  releaseOf,
  stopAtProbe
} from "../kit/ReleaseScenes.ts"
import { newProject } from "../kit/Scenes.ts"
import { keysUnder, play, runOne } from "../kit/UpkeepScenes.ts"
import { inWorld, newProject as projectInWorld, settleAll } from "../kit/WorkWorld.ts"

/** A worker that cleans, stopped where its deletion of the data or of the bundles begins. */
const stoppedAt = (where: "data" | "bundles") =>
  Effect.gen(function* () {
    const reached = yield* Deferred.make<void>()
    const goOn = yield* Deferred.make<void>()
    const stop = Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(goOn))
    const [data, objects] = [yield* AppData, yield* ObjectStore]
    const worker = yield* runOne("app.remove").pipe(
      Effect.provideService(AppData, {
        ...data,
        wipe: (store) => (where === "data" ? Effect.tap(data.wipe(store), stop) : data.wipe(store))
      }),
      Effect.provideService(ObjectStore, {
        ...objects,
        removePrefix: (prefix) =>
          where === "bundles" && prefix.startsWith("apps/")
            ? Effect.andThen(stop, objects.removePrefix(prefix))
            : objects.removePrefix(prefix)
      }),
      Effect.forkChild
    )
    yield* Deferred.await(reached)
    return { finish: Effect.andThen(Deferred.succeed(goOn, undefined), Fiber.join(worker)) }
  })

const keepsWhatItServes = (projectId: string, incarnation: number) =>
  Effect.gen(function* () {
    const pointer = yield* pointerOf(projectId)
    expect(pointer).toMatchObject({ status: "live", incarnation })
    expect(yield* keysUnder(`apps/${projectId}/`)).toContain(pointer.bundleKey)
    expect(yield* (yield* AppData).get({ project: projectId, channel: "production" }, "k")).toBe("v")
  })

const write = (projectId: string) =>
  Effect.flatMap(AppData, (data) => data.put({ project: projectId, channel: "production" }, "k", "v"))

/** The cleanup fails until it is a dead letter, which a person dismisses. */
const dismissed = (projectId: string) =>
  Effect.gen(function* () {
    const commands = yield* Commands
    const objects = yield* ObjectStore
    const broken: ObjectStore["Service"] = {
      ...objects,
      removePrefix: () => Effect.die(new Error("it broke"))
    }
    while ((yield* commands.deadLetters(projectId)).length === 0) {
      yield* runOne("app.remove").pipe(Effect.provideService(ObjectStore, broken))
      yield* TestClock.adjust(Limits.commandBackoffMaxMs)
    }
    for (const letter of yield* commands.deadLetters(projectId)) yield* DeadLetters.dismiss(person, letter.id)
    expect(yield* runOne("app.remove")).toBe(false)
  })

describe("Cleaning up after an app", () => {
  it("is done by one worker at a time, and keeps what an app serves that was deployed after two removals", () =>
    play(
      Effect.gen(function* () {
        const { id } = yield* newProject()
        yield* remove(person, id)
        const first = yield* stoppedAt("bundles")
        yield* requestApp(id)
        yield* remove(person, id)
        yield* requestApp(id)
        expect(yield* runOne("app.remove")).toBe(false)
        yield* first.finish
        // What it began with was the first app. The second was removed after that, and is not clean yet.
        expect(yield* pointerOf(id)).toMatchObject({ status: "building", incarnation: 3, leftovers: true })
        yield* settle
        yield* TestClock.adjust(Limits.removalWaitMs)
        yield* settle
        yield* write(id)
        yield* settle
        yield* keepsWhatItServes(id, 3)
        expect(yield* runOne("app.remove")).toBe(false)
      })
    ))

  it("deletes nothing any more once another worker has taken it over", () =>
    play(
      Effect.gen(function* () {
        const { id } = yield* newProject()
        yield* remove(person, id)
        const slow = yield* stoppedAt("data")
        yield* (yield* Commands).releaseAll
        expect(yield* runOne("app.remove")).toBe(true)
        yield* requestApp(id)
        yield* settle
        yield* write(id)
        yield* slow.finish
        yield* settle
        yield* keepsWhatItServes(id, 2)
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
    ))

  it.each(["deploy", "removal"])("that died and was dismissed is done after all with the next %s", (next) =>
    play(
      Effect.gen(function* () {
        const { id } = yield* newProject()
        yield* write(id)
        yield* remove(person, id)
        yield* dismissed(id)
        if (next === "removal") {
          yield* remove(person, id)
          yield* settle
          expect(yield* pointerOf(id)).toMatchObject({ status: "removed", leftovers: false })
        }
        yield* requestApp(id)
        yield* settle
        yield* TestClock.adjust(Limits.removalWaitMs)
        yield* settle
        expect(yield* pointerOf(id)).toMatchObject({ status: "live", incarnation: 2, leftovers: false })
        expect(yield* (yield* AppData).get({ project: id, channel: "production" }, "k")).toBe(null)
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
    )
  )
})

describe("A release whose app is removed and deployed again", () => {
  /** The app is removed, cleaned away, and deployed again: it serves the very generation of the release. */
  const again = (projectId: string) =>
    Effect.gen(function* () {
      yield* remove(person, projectId)
      while (yield* runOne("app.remove")) continue
      yield* requestApp(projectId)
      while (yield* runOne("app.provision")) continue
    })

  const movedNothing = ({ project, changeId, generation, releaseId }: Effect.Success<typeof queued>) =>
    Effect.gen(function* () {
      yield* isLive(project.id, generation)
      expect(yield* pointerOf(project.id)).toMatchObject({ incarnation: 2, lastGood: { generation } })
      expect((yield* releaseOf(releaseId)).status).toBe("failed")
      expect((yield* changeOf(changeId)).status).toBe("failed")
      expect((yield* eventsSince(project.id, generation)).map(({ type }) => type)).not.toContain("deployment.completed")
      yield* settle
      yield* isLive(project.id, generation)
    })

  it.each([200, 500])("fails, and moves no pointer, when its probes are answered with %i", (status) =>
    play(
      Effect.gen(function* () {
        const scene = yield* stopAtProbe(yield* queued)
        yield* again(scene.project.id)
        answers.set("/", page(status))
        yield* scene.finish
        expect((yield* releaseOf(scene.releaseId)).reason).toBe("the app was removed")
        yield* movedNothing(scene)
      })
    )
  )

  it("restores nothing when it is found stuck", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* stopAtProbe(yield* queued)
        yield* again(scene.project.id)
        expect(yield* recovered).toBe(1)
        yield* movedNothing(scene)
        yield* scene.finish
        yield* movedNothing(scene)
      })
    ))

  it("fails when it had not moved the pointer yet", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const project = yield* projectInWorld
        const scene = yield* promoted(project, "r1")
        hands.before.set("Releases.move", again(project.id))
        yield* settle
        yield* movedNothing(scene)
      })
    ))
})

describe("A deploy", () => {
  it("that a promotion comes before goes live with the generation that was promoted", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const project = yield* projectInWorld
        yield* remove(person, project.id)
        yield* settle
        const { candidateId } = yield* persons(project.id)
        hands.before.set("Apps.request", Promotions.promote(person, candidateId))
        yield* deploy(project.id)
        yield* settleAll
        expect((yield* demand("head", project.id)).record.generation).toBe(1)
        expect(yield* pointerOf(project.id)).toMatchObject({ status: "live", generation: 1 })
      })
    ))
})
