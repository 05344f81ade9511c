/** What `land` does of a Change: what it has land, and where, for one that waits already too. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { EventLog } from "@pawl/core/event/EventLog"
import { enter, type EntryRequest } from "@pawl/core/lane/LaneEntries"
import { laneView } from "@pawl/core/lane/LaneView"
import { demand } from "@pawl/core/ledger/Decision"
import { Records } from "@pawl/core/ledger/Records"
import { Repositories } from "@pawl/core/project/Repositories"
import { clean, frozenFor, outcome, racing, worked } from "../kit/LaneScenes.ts"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { joined } from "../kit/Scenes.ts"
import { entered, laneProject } from "../why/LaneScenes.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

const play = async (story: Parameters<typeof run>[0]): Promise<void> => {
  await run(Effect.provide(story, TestClock.layer()))
}

const eventsOf = (projectId: string, type: string) =>
  Effect.gen(function* () {
    const events = yield* (yield* EventLog).read(projectId, 0, 500)
    return events.filter((each) => each.type === type)
  })

/** The open entries by their Changes, in the order of the line. */
const line = (projectId: string) =>
  Effect.map(laneView(projectId), ({ entries }) => entries.map(({ changeId }) => changeId))

const entryOf = (changeId: string) =>
  Effect.gen(function* () {
    const { laneEntryId } = (yield* demand("change", changeId)).record
    return (yield* demand("laneEntry", laneEntryId ?? "")).record
  })

/** Six that entered by themselves, of which the first two are predicted. */
const own = Effect.gen(function* () {
  const projectId = yield* frozenFor(1, { lane: { mode: "on", depth: 2 } })
  const changes = yield* racing(projectId, clean(6))
  yield* settle
  return { projectId, changes: changes as unknown as readonly [string, string, string, string, string, string] }
})

describe("A Change that entered by itself and is told to land", () => {
  it("goes before those that wait when that is urgent, and is the asker's", () =>
    play(
      Effect.gen(function* () {
        const { changes, projectId } = yield* own
        const [a, b, c, d, e, f] = changes
        const { created, entry } = yield* enter(person, { changeId: e, priority: "urgent" })
        expect(created).toBe(false)
        expect(entry).toMatchObject({ priority: "urgent", trigger: "user", enteredBy: person, ticket: 5 })
        expect(yield* line(projectId)).toEqual([a, b, e, c, d, f])
        const passed = yield* Effect.forEach(changes, entryOf)
        expect(passed.map(({ passedBy }) => passedBy)).toEqual([0, 0, 1, 1, 0, 0])
        const told = yield* eventsOf(projectId, "lane.reordered")
        expect(told.map(({ data, subject }) => [subject, data])).toEqual([
          [entry.id, { changeId: e, passed: 2, priority: "urgent" }]
        ])
        yield* TestClock.adjust("1 hour")
        yield* settle
        const { entries } = yield* outcome(projectId)
        expect(entries.map(({ outcome: end }) => end?.generation)).toEqual([1, 2, 4, 5, 3, 6])
      })
    ))

  it("goes in front of all when it interrupts, and is never put back", () =>
    play(
      Effect.gen(function* () {
        const { changes, projectId } = yield* own
        const [a, b, c, d, e, f] = changes
        yield* enter(person, { changeId: d, interrupt: true })
        expect(yield* line(projectId)).toEqual([d, a, b, c, e, f])
        yield* enter(person, { changeId: b, priority: "urgent" })
        expect(yield* line(projectId)).toEqual([d, a, b, c, e, f])
        expect((yield* entryOf(b)).priority).toBe("urgent")
        expect(yield* eventsOf(projectId, "lane.reordered")).toHaveLength(1)
      })
    ))

  it.each<readonly [string, Omit<EntryRequest, "changeId">]>([
    ["without a priority", {}],
    ["as urgent once more", { priority: "urgent" }]
  ])("stays as it is when it is told so again %s, also by another person", (_how, more) =>
    play(
      Effect.gen(function* () {
        const { changes, projectId } = yield* own
        const first = yield* enter(person, { changeId: changes[4], priority: "urgent" })
        const before = yield* demand("lane", projectId)
        const again = yield* enter(yield* joined(projectId, 7), { changeId: changes[4], ...more })
        expect(again).toEqual({ entry: first.entry, created: false })
        expect(yield* demand("lane", projectId)).toEqual(before)
      })
    )
  )
})

/** A Change of two ChangeSets. */
const twofold = (projectId: string) =>
  Effect.gen(function* () {
    const changeId = yield* worked(projectId, "one", { "one.txt": "one" })
    yield* ChangeSets.record(person, { changeId, message: "two", files: { "two.txt": "two" } })
    const { items } = yield* (yield* Records).list("changeSet", { where: { changeId }, limit: "all" })
    return { changeId, sets: items.map(({ record }) => record.id) }
  })

describe("A Change that is told to land by a Candidate", () => {
  it("lands what that is composed of, and no more", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject()
        const { changeId, sets } = yield* twofold(projectId)
        const { candidate } = yield* Candidates.request(person, { changeId, changeSetIds: sets.slice(0, 1) })
        const ahead = yield* entered(projectId, "ahead", { "ahead.txt": "ahead" })
        const { entry } = yield* enter(person, { changeId, candidateId: candidate.id })
        expect(entry).toMatchObject({ changeSets: sets.slice(0, 1), candidateId: candidate.id })
        yield* settle
        const { entries, generation } = yield* outcome(projectId)
        expect([generation, entries.map(({ status }) => status)]).toEqual([2, ["landed", "landed"]])
        const head = (yield* demand("head", projectId)).record
        const files = yield* (yield* Repositories).files({ project: projectId }, head.tree)
        expect([...files.keys()].filter((path) => ["ahead.txt", "one.txt", "two.txt"].includes(path))).toEqual([
          "ahead.txt",
          "one.txt"
        ])
        expect(ahead.changeId).not.toBe(changeId)
      })
    ))

  it("is unknown by that of another Change, and does not enter", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject()
        const one = yield* worked(projectId, "one", { "one.txt": "one" })
        const other = yield* worked(projectId, "other", { "other.txt": "other" })
        const { candidate } = yield* Candidates.request(person, { changeId: other })
        expect(yield* Effect.flip(enter(person, { changeId: one, candidateId: candidate.id }))).toMatchObject({
          _tag: "Unknown",
          kind: "candidate",
          id: candidate.id
        })
        expect((yield* outcome(projectId)).entries).toEqual([])
      })
    ))
})
