import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { AppData } from "@pawl/core/app/AppData"
import { requestApp } from "@pawl/core/app/Apps"
import { remove } from "@pawl/core/app/Removal"
import { demand } from "@pawl/core/ledger/Decision"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Limits } from "@pawl/core/primitives/Limits"
import { answers, page, person, settle } from "../kit/MemoryPawl.ts"
import {
  changeOf,
  claimRelease,
  isLive,
  pointerOf,
  promoted,
  queued,
  recovered,
  releaseOf,
  work
} from "../kit/ReleaseScenes.ts"
import { ask, twoLive } from "../kit/RollbackScenes.ts"
import { candidateOf, newProject } from "../kit/Scenes.ts"
import { after, hostShows, keysUnder, play, pointersOf, runOne } from "../kit/UpkeepScenes.ts"

const versionsOf = (projectId: string) =>
  Effect.map(pointersOf(projectId), (rows) =>
    rows
      .filter((row) => row.channel.startsWith("preview:v"))
      .toSorted((a, b) => (a.channel < b.channel ? -1 : 1))
      .map(({ channel, status, commit, generation }) => ({ channel, status, commit, generation }))
  )

/** The version row that a generation must have, with a bundle that is there. */
const expected = (projectId: string, generation: number) =>
  Effect.gen(function* () {
    const { commit } = (yield* demand("generation", `${projectId}/${generation}`)).record
    expect(yield* keysUnder(`apps/${projectId}/${commit}/`)).toContain(`apps/${projectId}/${commit}/bundle.json`)
    return { channel: `preview:v${String(generation).padStart(7, "0")}`, status: "live", commit, generation }
  })

describe("A version", () => {
  it("is kept of S0, of a Candidate's generation, of a rollback, and of one that failed its smoke test", () =>
    play(
      Effect.gen(function* () {
        const project = yield* twoLive
        const rollback = yield* ask(project.id, 1, 2)
        yield* settle
        const back = yield* Promotions.promote(person, rollback.candidate.id)
        yield* settle
        const bad = yield* candidateOf(project.id, "bad", { "bad.txt": "bad" })
        answers.set("/", page(500))
        const failed = yield* Promotions.promote(person, bad.id)
        yield* settle
        const sources = yield* Effect.forEach([back.releaseId, failed.releaseId], (id) =>
          Effect.map(demand("release", id ?? ""), ({ record }) => [record.bundleSource, record.status])
        )
        expect(sources).toEqual([
          ["same_tree", "deployed"],
          ["preview_copy", "smoke_failed"]
        ])
        expect(yield* versionsOf(project.id)).toEqual(
          yield* Effect.forEach([0, 1, 2, 3, 4], (generation) => expected(project.id, generation))
        )
        // Production went back to S3; the version that failed can still be opened, and looked into.
        expect((yield* demand("pointer", `${project.id}/production`)).record.generation).toBe(3)
      })
    ))

  it("is kept of a generation whose release was superseded before it served, and a rollback serves its bundle", () =>
    play(
      Effect.gen(function* () {
        const older = yield* queued
        const { project } = older
        // Another worker holds the older release, so that the newer one comes first.
        yield* claimRelease
        const newer = yield* promoted(project, "r2")
        yield* settle
        yield* TestClock.adjust(Limits.commandLeaseMs)
        yield* settle
        expect([(yield* releaseOf(older.releaseId)).status, (yield* releaseOf(newer.releaseId)).status]).toEqual([
          "superseded",
          "deployed"
        ])
        expect((yield* changeOf(older.changeId)).status).toBe("completed")
        expect(yield* versionsOf(project.id)).toEqual(
          yield* Effect.forEach([0, 1, 2], (generation) => expected(project.id, generation))
        )
        yield* isLive(project.id, 2)
        // Previews are over by then.
        yield* after(Limits.previewDays + 1)
        const asked = yield* ask(project.id, 1, 2)
        yield* settle
        const back = (yield* demand("candidate", asked.candidate.id)).record
        expect(back.plan?.checks.map(({ id }) => id)).toEqual(["tree-equals"])
        const { releaseId } = yield* Promotions.promote(person, back.id)
        yield* settle
        expect(yield* releaseOf(releaseId)).toMatchObject({ status: "deployed", bundleSource: "same_tree" })
        yield* isLive(project.id, 3)
      })
    ))

  it("is kept of a generation that was superseded after its release had begun", () =>
    play(
      Effect.gen(function* () {
        const older = yield* queued
        const { project } = older
        const slow = yield* claimRelease
        const objects = yield* ObjectStore
        const begun = yield* Deferred.make<void>()
        const goOn = yield* Deferred.make<void>()
        const waits = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(goOn))
        // The older one looks for its bundle while the newer one is promoted and goes live.
        const worker = yield* Effect.forkChild(
          work(slow).pipe(
            Effect.provideService(ObjectStore, {
              ...objects,
              copy: (...args) => Effect.andThen(waits, objects.copy(...args))
            })
          )
        )
        yield* Deferred.await(begun)
        expect((yield* releaseOf(older.releaseId)).status).toBe("building")
        yield* promoted(project, "r2")
        yield* settle
        yield* Deferred.succeed(goOn, undefined)
        yield* Fiber.join(worker)
        expect((yield* releaseOf(older.releaseId)).status).toBe("superseded")
        expect(yield* versionsOf(project.id)).toEqual(
          yield* Effect.forEach([0, 1, 2], (generation) => expected(project.id, generation))
        )
        yield* isLive(project.id, 2)
      })
    ))

  it("is built anew for a superseded generation whose preview is over", () =>
    play(
      Effect.gen(function* () {
        const older = yield* queued
        const { project } = older
        yield* claimRelease
        yield* promoted(project, "r2")
        const objects = yield* ObjectStore
        for (const key of yield* keysUnder(`app-previews/${project.id}/${older.candidate.commit}/`))
          yield* objects.remove(key)
        yield* settle
        yield* TestClock.adjust(Limits.commandLeaseMs)
        yield* settle
        expect(yield* versionsOf(project.id)).toContainEqual(yield* expected(project.id, 1))
      })
    ))

  it("is kept of a generation whose release got stuck before it served", () =>
    play(
      Effect.gen(function* () {
        const stuck = yield* queued
        yield* claimRelease
        expect(yield* recovered).toBe(1)
        expect((yield* releaseOf(stuck.releaseId)).status).toBe("failed")
        expect(yield* versionsOf(stuck.project.id)).toContainEqual(yield* expected(stuck.project.id, 1))
        expect((yield* pointerOf(stuck.project.id)).generation).toBe(0)
      })
    ))

  it.each([
    ["an app that was removed", false],
    ["the app that was deployed after it", true]
  ])("of a superseded generation does not come back for %s", (_, anew) =>
    play(
      Effect.gen(function* () {
        const older = yield* queued
        const { project } = older
        yield* claimRelease
        const newer = yield* promoted(project, "r2")
        expect(yield* runOne("release.run")).toBe(true)
        expect((yield* releaseOf(older.releaseId)).status).toBe("superseded")
        expect((yield* releaseOf(newer.releaseId)).status).toBe("deployed")
        yield* remove(person, project.id)
        yield* settle
        if (anew) {
          yield* TestClock.adjust(1)
          yield* requestApp(project.id)
          yield* settle
        }
        // Now its worker is given up, and another one takes the release on.
        yield* TestClock.adjust(Limits.commandLeaseMs)
        expect(yield* runOne("release.run")).toBe(true)
        if (!anew) expect(yield* keysUnder(`apps/${project.id}/`)).toEqual([])
        expect((yield* versionsOf(project.id)).map(({ generation }) => generation)).toEqual(anew ? [2] : [])
      })
    )
  )

  it("of an app that was deployed again takes no write of a process of the one before", () =>
    play(
      Effect.gen(function* () {
        const project = yield* newProject()
        const channel = "preview:v0000000"
        const rowOf = Effect.map(demand("pointer", `${project.id}/${channel}`), ({ record }) => record)
        const storeOf = Effect.map(rowOf, ({ incarnation }) => ({ project: project.id, channel, incarnation }))
        const data = yield* AppData
        const before = yield* storeOf
        yield* data.put(before, "k", "v")
        yield* remove(person, project.id)
        expect(yield* Effect.flip(data.put(before, "k", "late"))).toMatchObject({ _tag: "DataRefused" })
        yield* settle
        yield* requestApp(project.id)
        yield* settle
        expect(yield* hostShows(project.label, channel)).toBe("live")
        expect(yield* Effect.flip(data.put(before, "k", "late"))).toMatchObject({ _tag: "DataRefused" })
        const now = yield* storeOf
        expect(now.incarnation).toBe(2)
        expect(yield* data.list(now, {})).toEqual({ keys: [], complete: true })
        yield* data.put(now, "k", "new")
      })
    ))
})
