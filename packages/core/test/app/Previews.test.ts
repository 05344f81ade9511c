import { Deferred, Effect, Fiber, Layer } from "effect"
import { describe, expect, it } from "vitest"
import * as MemorySandbox from "@pawl/adapters-memory/MemorySandbox"
import { AppData } from "@pawl/core/app/AppData"
import { previewChannel, publishPreview } from "@pawl/core/app/Previews"
import * as Candidates from "@pawl/core/candidate/Candidates"
import type { Candidate } from "@pawl/core/model/Candidate"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import * as Commit from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import { pointerKey } from "@pawl/core/model/Entities"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { person, settle } from "../kit/MemoryPawl.ts"
import { advance, candidateOf, newProject, opened } from "../kit/Scenes.ts"
import { hostShows, keysUnder, play, pointersOf } from "../kit/UpkeepScenes.ts"

const current = (candidate: Candidate) => Effect.map(demand("candidate", candidate.id), ({ record }) => record)

/** A Change with three Candidates that can all ship, each with its preview. */
const three = Effect.gen(function* () {
  const project = yield* newProject()
  const change = yield* opened(project.id, "r")
  const made: Array<Candidate> = []
  for (const name of ["a", "b", "c"]) {
    yield* ChangeSets.record(person, { changeId: change.id, message: name, files: { [`${name}.txt`]: name } })
    const { candidate } = yield* Candidates.request(person, { changeId: change.id })
    yield* settle
    made.push(yield* current(candidate))
  }
  if (made.some((each) => each.status !== "verified")) throw new Error("not all of them can ship")
  const [first, second, third] = made as [Candidate, Candidate, Candidate]
  return { project, change, first, second, third, made }
})

const shown = (projectId: string) =>
  Effect.map(pointersOf(projectId), (rows) =>
    rows.filter((row) => row.candidateId !== null && row.status !== "removed").map((row) => row.candidateId)
  )

const without = (projectId: string, channel: string) =>
  Effect.gen(function* () {
    const id = pointerKey(projectId, channel)
    const { revision } = yield* demand("pointer", id)
    yield* (yield* Ledger).commit({
      name: "test",
      projectId,
      writes: [{ _tag: "Delete", kind: "pointer", id, revision }]
    })
  })

describe("Previews of a Change", () => {
  it("are at most 3: those of stale Candidates make room, with their data, for those that take their place", () =>
    play(
      Effect.gen(function* () {
        const { project, change, first, made } = yield* three
        const data = yield* AppData
        const store = { project: project.id, channel: previewChannel(first) }
        yield* data.put(store, "key", "value")
        expect(yield* shown(project.id)).toEqual(made.map((each) => each.id))
        yield* advance(project.id)
        yield* settle
        const candidates = yield* (yield* Records).list("candidate", { where: { changeId: change.id }, limit: "all" })
        const verified = candidates.items.filter(({ record }) => record.status === "verified")
        expect(verified.length).toBe(3)
        const mine = (yield* pointersOf(project.id)).filter((row) => row.changeId === change.id)
        expect(mine.filter((row) => row.status === "live").map((row) => row.candidateId)).toEqual(
          verified.map(({ record }) => record.id)
        )
        expect(yield* hostShows(project.label, previewChannel(first))).toBe("removed")
        expect(yield* data.get(store, "key")).toBe(null)
      })
    ))

  it("are there once the build is through, while the other checks still run", () =>
    play(
      Effect.scoped(
        Effect.gen(function* () {
          const project = yield* newProject()
          const change = yield* opened(project.id, "r")
          yield* ChangeSets.record(person, { changeId: change.id, message: "a", files: { "a.txt": "a" } })
          const { candidate } = yield* Candidates.request(person, { changeId: change.id })
          const done = yield* Deferred.make<void>()
          const script = () => Effect.as(Deferred.await(done), { outcome: { _tag: "Exited" as const, code: 0 } })
          const sandbox = yield* Layer.build(MemorySandbox.layerMemory(script))
          const working = yield* Effect.forkChild(Effect.provide(settle, sandbox))
          while ((yield* shown(project.id)).length === 0) yield* Effect.yieldNow
          expect((yield* current(candidate)).status).toBe("verifying")
          yield* Deferred.succeed(done, undefined)
          yield* Fiber.join(working)
          expect((yield* current(candidate)).status).toBe("verified")
          expect(yield* shown(project.id)).toEqual([candidate.id])
        })
      )
    ))

  it("never lose one that can still ship, and the newest goes without", () =>
    play(
      Effect.gen(function* () {
        const { project, first, second, third } = yield* three
        const row = (yield* demand("pointer", pointerKey(project.id, previewChannel(second)))).record
        yield* without(project.id, previewChannel(third))
        const other = { ...row, channel: "preview:ffffffff" as const }
        yield* (yield* Ledger).commit({
          name: "test",
          projectId: project.id,
          writes: [Commit.insert("pointer", other)]
        })
        yield* publishPreview(third)
        expect(yield* hostShows(project.label, previewChannel(third))).toBe("none")
        for (const each of [first, second]) expect(yield* hostShows(project.label, previewChannel(each))).toBe("live")
      })
    ))

  it("say that they failed where the bundle is gone, and nothing else minds", () =>
    play(
      Effect.gen(function* () {
        const { project, first, second, third } = yield* three
        yield* without(project.id, previewChannel(third))
        const objects = yield* ObjectStore
        for (const key of yield* keysUnder(`app-previews/${project.id}/${third.commit}/`)) yield* objects.remove(key)
        yield* publishPreview(third)
        expect((yield* demand("pointer", pointerKey(project.id, previewChannel(third)))).record).toMatchObject({
          status: "build_failed",
          reason: expect.stringContaining("missing"),
          candidateId: third.id
        })
        for (const each of [first, second]) expect(yield* hostShows(project.label, previewChannel(each))).toBe("live")
        expect(yield* current(third)).toMatchObject({ status: "verified" })
        expect(yield* hostShows(project.label)).toBe("live")
      })
    ))

  it("stay as they are when they are published again", () =>
    play(
      Effect.gen(function* () {
        const project = yield* newProject()
        const candidate = yield* candidateOf(project.id, "r", { "a.txt": "a" })
        const before = yield* pointersOf(project.id)
        yield* publishPreview(candidate)
        expect(yield* pointersOf(project.id)).toEqual(before)
      })
    ))
})
