/** What the lane ordered, and what people do before it comes to the swap. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import * as Policies from "@pawl/core/approval/Policies"
import * as Candidates from "@pawl/core/candidate/Candidates"
import { pause, resume } from "@pawl/core/lane/LaneControl"
import { enter, leave } from "@pawl/core/lane/LaneEntries"
import { demand } from "@pawl/core/ledger/Decision"
import { generationKey } from "@pawl/core/model/Entities"
import * as Rollbacks from "@pawl/core/promotion/Rollbacks"
import { Commands } from "@pawl/core/work/Commands"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { clean, frozenFor, hour, laned, laneOn, outcome, racing, unplanned, worked } from "../kit/LaneScenes.ts"
import { joined, memberId } from "../kit/Scenes.ts"
import { inWorld, newProject } from "../kit/WorkWorld.ts"

const play = (story: Parameters<typeof run>[0]) => run(Effect.provide(story, TestClock.layer()))

const thaw = Effect.andThen(TestClock.adjust("1 hour"), settle)
const generation = (projectId: string) => Effect.map(outcome(projectId), (found) => found.generation)
const promotedAs = (projectId: string, n: number) =>
  Effect.map(demand("generation", generationKey(projectId, n)), ({ record }) => record)
const first = (projectId: string) => promotedAs(projectId, 1)
const byHand = { autoPromoteRiskTiers: [] }

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

describe("What the lane ordered in a freeze", () => {
  it("does not land at the thaw when the lane was paused meanwhile, but when it is resumed", () =>
    play(
      Effect.gen(function* () {
        const projectId = yield* frozenFor(1)
        yield* racing(projectId, clean(2))
        yield* settle
        yield* pause(person, projectId, "a look")
        yield* thaw
        expect([yield* generation(projectId), (yield* outcome(projectId)).ends]).toEqual([0, ["ready", "ready"]])
        yield* resume(person, projectId)
        yield* settle
        expect(yield* generation(projectId)).toBe(2)
      })
    ))

  it("does not land when its Change was taken out, and those behind it do", () =>
    play(
      Effect.gen(function* () {
        const projectId = yield* frozenFor(1)
        const [changeId] = yield* racing(projectId, clean(2))
        yield* settle
        yield* leave(person, changeId!)
        yield* thaw
        expect((yield* outcome(projectId)).ends).toEqual(["left withdrawn", "landed landed"])
        expect((yield* first(projectId)).changeId).not.toBe(changeId)
      })
    ))

  it("lets a rollback before it that was asked for meanwhile, and lands after that", () =>
    play(
      Effect.gen(function* () {
        const { id: projectId } = yield* laned
        yield* racing(projectId, clean(1))
        yield* settle
        const lane = { mode: "on", holdAfterRollback: false } as const
        const freezes = [{ from: hour(0), until: hour(1), reason: "the fair" }]
        yield* Policies.change(person, projectId, { ...laneOn, lane, freezes })
        const changeId = yield* worked(projectId, "second", { "b.txt": "b" })
        yield* Candidates.request(person, { changeId })
        yield* settle
        const back = { projectId, targetGeneration: 0, expectedGeneration: 1 }
        const { change } = yield* Rollbacks.request(person, back)
        yield* thaw
        expect([yield* generation(projectId), (yield* outcome(projectId)).ends]).toEqual([
          3,
          ["landed landed", "landed landed"]
        ])
        expect((yield* promotedAs(projectId, 2)).changeId).toBe(change.id)
        expect((yield* promotedAs(projectId, 3)).changeId).toBe(changeId)
      })
    ))

  it("lands in the name of who entered it anew, and by their exception", () =>
    play(
      Effect.gen(function* () {
        const projectId = yield* frozenFor(1, byHand)
        const other = yield* joined(projectId, 2)
        const changeId = yield* worked(projectId, "a", { "a.txt": "a" })
        yield* enter(person, { changeId })
        yield* settle
        yield* leave(person, changeId)
        yield* enter(other, { changeId })
        yield* settle
        expect(yield* generation(projectId)).toBe(0)
        const freezes = [{ from: hour(0), until: hour(1), reason: "the fair", except: [memberId(2)] }]
        yield* Policies.change(person, projectId, { ...laneOn, ...byHand, freezes })
        yield* settle
        expect(yield* first(projectId)).toMatchObject({ actor: other, trigger: "user" })
        yield* thaw
        expect([yield* generation(projectId), (yield* outcome(projectId)).ends]).toEqual([
          1,
          ["left withdrawn", "landed landed"]
        ])
      })
    ))

  it("lands for who asked, when the Policy had it enter first", () =>
    play(
      Effect.gen(function* () {
        const projectId = yield* frozenFor(1)
        const [changeId] = yield* racing(projectId, clean(1))
        yield* settle
        yield* enter(person, { changeId: changeId! })
        yield* thaw
        expect(yield* first(projectId)).toMatchObject({ actor: person, trigger: "user" })
      })
    ))
})

describe("A landing that has begun", () => {
  it("ends without a swap when the lane is paused before that, and begins anew when it is resumed", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const { id: projectId } = yield* newProject
        yield* Policies.change(person, projectId, { ...laneOn, ...byHand })
        const changeId = yield* unplanned(projectId, "a", { "src/a.txt": "a" })
        yield* enter(person, { changeId })
        hands.before.set("Promotions.swap", pause(person, projectId, "a look"))
        yield* settle
        expect([yield* generation(projectId), (yield* outcome(projectId)).ends]).toEqual([0, ["ready"]])
        expect((yield* demand("change", changeId)).record.status).toBe("verifying")
        yield* resume(person, projectId)
        yield* settle
        expect(yield* generation(projectId)).toBe(1)
      })
    ))

  it("ends without a swap when its Change is taken out before that", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const { id: projectId } = yield* newProject
        yield* Policies.change(person, projectId, { ...laneOn, ...byHand })
        const changeId = yield* unplanned(projectId, "a", { "src/a.txt": "a" })
        yield* enter(person, { changeId })
        hands.before.set("Promotions.swap", leave(person, changeId))
        yield* settle
        expect([yield* generation(projectId), (yield* outcome(projectId)).ends]).toEqual([0, ["left withdrawn"]])
        const { record } = yield* demand("change", changeId)
        expect([record.status, record.promotingCandidateId]).toEqual(["verifying", null])
        expect(yield* (yield* Commands).deadLetters(projectId, {})).toEqual([])
      })
    ))
})
