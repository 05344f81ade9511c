/** What there is to do about a Candidate whose Change stands in the lane: nothing, but where a person can act. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import * as Candidates from "@pawl/core/candidate/Candidates"
import { pause } from "@pawl/core/lane/LaneControl"
import { enter, leave } from "@pawl/core/lane/LaneEntries"
import { demand } from "@pawl/core/ledger/Decision"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Rollbacks from "@pawl/core/promotion/Rollbacks"
import { why } from "@pawl/core/why/Why"
import { Commands } from "@pawl/core/work/Commands"
import { clean, frozenFor, hour, outcome, racing, worked } from "../kit/LaneScenes.ts"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { askedFor } from "../kit/Scenes.ts"
import { carriedOn, entered, laneProject } from "./LaneScenes.ts"

const broken = { "result.txt": "broken" }

/** The newest Candidate of an entry. */
const candidateIn = (entryId: string) =>
  Effect.map(demand("laneEntry", entryId), ({ record }) => record.candidateId ?? "")

const nextOf = (entryId: string) =>
  Effect.flatMap(candidateIn(entryId), (id) => Effect.map(why(id), ({ next }) => next))

describe("What there is to do about a Candidate in the lane", () => {
  beforeEach(() => {
    answers.clear()
    answers.set("/", page(200))
  })

  it("is nothing while it failed on a prediction; once it has failed standing first it is to be mended", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject()
        const first = yield* entered(projectId, "r1", { "first.txt": "1" })
        const bad = yield* entered(projectId, "r2", broken)
        yield* carriedOn(projectId)
        expect(yield* nextOf(bad.id)).toEqual({
          code: "in_lane",
          state: "doubtful",
          position: 2,
          waits: { for: "ahead", changeId: first.changeId }
        })
        yield* settle
        expect((yield* demand("laneEntry", bad.id)).record.status).toBe("rejected")
        expect(yield* nextOf(bad.id)).toEqual({ code: "checks_failed", checkIds: ["test"] })
      })
    ))

  it("is nothing about an earlier prediction that failed: another took its place", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject()
        yield* entered(projectId, "r1", { "first.txt": "1" })
        const second = yield* entered(projectId, "r2", { "second.txt": "2" })
        const bad = yield* entered(projectId, "r3", broken)
        yield* carriedOn(projectId)
        const failed = yield* candidateIn(bad.id)
        yield* leave(person, second.changeId)
        yield* carriedOn(projectId)
        const candidateId = yield* candidateIn(bad.id)
        expect(candidateId).not.toBe(failed)
        expect((yield* demand("candidate", failed)).record.status).toBe("rejected")
        expect((yield* why(failed)).next).toEqual({ code: "replaced", candidateId })
      })
    ))

  it("is nothing while it cannot be merged with one before it: it is made anew by itself", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject()
        const first = yield* entered(projectId, "r1", { "same.txt": "one" })
        const conflict = yield* entered(projectId, "r2", { "same.txt": "two" })
        yield* carriedOn(projectId)
        const waits = { for: "conflict", changeId: first.changeId, paths: ["same.txt"] }
        expect(yield* nextOf(conflict.id)).toEqual({ code: "in_lane", state: "waiting", position: 2, waits })
        yield* settle
        expect(yield* nextOf(conflict.id)).toMatchObject({ code: "not_composable", conflicts: ["same.txt"] })
      })
    ))

  it("is nothing while one before it is to be decided, and while it lands", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject()
        const first = yield* entered(projectId, "r1", { "first.txt": "1" })
        const second = yield* entered(projectId, "r2", { "second.txt": "2" })
        yield* carriedOn(projectId)
        expect(yield* nextOf(first.id)).toEqual({ code: "in_lane", state: "ready", position: 1, waits: null })
        const waits = { for: "ahead", changeId: first.changeId }
        expect(yield* nextOf(second.id)).toEqual({ code: "in_lane", state: "ready", position: 2, waits })
      })
    ))

  it("is to have the lane go on while it is paused, of all that stand ready", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject()
        const line = yield* Effect.forEach(["a", "b"], (name) => entered(projectId, name, { [name]: name }))
        yield* carriedOn(projectId)
        yield* pause(person, projectId, "a look")
        for (const { id } of line)
          expect(yield* nextOf(id)).toEqual({ code: "lane_paused", projectId, reason: "a look" })
      })
    ))

  it("is nothing until the end of a freeze", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* frozenFor(1)
        yield* racing(projectId, clean(1))
        yield* settle
        const [entry] = (yield* outcome(projectId)).entries
        const waits = { for: "freeze", until: hour(1), reason: "the fair" }
        expect(yield* nextOf(entry!.id)).toEqual({ code: "in_lane", state: "ready", position: 1, waits })
      }).pipe(Effect.provide(TestClock.layer()))
    ))

  it("is nothing while a rollback goes first", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject({ approvalRiskTiers: [] })
        yield* entered(projectId, "landed", { "landed.txt": "1" })
        yield* settle
        const asked = { projectId, targetGeneration: 0, expectedGeneration: 1 }
        const { change } = yield* Rollbacks.request(person, asked)
        const claim = { worker: "t", kinds: ["candidate.create"], limit: 1, leaseMs: Limits.commandLeaseMs } as const
        yield* (yield* Commands).claim(claim)
        const { id } = yield* entered(projectId, "behind", { "behind.txt": "2" })
        yield* settle
        const waits = { for: "rollback", changeId: change.id }
        expect(yield* nextOf(id)).toEqual({ code: "in_lane", state: "ready", position: 1, waits })
      })
    ))

  it("is to decide on one that stands aside for an approval, on whatever it was made", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject({ approvalRiskTiers: ["high"] })
        yield* entered(projectId, "r1", { "first.txt": "1" })
        const owing = yield* entered(projectId, "r2", { "migrations/2.sql": "two" })
        yield* carriedOn(projectId)
        const { record } = yield* demand("candidate", yield* candidateIn(owing.id))
        expect(record.ahead).not.toBeNull()
        expect(yield* nextOf(owing.id)).toEqual({ code: "decide", changeId: owing.changeId, granted: 0, owed: 1 })
      })
    ))

  it("is to have one land that entered by itself and may not go out by itself", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject({ autoPromoteRiskTiers: ["low"], approvalRiskTiers: [] })
        const { changeId, id } = yield* askedFor(projectId, "r1", { "src/a.js": "export default 1" })
        yield* settle
        expect((yield* why(id)).next).toEqual({ code: "land", changeId })
      })
    ))

  it("is nothing about a Candidate that waits for the lane to take it up", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject()
        const changeId = yield* worked(projectId, "r1", { "a.txt": "a" })
        const { candidate } = yield* Candidates.request(person, { changeId })
        yield* settle
        expect((yield* why(candidate.id)).next.code).toBe("promote")
        yield* enter(person, { changeId })
        expect((yield* why(candidate.id)).next).toMatchObject({ code: "in_lane", state: "waiting" })
        yield* leave(person, changeId)
        expect((yield* why(candidate.id)).next.code).toBe("promote")
      })
    ))
})
