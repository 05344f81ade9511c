/** Who leaves the lane without a verdict: what was composed or predicted for it goes on outside, and nothing waits for ever. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import * as Policies from "@pawl/core/approval/Policies"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { EventLog } from "@pawl/core/event/EventLog"
import { enter, leave } from "@pawl/core/lane/LaneEntries"
import { demand } from "@pawl/core/ledger/Decision"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { clean, frozenFor, hour, laneOn, outcome, racing, unplanned } from "../kit/LaneScenes.ts"
import { inWorld, newProject, open, planned, type Script, usage } from "../kit/WorkWorld.ts"

const landed = "landed landed"
const off = { ...laneOn, lane: { mode: "off" as const } }

const play = (story: Parameters<typeof run>[0]) => run(Effect.provide(story, TestClock.layer()))

/** Auto Changes in a freeze of an hour. With a depth, those behind wait, and their Candidates are composed by nobody. */
const frozen = (count: number, depth: number) =>
  Effect.gen(function* () {
    const projectId = yield* frozenFor(1, { lane: { mode: "on", depth } })
    const changes = yield* racing(projectId, clean(count))
    yield* settle
    return { projectId, changes, last: changes.at(-1)! }
  })

const thaw = Effect.andThen(TestClock.adjust("1 hour"), settle)

const candidatesOf = (projectId: string, changeId: string) =>
  Effect.map(outcome(projectId), ({ candidates }) => candidates.filter((each) => each.changeId === changeId))

const statusesOf = (projectId: string, changeId: string) =>
  Effect.map(candidatesOf(projectId, changeId), (found) => found.map(({ status }) => status))

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

describe("A Candidate whose entry leaves", () => {
  it("goes on outside the lane when that is turned off: what was ready, what was predicted and what waited", () =>
    play(
      Effect.gen(function* () {
        const { last, projectId } = yield* frozen(3, 2)
        const before = yield* outcome(projectId)
        expect(before.ends).toEqual(["ready", "ready", "waiting"])
        expect(yield* statusesOf(projectId, last)).toEqual(["composing"])
        yield* Policies.change(person, projectId, off)
        yield* settle
        const { candidates, ends, generation } = yield* outcome(projectId)
        expect(ends).toEqual(["left lane_off", "left lane_off", "left lane_off"])
        expect(generation).toBe(3)
        expect(candidates.filter(({ status }) => status !== "promoted" && status !== "stale")).toEqual([])
      })
    ))

  it("is verified when a person takes its Change out while it waits, and goes out only when somebody says so", () =>
    play(
      Effect.gen(function* () {
        const { last, projectId } = yield* frozen(2, 1)
        expect(yield* statusesOf(projectId, last)).toEqual(["composing"])
        yield* leave(person, last)
        yield* settle
        expect(yield* statusesOf(projectId, last)).toEqual(["verified"])
        yield* thaw
        expect((yield* outcome(projectId)).ends).toEqual([landed, "left withdrawn"])
        expect(yield* statusesOf(projectId, last)).toEqual(["stale", "verified"])
        yield* enter(person, { changeId: last })
        yield* settle
        const { ends, generation } = yield* outcome(projectId)
        expect([generation, ends]).toEqual([2, [landed, "left withdrawn", landed]])
      })
    ))

  it("is verified when new work takes its Change out, and lands with that and not without it", () =>
    play(
      Effect.gen(function* () {
        const { last, projectId } = yield* frozen(2, 1)
        yield* ChangeSets.record(person, { changeId: last, message: "more", files: { "more.txt": "more" } })
        yield* settle
        expect(yield* statusesOf(projectId, last)).toEqual(["verified"])
        expect((yield* outcome(projectId)).ends).toEqual(["ready", "left new_work"])
        yield* Candidates.request(person, { changeId: last })
        yield* settle
        yield* thaw
        const { ends, entries, generation } = yield* outcome(projectId)
        expect([generation, ends]).toEqual([2, [landed, "left new_work", landed]])
        expect(entries.at(-1)?.changeSets).toHaveLength(2)
      })
    ))

  it("is stale when it was made on others, and made anew on canonical", () =>
    play(
      Effect.gen(function* () {
        const { last, projectId } = yield* frozen(2, 2)
        yield* leave(person, last)
        expect(yield* statusesOf(projectId, last)).toContain("stale")
        yield* settle
        const newest = (yield* candidatesOf(projectId, last)).at(-1)
        expect([newest?.status, newest?.ahead, newest?.recomposition]).toEqual(["verified", null, 0])
      })
    ))
})

const writes =
  (text: string): Script =>
  () =>
    Effect.succeed({ _tag: "Published", edits: { "result.txt": text }, message: "m", intents: [], usage })

/** A planned Change that failed on the one before it, which may not land yet. */
const doubtful = Effect.gen(function* () {
  const { id: projectId } = yield* newProject
  const freezes = [{ from: hour(0), until: hour(1), reason: "the fair" }]
  yield* Policies.change(person, projectId, { ...laneOn, freezes })
  yield* enter(person, { changeId: yield* unplanned(projectId, "first", { "src/first.txt": "first" }) })
  yield* settle
  const changeId = yield* open(projectId)
  yield* settle
  expect((yield* outcome(projectId)).ends).toEqual(["ready", "doubtful"])
  return { projectId, changeId }
})

const told = (projectId: string, type: string) =>
  Effect.gen(function* () {
    const events = yield* (yield* EventLog).read(projectId, 0, 500)
    return events.filter((each) => each.type === type).length
  })

describe("A planned Change that leaves in doubt", () => {
  it("is made anew on canonical when the lane is turned off, and is mended when it fails there too", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        hands.plan = () => Effect.succeed([planned("a")])
        hands.agents.set("a", [writes("broken")])
        hands.agents.set("repair-1", [writes("mended")])
        const { changeId, projectId } = yield* doubtful
        yield* Policies.change(person, projectId, off)
        yield* settle
        expect(yield* told(projectId, "task.repair_planned")).toBe(1)
        expect((yield* demand("change", changeId)).record.status).toBe("completed")
        // The one before it is made anew on that, and goes out as the Policy says.
        expect((yield* outcome(projectId)).generation).toBe(2)
      })
    ))

  it("is so when a person takes it out, and what was mended enters by itself", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        hands.plan = () => Effect.succeed([planned("a")])
        hands.agents.set("a", [writes("broken")])
        hands.agents.set("repair-1", [writes("mended")])
        const { changeId, projectId } = yield* doubtful
        yield* leave(person, changeId)
        yield* settle
        expect(yield* told(projectId, "task.repair_planned")).toBe(1)
        expect((yield* outcome(projectId)).ends).toEqual(["ready", "left withdrawn", "ready"])
      })
    ))
})
