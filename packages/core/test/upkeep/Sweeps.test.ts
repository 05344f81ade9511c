import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { AppData } from "@pawl/core/app/AppData"
import { requestApp } from "@pawl/core/app/Apps"
import * as Approvals from "@pawl/core/approval/Approvals"
import { previewChannel } from "@pawl/core/app/Previews"
import type { Candidate } from "@pawl/core/model/Candidate"
import { cancel } from "@pawl/core/change/Cancellation"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { EventLog } from "@pawl/core/event/EventLog"
import * as Commit from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Limits } from "@pawl/core/primitives/Limits"
import { candidateFork } from "@pawl/core/primitives/Ids"
import { Settings } from "@pawl/core/primitives/Settings"
import { readDefinitions } from "@pawl/core/project/Source"
import { Repositories, RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import * as Promotions from "@pawl/core/promotion/Promotions"
import type { TaskRun } from "@pawl/core/model/Task"
import { injectFailure, injectedPath } from "@pawl/core/release/Injection"
import { answers, page, person, settle } from "../kit/MemoryPawl.ts"
import { candidateOf, newProject, opened } from "../kit/Scenes.ts"
import { after, candidateHolds, hostShows, keysUnder, play, pointersOf, runOne } from "../kit/UpkeepScenes.ts"

let count = 0
const send = (kind: "forks.sweep" | "retention.sweep") =>
  Effect.flatMap(Ledger, (ledger) =>
    ledger.commit({ name: "test", projectId: null, commands: [{ kind, id: `${kind}:${++count}`, payload: {} }] })
  )
/** A whole sweep, with all of its messages. */
const sweep = (kind: "forks.sweep" | "retention.sweep") => Effect.andThen(send(kind), settle)

const inDevelopment = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Settings, (settings) =>
    Effect.provideService(program, Settings, { ...settings, environment: "development" })
  )

const candidateNow = ({ id }: Pick<Candidate, "id">) => Effect.map(demand("candidate", id), ({ record }) => record)
const runsOf = (changeId: string) =>
  Effect.flatMap(Records, (records) =>
    Effect.map(records.list("taskRun", { where: { changeId } }), (page) => page.items.map((each) => each.record))
  )

/** A promoted Candidate, one that went stale by it, a rejected one, and one that still waits to ship. */
const scene = Effect.gen(function* () {
  const project = yield* newProject()
  const stale = yield* candidateOf(project.id, "stale", { "result.txt": "fine again" })
  const promoted = yield* candidateOf(project.id, "promoted", { "result.txt": "good" })
  yield* Promotions.promote(person, promoted.id)
  yield* settle
  const rejected = yield* candidateOf(project.id, "rejected", { "result.txt": "broken" })
  const open = yield* candidateOf(project.id, "open", { "b.txt": "b" })
  const all = { stale, promoted, rejected, open }
  const statuses = yield* Effect.forEach(Object.values(all), (each) =>
    Effect.map(candidateNow(each), ({ status }) => status)
  )
  if (statuses.join() !== "stale,promoted,rejected,verified") throw new Error(`they are ${statuses.join()}`)
  return { project, ...all }
})

describe("The sweep of forks", () => {
  it("keeps every fork for 30 days after completion, then deletes those that nothing needs", () =>
    play(
      Effect.gen(function* () {
        const { stale, promoted, rejected, open } = yield* scene
        const all = [stale, promoted, rejected, open]
        yield* after(29)
        yield* sweep("forks.sweep")
        for (const each of all) expect(yield* candidateHolds(each)).toBe(true)
        yield* after(2)
        yield* sweep("forks.sweep")
        expect(yield* Effect.forEach(all, candidateHolds)).toEqual([false, false, false, true])
        expect((yield* candidateNow(promoted)).forkDeletedAt).not.toBe(null)
        expect((yield* candidateNow(open)).forkDeletedAt).toBe(null)
        // The promoted Change has ended; the others are still being worked on.
        expect((yield* runsOf(promoted.changeId)).every((run) => run.forkDeletedAt !== null)).toBe(true)
        expect((yield* runsOf(open.changeId)).every((run) => run.forkDeletedAt === null)).toBe(true)
      })
    ))

  it("keeps them for 7 days in development", () =>
    play(
      inDevelopment(
        Effect.gen(function* () {
          const { stale, rejected, open } = yield* scene
          yield* after(6)
          yield* sweep("forks.sweep")
          expect(yield* candidateHolds(rejected)).toBe(true)
          yield* after(2)
          yield* sweep("forks.sweep")
          expect(yield* Effect.forEach([stale, rejected, open], candidateHolds)).toEqual([false, false, true])
        })
      )
    ))

  it("keeps a promoted Candidate's fork until canonical main holds its commit", () =>
    play(
      Effect.gen(function* () {
        const project = yield* newProject()
        const candidate = yield* candidateOf(project.id, "r", { "a.txt": "a" })
        const repositories = yield* Repositories
        const stuck = {
          ...repositories,
          advance: () => new RepositoriesUnavailable({ operation: "advance", reason: "disk full" })
        }
        const promoted = yield* Effect.provideService(Promotions.promote(person, candidate.id), Repositories, stuck)
        expect(promoted.sourceSynced).toBe(false)
        yield* Effect.provideService(after(40), Repositories, stuck)
        yield* Effect.provideService(sweep("forks.sweep"), Repositories, stuck)
        expect(yield* candidateHolds(candidate)).toBe(true)
        expect((yield* Promotions.promote(person, candidate.id)).sourceSynced).toBe(true)
        yield* sweep("forks.sweep")
        expect(yield* candidateHolds(candidate)).toBe(false)
      })
    ))

  it("does not believe the record alone: where canonical lacks the commit, the fork stays", () =>
    play(
      Effect.gen(function* () {
        const { promoted } = yield* scene
        const repositories = yield* Repositories
        const seen = (yield* demand("generation", `${promoted.projectId}/1`)).record
        const other = { commit: seen.commit, tree: "0".repeat(40) }
        const wrong: typeof repositories = {
          ...repositories,
          resolve: (ref, commit) =>
            ref.fork === undefined && commit === seen.commit ? Effect.succeed(other) : repositories.resolve(ref, commit)
        }
        yield* after(31)
        yield* Effect.provideService(sweep("forks.sweep"), Repositories, wrong)
        expect(yield* candidateHolds(promoted)).toBe(true)
      })
    ))

  it("leaves a release all of its probes: a failure is injected into it, and a missing source is no source", () =>
    play(
      Effect.gen(function* () {
        for (const path of ["/hello", "/hours"]) answers.set(path, page(200))
        answers.set(injectedPath, page(404))
        const project = yield* newProject()
        const candidate = yield* candidateOf(project.id, "r", {
          "pawl.json": JSON.stringify({ probes: [{ path: "/hello" }] }),
          "src/hours.js": 'export const hours = (path) => path === "/hours"'
        })
        const { changeId, id: candidateId } = candidate
        yield* Approvals.decide(person, { changeId, candidateId, decision: "granted" })
        const { releaseId } = yield* Promotions.promote(person, candidateId)
        yield* settle
        const probes = (yield* demand("release", releaseId ?? "")).record.probes.map((each) => each.path)
        expect(probes).toEqual(["/hello", "/hours"])
        yield* after(31)
        yield* sweep("forks.sweep")
        expect(yield* candidateHolds(candidate)).toBe(false)
        // Nothing can be told from a tree that is not there.
        const fork = { project: project.id, fork: candidateFork(candidate.id) }
        expect(yield* Effect.flip(readDefinitions(fork, candidate.tree ?? ""))).toMatchObject({
          _tag: "ObjectNotFound"
        })
        const settings = yield* Settings
        const { release } = yield* injectFailure(person, project.id).pipe(
          Effect.provideService(Settings, { ...settings, fixturesEnabled: true })
        )
        expect(release.probes.map((each) => each.path)).toEqual([...probes, injectedPath])
      })
    ))

  it("deletes the workspaces of failed runs, of runs without a ChangeSet, and of a cancelled Change", () =>
    play(
      Effect.gen(function* () {
        const project = yield* newProject()
        const change = yield* opened(project.id, "r")
        yield* ChangeSets.record(person, { changeId: change.id, message: "kept", files: { "a.txt": "a" } })
        const [kept] = yield* runsOf(change.id)
        if (kept === undefined) throw new Error("no run")
        const made = (attempt: number, fields: Partial<TaskRun>) => {
          const id = `${kept.id.slice(0, -1)}${attempt}` as TaskRun["id"]
          return Commit.insert("taskRun", { ...kept, id, attempt, workspaceFork: `ws-${id}`, ...fields })
        }
        yield* (yield* Ledger).commit({
          name: "test",
          projectId: project.id,
          writes: [made(2, { outcome: "failed" }), made(3, {}), made(4, { outcome: null, endedAt: null })]
        })
        const deleted = Effect.map(runsOf(change.id), (runs) => runs.map((run) => run.forkDeletedAt !== null))
        yield* after(31)
        yield* sweep("forks.sweep")
        expect(yield* deleted).toEqual([false, true, true, false])
        yield* cancel(person, change.id)
        yield* sweep("forks.sweep")
        expect(yield* deleted).toEqual([false, true, true, false])
        yield* after(31)
        yield* sweep("forks.sweep")
        expect(yield* deleted).toEqual([true, true, true, true])
      })
    ))

  it("deletes at most 20 a message, goes on while more remain, and does nothing when it is repeated", () =>
    play(
      Effect.gen(function* () {
        const project = yield* newProject()
        const change = yield* opened(project.id, "many")
        for (let n = 0; n < 50; n++)
          yield* ChangeSets.record(person, { changeId: change.id, message: `${n}`, files: { [`${n}.txt`]: "x" } })
        yield* cancel(person, change.id)
        yield* after(31)
        const repositories = yield* Repositories
        let removals = 0
        const counted = {
          ...repositories,
          remove: (ref: Parameters<typeof repositories.remove>[0]) => {
            removals++
            return repositories.remove(ref)
          }
        }
        yield* send("forks.sweep")
        const messages: Array<number> = []
        while (yield* Effect.provideService(runOne("forks.sweep"), Repositories, counted)) {
          messages.push(removals)
          removals = 0
        }
        expect(Math.max(...messages)).toBe(Limits.sweepRepositories)
        expect(messages.reduce((sum, each) => sum + each, 0)).toBe(50)
        yield* Effect.provideService(sweep("forks.sweep"), Repositories, counted)
        expect(removals).toBe(0)
      })
    ))

  it("leaves a fork that cannot be deleted for another day, and not the others", () =>
    play(
      Effect.gen(function* () {
        const { stale, promoted, rejected } = yield* scene
        const repositories = yield* Repositories
        const broken: typeof repositories = {
          ...repositories,
          remove: (ref) =>
            ref.fork === `cand-${stale.id}`
              ? new RepositoriesUnavailable({ operation: "remove", reason: "EACCES" })
              : repositories.remove(ref)
        }
        yield* after(31)
        yield* Effect.provideService(sweep("forks.sweep"), Repositories, broken)
        expect(yield* Effect.forEach([stale, promoted, rejected], candidateHolds)).toEqual([true, false, false])
        yield* sweep("forks.sweep")
        expect(yield* candidateHolds(stale)).toBe(false)
      })
    ))
})

describe("The sweep of what expires", () => {
  it("deletes previews of 7 days with their rows, data and bundles, and never a version or production", () =>
    play(
      Effect.gen(function* () {
        const { project, open } = yield* scene
        const data = yield* AppData
        const store = { project: project.id, channel: previewChannel(open) }
        yield* data.put(store, "key", "value")
        yield* after(6)
        yield* sweep("retention.sweep")
        expect(yield* hostShows(project.label, previewChannel(open))).toBe("live")
        yield* after(2)
        yield* sweep("retention.sweep")
        expect(yield* hostShows(project.label, previewChannel(open))).toBe("none")
        expect(yield* data.get(store, "key")).toBe(null)
        expect(yield* keysUnder("app-previews/")).toEqual([])
        expect((yield* pointersOf(project.id)).map((row) => row.channel).toSorted()).toEqual([
          "preview:v0000000",
          "preview:v0000001",
          "production"
        ])
        yield* after(400)
        yield* sweep("retention.sweep")
        expect(yield* hostShows(project.label)).toBe("live")
        expect((yield* keysUnder(`apps/${project.id}/`)).filter((key) => key.endsWith("bundle.json"))).toHaveLength(2)
      })
    ))

  it("still promotes a Candidate whose preview is gone: its bundle is built again, with the verified digest", () =>
    play(
      Effect.gen(function* () {
        const { open } = yield* scene
        yield* after(8)
        yield* sweep("retention.sweep")
        const promoted = yield* Promotions.promote(person, open.id)
        yield* settle
        expect((yield* demand("release", promoted.releaseId ?? "")).record).toMatchObject({
          status: "deployed",
          bundleSource: "build"
        })
      })
    ))

  it("deletes temporary objects of 7 days, seeds too, a thousand at a look", () =>
    play(
      Effect.gen(function* () {
        const project = yield* newProject()
        const objects = yield* ObjectStore
        for (let n = 0; n < 2100; n++) yield* objects.put(`tmp/many/${n}`, new Uint8Array())
        expect(yield* keysUnder("tmp/seed/")).toEqual([`tmp/seed/${project.id}.json`])
        yield* after(8)
        yield* objects.put("tmp/young", new Uint8Array())
        yield* sweep("retention.sweep")
        expect(yield* keysUnder("tmp/")).toEqual(["tmp/young"])
      })
    ))

  it("leaves no bundle that looks complete and is not, when its parts are of different ages", () =>
    play(
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        yield* objects.put("app-previews/p/c/assets/a.css", new Uint8Array())
        yield* after(5)
        yield* objects.put("app-previews/p/c/bundle.json", new Uint8Array())
        yield* after(3)
        yield* sweep("retention.sweep")
        expect(yield* keysUnder("app-previews/")).toEqual([])
      })
    ))

  it("keeps evidence for ever in production, and 30 days in development", () =>
    play(
      Effect.gen(function* () {
        yield* scene
        const before = yield* keysUnder("evidence/")
        expect(before.length).toBeGreaterThan(0)
        yield* after(1000)
        yield* sweep("retention.sweep")
        expect(yield* keysUnder("evidence/")).toEqual(before)
        yield* inDevelopment(sweep("retention.sweep"))
        expect(yield* keysUnder("evidence/")).toEqual([])
      })
    ))

  it("keeps events for 365 days in production, and 30 in development", () =>
    play(
      Effect.gen(function* () {
        const { project } = yield* scene
        const log = yield* EventLog
        yield* after(31)
        yield* sweep("retention.sweep")
        expect((yield* log.read(project.id, 0, 1))[0]?.sequence).toBe(1)
        yield* inDevelopment(sweep("retention.sweep"))
        expect(yield* Effect.flip(log.read(project.id, 0, 1))).toMatchObject({ _tag: "EventsExpired" })
      })
    ))

  it("goes on after a redeploy as before: what is live stays live", () =>
    play(
      Effect.gen(function* () {
        const { project } = yield* scene
        yield* requestApp(project.id)
        yield* settle
        yield* after(60)
        yield* sweep("forks.sweep")
        yield* sweep("retention.sweep")
        yield* requestApp(project.id)
        yield* settle
        expect(yield* hostShows(project.label)).toBe("live")
      })
    ))
})
