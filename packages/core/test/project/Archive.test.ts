import { Context, Effect, References } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { AppData } from "@pawl/core/app/AppData"
import { requestApp } from "@pawl/core/app/Apps"
import { previewChannel } from "@pawl/core/app/Previews"
import * as Candidates from "@pawl/core/candidate/Candidates"
import { why } from "@pawl/core/why/Why"
import { ChangeLifecycle } from "@pawl/core/model/ChangeLifecycle"
import * as Changes from "@pawl/core/change/Changes"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { EventLog } from "@pawl/core/event/EventLog"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import * as Lifecycle from "@pawl/core/model/Lifecycle"
import { Records } from "@pawl/core/ledger/Records"
import { Retention } from "@pawl/core/ledger/Retention"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { archive } from "@pawl/core/project/Archival"
import * as Projects from "@pawl/core/project/Projects"
import { Repositories } from "@pawl/core/project/Repositories"
import { requested } from "@pawl/core/promotion/Canonical"
import * as Promotions from "@pawl/core/promotion/Promotions"
import * as Rollbacks from "@pawl/core/promotion/Rollbacks"
import { scanStuck } from "@pawl/core/release/Recovery"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Time from "@pawl/core/primitives/Time"
import { TaskLifecycle } from "@pawl/core/model/TaskLifecycle"
import { person, settle } from "../kit/MemoryPawl.ts"
import { candidateOf, newProject, opened } from "../kit/Scenes.ts"
import { after, candidateHolds, holds, hostShows, keysUnder, play, pointersOf, runOne } from "../kit/UpkeepScenes.ts"

/** A Project with a live app, a promoted Candidate, one that is still open, and a context object. */
const lively = Effect.gen(function* () {
  const project = yield* newProject()
  const promoted = yield* candidateOf(project.id, "r1", { "a.txt": "a" })
  yield* Promotions.promote(person, promoted.id)
  yield* settle
  const open = yield* candidateOf(project.id, "r2", { "b.txt": "b" })
  for (const kind of ["context", "changesets"])
    yield* (yield* ObjectStore).put(`${kind}/${project.id}/notes`, new Uint8Array([1]))
  yield* (yield* AppData).put({ project: project.id, channel: "production" }, "key", "value")
  return { project, promoted, open }
})

const archiver = { type: "system", id: "system:archive" }

const projectOf = (id: string) => Effect.map(demand("project", id), ({ record }) => record)

const keptForks = (projectId: string) =>
  Effect.gen(function* () {
    const records = yield* Records
    const where = { fork: "kept" }
    const runs = yield* records.list("taskRun", { projectId, where, limit: "all" })
    const candidates = yield* records.list("candidate", { projectId, where, limit: "all" })
    return runs.items.length + candidates.items.length
  })

/** Notes the order in which things are deleted; the one numbered `deadly` is the last thing this worker does. */
const watched = (done: Array<string>, deadly = Number.POSITIVE_INFINITY) =>
  Effect.gen(function* () {
    const [repositories, objects] = [yield* Repositories, yield* ObjectStore]
    const [data, retention, ledger] = [yield* AppData, yield* Retention, yield* Ledger]
    const noted = <A, E>(what: string, work: Effect.Effect<A, E>) =>
      Effect.suspend(() => {
        if (done.length >= deadly) return Effect.interrupt
        done.push(what)
        return done.length === deadly ? Effect.andThen(work, Effect.interrupt) : work
      })
    return Context.make(Repositories, {
      ...repositories,
      remove: (ref) => noted(ref.fork === undefined ? "canonical" : "fork", repositories.remove(ref))
    }).pipe(
      Context.add(ObjectStore, {
        ...objects,
        removePrefix: (prefix) => noted(prefix.split("/")[0] ?? "", objects.removePrefix(prefix))
      }),
      Context.add(AppData, { ...data, wipe: (store) => noted("data", data.wipe(store)) }),
      Context.add(Retention, {
        ...retention,
        forget: (projectId, before) => noted("feed", retention.forget(projectId, before))
      }),
      Context.add(Ledger, {
        commit: (commit) =>
          commit.name === "Cleanup.cleaned" || commit.name === "Removal.deleteRows"
            ? noted(commit.name, ledger.commit(commit))
            : ledger.commit(commit)
      })
    )
  })

/** Nothing of the Project is left but its rows. */
const expectClean = ({ project, promoted, open }: Effect.Success<typeof lively>) =>
  Effect.gen(function* () {
    for (const kind of ["apps", "app-previews", "source", "context", "changesets"])
      expect(yield* keysUnder(`${kind}/${project.id}/`)).toEqual([])
    for (const candidate of [promoted, open]) {
      expect(yield* candidateHolds(candidate)).toBe(false)
      expect((yield* demand("candidate", candidate.id)).record.forkDeletedAt).not.toBe(null)
    }
    expect(yield* holds(project.id, null, promoted.commit ?? "")).toBe(false)
    expect(yield* keptForks(project.id)).toBe(0)
    expect(yield* (yield* AppData).get({ project: project.id, channel: "production" }, "key")).toBe(null)
    expect((yield* pointersOf(project.id)).map((row) => row.channel)).toEqual(["production"])
    expect(yield* projectOf(project.id)).toMatchObject({ status: "archived" })
    expect((yield* projectOf(project.id)).cleanedAt).not.toBe(null)
  })

describe("Archiving a Project", () => {
  it("answers 410 on every host at once, and for ever, and keeps its records to be read", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* lively
        const { project, open, promoted } = scene
        expect(yield* archive(person, project.id)).toMatchObject({ status: "archived", cleanedAt: null })
        expect(yield* hostShows(project.label)).toBe("removed")
        expect(yield* hostShows(project.label, previewChannel(open))).toBe("tombstone")
        yield* settle
        yield* expectClean(scene)
        expect(yield* hostShows(project.label)).toBe("removed")
        expect(yield* hostShows(project.label, previewChannel(open))).toBe("tombstone")
        expect((yield* demand("head", project.id)).record.generation).toBe(1)
        expect((yield* demand("candidate", promoted.id)).record.status).toBe("promoted")
        expect(yield* keysUnder(`evidence/${project.id}/`)).not.toEqual([])
      })
    ))

  it("tells of it once, and repeats the same answer", () =>
    play(
      Effect.gen(function* () {
        const { project, open } = yield* lively
        yield* after(1)
        const first = yield* archive(person, project.id)
        expect(yield* archive(person, project.id)).toEqual(first)
        yield* settle
        expect(yield* archive(person, project.id)).toMatchObject({ status: "archived", updatedAt: first.updatedAt })
        // The feed before it is gone, and says so; what happened last is still told.
        const log = yield* EventLog
        const expired = yield* Effect.flip(log.read(project.id, 0, 100))
        if (expired._tag !== "EventsExpired") throw new Error("it should say what is gone")
        const told = yield* log.read(project.id, expired.oldest - 1, 100)
        expect(told).toMatchObject([
          { type: "project.archived", subject: project.id, actor: person },
          { type: "candidate.rejected", subject: open.id, actor: archiver },
          { type: "change.cancelled", subject: open.changeId, actor: archiver }
        ])
      })
    ))

  it("takes no more work, each with the same refusal", () =>
    play(
      Effect.gen(function* () {
        const { project, open } = yield* lively
        const bare = yield* Projects.create(person, {
          organizationId: project.organizationId,
          slug: "bare",
          files: null
        })
        yield* archive(person, project.id)
        yield* archive(person, bare.id)
        const { id: projectId } = project
        const refused = [
          Changes.open(person, { projectId, clientRequestId: "new", goal: "g", budgetUsd: 1 }),
          ChangeSets.record(person, { changeId: open.changeId, message: "m", files: { "c.txt": "c" } }),
          Candidates.request(person, { changeId: open.changeId }),
          Promotions.promote(person, open.id),
          Rollbacks.request(person, { projectId, targetGeneration: 0, expectedGeneration: 1 }),
          requestApp(projectId),
          Projects.addSource(person, bare.id, { "index.js": "x" })
        ]
        for (const each of refused)
          expect(
            yield* Effect.flip<unknown, { readonly _tag: string }, Effect.Services<typeof each>>(each)
          ).toMatchObject({
            _tag: "ProjectArchived"
          })
        // What was opened before is answered as before.
        expect(
          (yield* Changes.open(person, { projectId, clientRequestId: "r1", goal: "g", budgetUsd: 1 })).created
        ).toBe(false)
      })
    ))

  it("lets what is under way end quietly: no generation, no preview, no dead letter", () =>
    play(
      Effect.gen(function* () {
        const { project } = yield* lively
        const change = yield* opened(project.id, "late")
        yield* ChangeSets.record(person, { changeId: change.id, message: "late", files: { "late.txt": "l" } })
        const { candidate } = yield* Candidates.request(person, { changeId: change.id })
        yield* requestApp(project.id)
        yield* archive(person, project.id)
        yield* settle
        expect((yield* demand("candidate", candidate.id)).record.status).toBe("rejected")
        expect((yield* demand("head", project.id)).record.generation).toBe(1)
        expect((yield* pointersOf(project.id)).map((row) => row.status)).toEqual(["removed"])
      })
    ))

  it("ends a release that it cut off, with its Change", () =>
    play(
      Effect.gen(function* () {
        const { project, open } = yield* lively
        const { releaseId } = yield* Promotions.promote(person, open.id)
        yield* archive(person, project.id)
        yield* settle
        const ended = { status: "failed", reason: "the Project was archived" }
        expect((yield* demand("release", releaseId ?? "")).record).toMatchObject(ended)
        expect((yield* demand("change", open.changeId)).record).toMatchObject(ended)
        expect((yield* why(open.id)).next).toEqual({ code: "project_archived", generation: 2 })
        yield* after(1)
        expect(yield* scanStuck).toBe(0)
      })
    ))
})

/** The statuses of all Changes, Tasks and Candidates that have not ended. */
const openIn = (projectId: string) =>
  Effect.gen(function* () {
    const records = yield* Records
    const changes = yield* records.list("change", { projectId, limit: "all" })
    const tasks = yield* records.list("task", { projectId, limit: "all" })
    const candidates = yield* records.list("candidate", { projectId, limit: "all" })
    return [
      ...changes.items.filter(({ record }) => !Lifecycle.isFinal(ChangeLifecycle, record.status)),
      ...tasks.items.filter(({ record }) => !Lifecycle.isFinal(TaskLifecycle, record.status)),
      ...candidates.items.filter(({ record }) => ["composing", "verifying", "verified"].includes(record.status))
    ].map(({ record }) => record.status)
  })

describe("The cleanup of an archived Project", () => {
  it("first ends what is open: each Change with its Candidates, also one that is being promoted", () =>
    play(
      Effect.gen(function* () {
        const { project, open } = yield* lively
        const waiting = yield* candidateOf(project.id, "r3", { "migrations/1.sql": "x" })
        const created = yield* opened(project.id, "r4")
        const ask = { actor: person, trigger: "user" as const, now: yield* Time.now }
        yield* (yield* Ledger).commit(requested(yield* Promotions.snapshot(open.id), ask, null)!)
        const statusOf = (changeId: string) => Effect.map(demand("change", changeId), ({ record }) => record.status)
        expect(yield* statusOf(open.changeId)).toBe("promoting")
        expect(yield* statusOf(waiting.changeId)).toBe("awaiting_approval")
        yield* archive(person, project.id)
        expect(yield* why(open.id)).toMatchObject({
          canPromote: false,
          next: { code: "project_archived", generation: null }
        })
        yield* runOne("project.cleanup")
        for (const changeId of [open.changeId, waiting.changeId, created.id])
          expect((yield* demand("change", changeId)).record).toMatchObject({
            status: "cancelled",
            reason: "the Project was archived"
          })
        expect((yield* demand("change", open.changeId)).record.promotingCandidateId).toBe(null)
        for (const { id } of [open, waiting])
          expect(yield* why(id)).toMatchObject({
            candidate: { status: "rejected", reason: "change cancelled" },
            canPromote: false,
            next: { code: "project_archived", generation: null }
          })
        expect(yield* openIn(project.id)).toEqual([])
      })
    ))

  it("leaves no Candidate open beside the one that its Change was completed by", () =>
    play(
      Effect.gen(function* () {
        const { project, open } = yield* lively
        yield* ChangeSets.record(person, { changeId: open.changeId, message: "m", files: { "c.txt": "c" } })
        const { candidate } = yield* Candidates.request(person, { changeId: open.changeId })
        yield* Promotions.promote(person, open.id)
        yield* archive(person, project.id)
        yield* settle
        expect((yield* demand("candidate", candidate.id)).record.status).toBe("stale")
        expect(yield* openIn(project.id)).toEqual([])
      })
    ))

  it("cancels 20 Changes a message, and deletes nothing before the last of them", () =>
    play(
      Effect.gen(function* () {
        const { project } = yield* lively
        for (let n = 0; n < Limits.changesPerCleanup + 5; n++) yield* opened(project.id, `many-${n}`)
        yield* archive(person, project.id)
        const done: Array<string> = []
        const worker = yield* watched(done)
        yield* Effect.provide(runOne("project.cleanup"), worker)
        expect((yield* openIn(project.id)).length).toBe(6)
        expect(done).toEqual([])
        yield* Effect.provide(runOne("project.cleanup"), worker)
        expect(yield* openIn(project.id)).toEqual([])
        expect(done[0]).toBe("fork")
      })
    ))

  it("leaves a Project alone that is not archived", () =>
    play(
      Effect.gen(function* () {
        const { project, promoted } = yield* lively
        yield* (yield* Ledger).commit({
          name: "test",
          projectId: project.id,
          commands: [{ kind: "project.cleanup", id: "project.cleanup:stray", payload: { projectId: project.id } }]
        })
        yield* settle
        expect(yield* candidateHolds(promoted)).toBe(true)
        expect(yield* hostShows(project.label)).toBe("live")
      })
    ))

  it("deletes 20 forks a message, and the rest in the specified order when none is left", () =>
    play(
      Effect.gen(function* () {
        const scene = yield* lively
        const { project } = scene
        const change = yield* opened(project.id, "many")
        for (let n = 0; n < 40; n++)
          yield* ChangeSets.record(person, { changeId: change.id, message: `${n}`, files: { [`${n}.txt`]: "x" } })
        expect(yield* keptForks(project.id)).toBe(44)
        yield* archive(person, project.id)
        const done: Array<string> = []
        const worker = yield* watched(done)
        for (const left of [24, 4]) {
          yield* Effect.provide(runOne("project.cleanup"), worker)
          expect(yield* keptForks(project.id)).toBe(left)
          expect(yield* holds(project.id, null, scene.promoted.commit ?? "")).toBe(true)
        }
        expect(done).toEqual(Array.from({ length: 2 * Limits.sweepRepositories }, () => "fork"))
        done.length = 0
        yield* Effect.provide(runOne("project.cleanup"), worker)
        expect(done.filter((each, n) => done[n - 1] !== each)).toEqual([
          "fork",
          "canonical",
          "source",
          "context",
          "changesets",
          "work-graphs",
          "data",
          "apps",
          "app-previews",
          "Removal.deleteRows",
          "events",
          "feed",
          "Cleanup.cleaned"
        ])
        expect(yield* runOne("project.cleanup")).toBe(false)
        yield* expectClean(scene)
      })
    ))

  it("may die after any of its deletions, and the next worker ends clean", async () => {
    let deadly = 0
    for (let died = true; died;) {
      deadly++
      await play(
        Effect.gen(function* () {
          const scene = yield* lively
          yield* archive(person, scene.project.id)
          const done: Array<string> = []
          const worker = yield* watched(done, deadly)
          yield* Effect.provideService(
            Effect.provide(runOne("project.cleanup"), worker),
            References.MinimumLogLevel,
            "None"
          )
          died = done.length === deadly
          yield* TestClock.adjust(Limits.commandBackoffMs)
          yield* settle
          yield* expectClean(scene)
        })
      )
    }
    expect(deadly).toBeGreaterThan(12)
  })
})
