import { Context, Effect, References } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { Commands } from "@pawl/core/work/Commands"
import { demand } from "@pawl/core/ledger/Decision"
import { sourceIndexKey } from "@pawl/core/project/SourceIndex"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Repositories, RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import { syncSource } from "@pawl/core/project/SourceSync"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { candidateOf, newProject, opened } from "../kit/Scenes.ts"

/** Repositories whose canonical `main` cannot be moved while `broken.now`. */
const breakable = (broken: { now: boolean }) =>
  Effect.map(Repositories, (repositories) =>
    Context.make(Repositories, {
      ...repositories,
      advance: (options) =>
        broken.now
          ? Effect.fail(new RepositoriesUnavailable({ operation: "advance", reason: "the disk is full" }))
          : repositories.advance(options)
    })
  )

/** Everything that is tried again by the clock, until nothing is left to try. */
const settleFor = (minutes: number) =>
  Effect.repeat(Effect.andThen(settle, TestClock.adjust("20 seconds")), { times: minutes * 3 })

describe("A canonical main that does not follow", () => {
  beforeEach(() => {
    answers.clear()
    answers.set("/", page(200))
  })

  it("is told as unsynced, holds back a new Candidate as long as it lasts, and is repaired by promoting again", () =>
    run(
      Effect.gen(function* () {
        const broken = { now: false }
        yield* Effect.provide(
          Effect.gen(function* () {
            const project = yield* newProject()
            const one = yield* candidateOf(project.id, "r1", { "a.txt": "a" })
            broken.now = true
            const promoted = yield* Promotions.promote(person, one.id)
            expect(promoted).toMatchObject({ outcome: "promoted", generation: 1, sourceSynced: false })
            expect((yield* demand("head", project.id)).record).toMatchObject({ generation: 1, syncedGeneration: 0 })

            const change = yield* opened(project.id, "r2")
            yield* ChangeSets.record(person, { changeId: change.id, message: "b", files: { "b.txt": "b" } })
            const { candidate } = yield* Candidates.request(person, { changeId: change.id })
            expect(candidate.baseGeneration).toBe(1)
            yield* settleFor(20)
            expect((yield* demand("candidate", candidate.id)).record.status).toBe("composing")
            const commands = yield* Commands
            // It waits: git that is away is no fault of the Candidate.
            expect(yield* commands.deadLetters(project.id)).toEqual([])

            broken.now = false
            const again = yield* Promotions.promote(person, one.id)
            expect(again).toMatchObject({ outcome: "alreadyPromoted", generation: 1, sourceSynced: true })
            expect((yield* demand("head", project.id)).record.syncedGeneration).toBe(1)
            yield* (yield* ObjectStore).head(sourceIndexKey(project.id, again.tree))
            yield* settleFor(6)
            expect((yield* demand("candidate", candidate.id)).record.status).toBe("verified")
          }),
          yield* breakable(broken)
        )
      }).pipe(Effect.provide(TestClock.layer()), Effect.provideService(References.MinimumLogLevel, "None"))
    ))

  it("is brought along once, however many ask for it at a time", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        const one = yield* candidateOf(project.id, "r1", { "a.txt": "a" })
        yield* Effect.provide(Promotions.promote(person, one.id), yield* breakable({ now: true }))
        const repositories = yield* Repositories
        const advanced: Array<string> = []
        const slow = Context.make(Repositories, {
          ...repositories,
          advance: (options) =>
            Effect.andThen(
              Effect.sync(() => advanced.push(options.commit)),
              // Whoever else asks comes in between.
              Effect.andThen(Effect.yieldNow, repositories.advance(options))
            )
        })
        const syncs = Effect.all(
          [1, 2, 3].map(() => syncSource(project.id, 1)),
          { concurrency: "unbounded" }
        )
        yield* Effect.provide(syncs, slow)
        expect(advanced).toHaveLength(1)
        expect((yield* demand("head", project.id)).record.syncedGeneration).toBe(1)
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
    ))
})
