import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as Changes from "@pawl/core/change/Changes"
import type { Intent } from "@pawl/core/model/ChangeSet"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { wholeChangeSet } from "@pawl/core/changeset/Listing"
import { Commands } from "@pawl/core/work/Commands"
import { EventLog } from "@pawl/core/event/EventLog"
import { demand } from "@pawl/core/ledger/Decision"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Limits } from "@pawl/core/primitives/Limits"
import { Repositories, TreeTooLarge } from "@pawl/core/project/Repositories"
import * as Promotions from "@pawl/core/promotion/Promotions"
import * as Rollbacks from "@pawl/core/promotion/Rollbacks"
import { projectOf, typesOf } from "../change/ChangeScenes.ts"
import { answers, page, person, settle } from "../kit/MemoryPawl.ts"
import { inWorld, newProject, open, planned, settleAll, taskOf, usage, worked } from "../kit/WorkWorld.ts"

/** Files with paths as long as they may be, of characters that take the most bytes. */
const longest = Array.from({ length: 11 }, () => "語".repeat(84)).join("/")
const filesOf = (count: number, content: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${longest}/${n}.txt`, content]))

/** A Candidate of one edit of its own Change. */
const candidateOf = (projectId: string, name: string, files: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const asked = { projectId, clientRequestId: name, goal: "g", budgetUsd: 1, startPlanning: false }
    const { change } = yield* Changes.open(person, asked)
    yield* ChangeSets.record(person, { changeId: change.id, message: "m", files })
    return (yield* Candidates.request(person, { changeId: change.id })).candidate
  })

const promoted = (id: string) => Effect.andThen(settle, Promotions.promote(person, id))

describe("A ChangeSet", () => {
  it("of as many files, with as long paths, as the limits allow is recorded, and nothing of its list is lost", () =>
    inWorld(() =>
      Effect.gen(function* () {
        const changeId = yield* open((yield* newProject).id, { startPlanning: false })
        const files = filesOf(Limits.changeSetFiles, "a")
        const made = yield* ChangeSets.record(person, { changeId, message: "m", files })
        const kept = (yield* demand("changeSet", made.id)).record
        expect(kept.cut).toMatchObject({ filesTotal: Limits.changeSetFiles, intentsTotal: Limits.changeSetFiles })
        expect(kept.files.length).toBeGreaterThan(0)
        expect(new TextEncoder().encode(JSON.stringify(kept.files)).length).toBeLessThanOrEqual(
          Limits.changeSetListBytes + 2
        )
        const all = yield* wholeChangeSet(kept)
        expect(all).not.toHaveProperty("cut")
        expect(all.files.map((file) => file.path).sort()).toEqual(Object.keys(files).sort())
        expect(all.intents.map((intent) => intent.value)).toEqual(all.files.map((file) => file.path))
      })
    ))

  it("that is short holds its whole list itself, and no object beside it", () =>
    inWorld(() =>
      Effect.gen(function* () {
        const project = yield* newProject
        const changeId = yield* open(project.id, { startPlanning: false })
        const made = yield* ChangeSets.record(person, { changeId, message: "m", files: { "a.txt": "a", "b.txt": "b" } })
        expect(made).not.toHaveProperty("cut")
        expect(made.intents.map((intent) => intent.value)).toEqual(["a.txt", "b.txt"])
        expect(yield* wholeChangeSet(made)).toEqual(made)
        expect(yield* (yield* ObjectStore).list(`changesets/${project.id}/`)).toEqual([])
      })
    ))

  it("of an agent is published however much it writes and declares, and tells how much that is", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const intents = Array.from({ length: Limits.intentsPerChangeSet }, (_, n): Intent => {
          return { kind: "symbol", value: `${longest}#${n}`, mode: "read" }
        })
        const outcome = { edits: filesOf(Limits.changeSetFiles, "a"), message: "much", intents, usage }
        hands.agents.set("a", [() => Effect.succeed({ _tag: "Published", ...outcome })])
        const changeId = yield* worked(hands, [planned("a")])
        expect((yield* taskOf(changeId, "a")).status).toBe("completed")
        const events = yield* (yield* EventLog).read(yield* projectOf(changeId), 0, 500)
        const count = Limits.changeSetFiles + Limits.intentsPerChangeSet
        expect(events.find((event) => event.type === "intent.declared")?.data["count"]).toBe(count)
      })
    ))

  it("is probed for the routes that it declared, although its record has no room for them", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        answers.set("/hours", page(200))
        const read = Array.from({ length: 100 }, (_, n): Intent => {
          return { kind: "symbol", value: `${longest}#${n}`, mode: "read" }
        })
        const intents = [...read, { kind: "route", value: "GET /hours", mode: "write" } as const]
        const outcome = { edits: { "a.txt": "a" }, message: "hours", intents, usage }
        hands.agents.set("a", [() => Effect.succeed({ _tag: "Published", ...outcome })])
        const changeId = yield* worked(hands, [planned("a")])
        const { candidate } = yield* Candidates.request(person, { changeId })
        expect((yield* demand("changeSet", candidate.changeSets[0]!)).record.intents).not.toContainEqual(intents.at(-1))
        const { releaseId } = yield* promoted(candidate.id)
        yield* settle
        const release = (yield* demand("release", releaseId!)).record
        expect([release.status, ...release.probes.map((probe) => probe.path)]).toEqual(["deployed", "/", "/hours"])
      })
    ))
})

describe("Composing", () => {
  it("rejects a Candidate however many paths conflict, naming the first and counting the rest", () =>
    inWorld(() =>
      Effect.gen(function* () {
        const project = yield* newProject
        const one = yield* candidateOf(project.id, "one", filesOf(500, "one"))
        yield* promoted(one.id)
        const { change } = yield* Changes.open(person, {
          projectId: project.id,
          clientRequestId: "two",
          goal: "g",
          budgetUsd: 1,
          startPlanning: false
        })
        const files = filesOf(500, "two")
        yield* ChangeSets.record(person, { changeId: change.id, message: "m", files, baseGeneration: 0 })
        const two = (yield* Candidates.request(person, { changeId: change.id })).candidate
        yield* settleAll
        const rejected = (yield* demand("candidate", two.id)).record
        expect(rejected.status).toBe("rejected")
        expect(rejected.conflicts).toHaveLength(Limits.pathsNamed)
        expect(rejected.reason).toMatch(new RegExp(`^merge conflict in .* and ${500 - Limits.pathsNamed} more$`))
        expect(yield* typesOf(change.id)).toContain("candidate.rejected")
        expect(yield* (yield* Commands).deadLetters(project.id)).toEqual([])
      })
    ))
})

describe("A rollback", () => {
  it("of 8,000 files with long paths goes live, and its whole list can be read", () =>
    inWorld(() =>
      Effect.gen(function* () {
        const project = yield* newProject
        const changeId = yield* open(project.id, { startPlanning: false })
        for (let part = 0; part < 4; part++) {
          const paths = Array.from({ length: 2000 }, (_, n) => `p${part}/${"d".repeat(225)}/${n}.txt`)
          const files = Object.fromEntries(paths.map((path) => [path, "a"]))
          yield* ChangeSets.record(person, { changeId, message: "m", files, baseGeneration: 0 })
        }
        yield* promoted((yield* Candidates.request(person, { changeId })).candidate.id)
        yield* settle
        const back = yield* Rollbacks.request(person, {
          projectId: project.id,
          targetGeneration: 0,
          expectedGeneration: 1
        })
        const own = (yield* demand("changeSet", back.candidate.changeSets[0]!)).record
        expect(own.cut).toMatchObject({ filesTotal: 8000, intentsTotal: 8000 })
        expect((yield* wholeChangeSet(own)).files).toHaveLength(8000)
        const { releaseId } = yield* promoted(back.candidate.id)
        yield* settle
        expect((yield* demand("release", releaseId!)).record.status).toBe("deployed")
      })
    ))

  it("of more than can be compared goes live, and says that its files are not listed", () =>
    inWorld(() =>
      Effect.gen(function* () {
        const project = yield* newProject
        const one = yield* candidateOf(project.id, "one", { "a.txt": "a" })
        yield* promoted(one.id)
        yield* settle
        const repositories = yield* Repositories
        const large = new TreeTooLarge({ limit: "diff bytes", max: 1, actual: 2 })
        yield* Effect.gen(function* () {
          const asked = { projectId: project.id, targetGeneration: 0, expectedGeneration: 1 }
          const { candidate } = yield* Rollbacks.request(person, asked)
          const own = (yield* demand("changeSet", candidate.changeSets[0]!)).record
          expect(own).toMatchObject({ files: [], cut: { filesTotal: null, intentsTotal: null, digest: null } })
          expect(yield* wholeChangeSet(own)).toEqual(own)
          const { releaseId } = yield* promoted(candidate.id)
          yield* settle
          expect((yield* demand("release", releaseId!)).record.status).toBe("deployed")
        }).pipe(Effect.provideService(Repositories, { ...repositories, diff: () => large }))
      })
    ))
})
