import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { AppData } from "@pawl/core/app/AppData"
import { AppLogs } from "@pawl/core/app/AppLogs"
import { requestApp } from "@pawl/core/app/Apps"
import { previewChannel } from "@pawl/core/app/Previews"
import { remove } from "@pawl/core/app/Removal"
import { EventLog } from "@pawl/core/event/EventLog"
import { demand } from "@pawl/core/ledger/Decision"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { person, settle } from "../kit/MemoryPawl.ts"
import { candidateOf, newProject } from "../kit/Scenes.ts"
import { hostShows, keysUnder, play, pointersOf, runOne } from "../kit/UpkeepScenes.ts"

const production = (projectId: string) =>
  Effect.map(demand("pointer", `${projectId}/production`), (each) => each.record)

/** A live app with a promoted generation, a preview that is still open, and data in each of its stores. */
const liveApp = Effect.gen(function* () {
  const project = yield* newProject()
  const first = yield* candidateOf(project.id, "r1", { "a.txt": "a" })
  yield* Promotions.promote(person, first.id)
  yield* settle
  const open = yield* candidateOf(project.id, "r2", { "b.txt": "b" })
  const data = yield* AppData
  const stores = ["production", previewChannel(open), "preview:v0000000", "preview:v0000001"]
  for (const channel of stores) yield* data.put({ project: project.id, channel }, "key", "value")
  yield* (yield* AppLogs).append(project.id, [
    {
      time: "2030-01-01T00:00:00.000Z",
      channel: "production",
      version: "v",
      level: "log",
      source: "console",
      text: "hi"
    }
  ])
  return { project, open, stores }
})

const valuesOf = (project: string, stores: ReadonlyArray<string>) =>
  Effect.flatMap(AppData, (data) => Effect.forEach(stores, (channel) => data.get({ project, channel }, "key")))

describe("Removing an app", () => {
  it("answers 410 on every host at once, before anything is cleaned", () =>
    play(
      Effect.gen(function* () {
        const { project, open } = yield* liveApp
        const channels = [previewChannel(open), "preview:v0000000", "preview:v0000001"] as const
        for (const channel of channels) expect(yield* hostShows(project.label, channel)).toBe("live")
        const removed = yield* remove(person, project.id)
        expect(removed).toMatchObject({ status: "removed", commit: null, bundleKey: null })
        expect(yield* hostShows(project.label)).toBe("removed")
        for (const channel of channels) expect(yield* hostShows(project.label, channel)).toBe("tombstone")
        for (const row of yield* pointersOf(project.id)) expect(row.status).toBe("removed")
      })
    ))

  it("wipes the data stores and what the app printed, deletes both bundle prefixes and the rows, and leaves the tombstone", () =>
    play(
      Effect.gen(function* () {
        const { project, open, stores } = yield* liveApp
        yield* remove(person, project.id)
        yield* settle
        expect(yield* valuesOf(project.id, stores)).toEqual([null, null, null, null])
        expect(yield* (yield* AppLogs).read(project.id, {})).toEqual([])
        expect(yield* keysUnder(`apps/${project.id}/`)).toEqual([])
        expect(yield* keysUnder(`app-previews/${project.id}/`)).toEqual([])
        expect((yield* pointersOf(project.id)).map((row) => row.channel)).toEqual(["production"])
        expect(yield* hostShows(project.label)).toBe("removed")
        expect(yield* hostShows(project.label, previewChannel(open))).toBe("tombstone")
        expect(yield* hostShows(project.label, "preview:v0000007")).toBe("tombstone")
        expect((yield* demand("project", project.id)).record.status).toBe("active")
        expect((yield* demand("head", project.id)).record.generation).toBe(1)
      })
    ))

  it("tells of it once, however often it is asked for", () =>
    play(
      Effect.gen(function* () {
        const { project } = yield* liveApp
        const answered = [yield* remove(person, project.id), yield* remove(person, project.id)]
        yield* settle
        answered.push(yield* remove(person, project.id))
        expect(answered.map((row) => row.status)).toEqual(["removed", "removed", "removed"])
        const events = yield* (yield* EventLog).read(project.id, 0, 100)
        expect(events.filter((event) => event.type === "app.removed")).toMatchObject([
          { data: { label: project.label }, actor: person }
        ])
      })
    ))

  it("is a 404 where there never was an app", () =>
    play(
      Effect.gen(function* () {
        const unknown = yield* Effect.flip(remove(person, "proj_00000000-0000-4000-8000-00000000000f"))
        expect(unknown).toMatchObject({ _tag: "Unknown", kind: "app" })
      })
    ))

  it("makes a new pointer on the same label with the next deploy, and revives no preview and no version", () =>
    play(
      Effect.gen(function* () {
        const { project, open, stores } = yield* liveApp
        yield* remove(person, project.id)
        yield* settle
        expect(yield* requestApp(project.id)).toMatchObject({ status: "building", incarnation: 2, commit: null })
        yield* settle
        expect(yield* production(project.id)).toMatchObject({ status: "live", generation: 1, incarnation: 2 })
        expect(yield* hostShows(project.label, previewChannel(open))).toBe("none")
        expect(yield* hostShows(project.label, "preview:v0000000")).toBe("none")
        expect(yield* hostShows(project.label, "preview:v0000001")).toBe("live")
        expect(yield* valuesOf(project.id, stores)).toEqual([null, null, null, null])
      })
    ))

  it("never serves a bundle that the cleanup deletes, when a deploy comes before the cleanup", () =>
    play(
      Effect.gen(function* () {
        const { project, stores } = yield* liveApp
        yield* remove(person, project.id)
        yield* requestApp(project.id)
        expect(yield* hostShows(project.label)).toBe("building")
        expect(yield* hostShows(project.label, "preview:v0000001")).toBe("tombstone")
        // The deploy is worked on first, and waits.
        expect(yield* runOne("app.provision")).toBe(true)
        expect(yield* production(project.id)).toMatchObject({ status: "building", leftovers: true })
        yield* settle
        expect(yield* production(project.id)).toMatchObject({ status: "building", leftovers: false })
        yield* TestClock.adjust(Limits.removalWaitMs)
        yield* settle
        const live = yield* production(project.id)
        expect(live).toMatchObject({ status: "live", generation: 1, incarnation: 2 })
        expect(yield* keysUnder(`apps/${project.id}/`)).toContain(live.bundleKey)
        expect(yield* valuesOf(project.id, stores)).toEqual([null, null, null, null])
      })
    ))

  it("lets a release wait for the cleanup too, which then goes live on the new pointer", () =>
    play(
      Effect.gen(function* () {
        const { project, open } = yield* liveApp
        yield* remove(person, project.id)
        yield* requestApp(project.id)
        const promoted = yield* Promotions.promote(person, open.id)
        expect(yield* runOne("release.run")).toBe(true)
        expect((yield* demand("release", promoted.releaseId ?? "")).record.status).toBe("building")
        yield* settle
        yield* TestClock.adjust(Limits.removalWaitMs)
        yield* settle
        expect((yield* demand("release", promoted.releaseId ?? "")).record.status).toBe("deployed")
        const live = yield* production(project.id)
        expect(live).toMatchObject({ status: "live", generation: 2 })
        expect(yield* keysUnder(`apps/${project.id}/`)).toContain(live.bundleKey)
      })
    ))

  it("leaves a deploy that was asked for before it removed", () =>
    play(
      Effect.gen(function* () {
        const { project } = yield* liveApp
        yield* requestApp(project.id)
        yield* remove(person, project.id)
        yield* settle
        expect(yield* production(project.id)).toMatchObject({ status: "removed", incarnation: 1 })
        expect(yield* keysUnder(`apps/${project.id}/`)).toEqual([])
      })
    ))

  it("fails a release that was under way, and its Change, and moves nothing", () =>
    play(
      Effect.gen(function* () {
        const { project, open } = yield* liveApp
        const promoted = yield* Promotions.promote(person, open.id)
        yield* remove(person, project.id)
        yield* settle
        expect((yield* demand("release", promoted.releaseId ?? "")).record.status).toBe("failed")
        expect((yield* demand("change", open.changeId)).record.status).toBe("failed")
        expect(yield* production(project.id)).toMatchObject({ status: "removed" })
      })
    ))

  it("publishes no preview of a Candidate that is verified after it", () =>
    play(
      Effect.gen(function* () {
        const { project } = yield* liveApp
        yield* remove(person, project.id)
        const late = yield* candidateOf(project.id, "r3", { "c.txt": "c" })
        expect(late.status).toBe("verified")
        expect(yield* pointersOf(project.id)).toHaveLength(1)
      })
    ))
})
