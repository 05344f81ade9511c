import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { AppData } from "@pawl/core/app/AppData"
import { requestApp } from "@pawl/core/app/Apps"
import { remove } from "@pawl/core/app/Removal"
import { demand } from "@pawl/core/ledger/Deciding"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { answers, page, person, settle } from "./MemoryPawl.ts"
import { ask, twoLive } from "./RollbackScenes.ts"
import { candidateOf, newProject } from "./Scenes.ts"
import { hostShows, keysUnder, play, pointersOf } from "./UpkeepScenes.ts"

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
