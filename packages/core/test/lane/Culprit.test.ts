/** For whom predictions fall: what happened to another Change, and to which. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import * as Policies from "@pawl/core/approval/Policies"
import { culpritOf } from "@pawl/core/lane/Culprit"
import { enter, move } from "@pawl/core/lane/LaneEntries"
import { demand } from "@pawl/core/ledger/Decision"
import { candidateFork } from "@pawl/core/primitives/Ids"
import { Repositories } from "@pawl/core/project/Repositories"
import * as Promotions from "@pawl/core/promotion/Promotions"
import * as Rollbacks from "@pawl/core/promotion/Rollbacks"
import { laneWhy } from "@pawl/core/why/WhyLane"
import { clean, frozenFor, outcome, racing, worked } from "../kit/LaneScenes.ts"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { askedFor } from "../kit/Scenes.ts"
import { carriedOn, entered, laneProject } from "../why/LaneScenes.ts"

const owing = { lane: { mode: "on", depth: 20 }, approvalRiskTiers: ["high"] } as const

/** For whom the newest prediction of an entry fell that came to nothing. */
const fellFor = (entryId: string) =>
  Effect.map(laneWhy(entryId), (why) => {
    const fell = why?.predictions.at(-1)?.fell
    return fell === undefined ? null : [fell.code, fell.changeId]
  })

/** Two that stand ready one behind the other, and a way for that to end. */
const two = (files: Record<string, string> = { "first.txt": "1" }) =>
  Effect.gen(function* () {
    const projectId = yield* laneProject({ approvalRiskTiers: [] })
    yield* entered(projectId, "landed", { "landed.txt": "1" })
    yield* settle
    const first = yield* entered(projectId, "first", files)
    const second = yield* entered(projectId, "second", { "second.txt": "2" })
    yield* carriedOn(projectId)
    return { projectId, first, second }
  })

describe("A prediction falls", () => {
  beforeEach(() => {
    answers.clear()
    answers.set("/", page(200))
  })

  it("for who is let before it, also when it stands on one that fell for them", () =>
    run(
      Effect.gen(function* () {
        const { first, projectId, second } = yield* two()
        const changeId = yield* worked(projectId, "urgent", { "urgent.txt": "1" })
        yield* enter(person, { changeId, priority: "urgent", interrupt: true })
        yield* carriedOn(projectId)
        expect(yield* fellFor(first.id)).toEqual(["overtaken", changeId])
        expect(yield* fellFor(second.id)).toEqual(["overtaken", changeId])
      })
    ))

  it("for the one that it was made on, when that is put behind it", () =>
    run(
      Effect.gen(function* () {
        const { first, projectId, second } = yield* two()
        yield* move(person, second.id, first.id)
        yield* carriedOn(projectId)
        expect(yield* fellFor(second.id)).toEqual(["moved", first.changeId])
        expect(yield* fellFor(first.id)).toEqual(["overtaken", second.changeId])
      })
    ))

  it("for what a person promotes past the line", () =>
    run(
      Effect.gen(function* () {
        const { first, projectId, second } = yield* two()
        const { changeId, id } = yield* askedFor(projectId, "past", { "past.txt": "1" })
        yield* carriedOn(projectId)
        yield* Promotions.promote(person, id)
        yield* carriedOn(projectId)
        expect(yield* fellFor(first.id)).toEqual(["promoted_past", changeId])
        expect(yield* fellFor(second.id)).toEqual(["promoted_past", changeId])
      })
    ))

  it("for a rollback that became canonical", () =>
    run(
      Effect.gen(function* () {
        const { first, projectId, second } = yield* two()
        const asked = { projectId, targetGeneration: 0, expectedGeneration: 1 }
        const { candidate, change } = yield* Rollbacks.request(person, asked)
        yield* carriedOn(projectId)
        yield* Promotions.promote(person, candidate.id)
        yield* carriedOn(projectId)
        expect(yield* fellFor(first.id)).toEqual(["rolled_back", change.id])
        expect(yield* fellFor(second.id)).toEqual(["rolled_back", change.id])
      })
    ))

  it("for one that comes to owe an approval", () =>
    run(
      Effect.gen(function* () {
        const { first, projectId, second } = yield* two({ "migrations/1.sql": "1" })
        yield* Policies.change(person, projectId, owing)
        yield* carriedOn(projectId)
        expect(yield* fellFor(second.id)).toEqual(["aside", first.changeId])
      })
    ))

  it("for one whose commit is gone: that one's, and those behind it", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* frozenFor(1)
        yield* racing(projectId, clean(2))
        yield* settle
        const [first, second] = (yield* outcome(projectId)).entries
        yield* (yield* Repositories).remove({ project: first!.projectId, fork: candidateFork(first!.candidateId!) })
        yield* TestClock.adjust("1 hour")
        yield* settle
        for (const { candidateId } of [first!, second!]) {
          const { fell } = (yield* demand("candidate", candidateId!)).record
          expect([fell?.code, fell?.changeId]).toEqual(["gone", first!.changeId])
        }
      }).pipe(Effect.provide(TestClock.layer()))
    ))

  it("for one of which a check failed that runs once more, by how it ended, and for nobody when nobody did anything", () =>
    run(
      Effect.gen(function* () {
        const { first, second } = yield* two()
        const rowsOf = Effect.fnUntraced(function* (entryId: string) {
          const entry = yield* demand("laneEntry", entryId)
          const change = yield* demand("change", entry.record.changeId)
          return { entry, change, candidate: yield* demand("candidate", entry.record.candidateId!) }
        })
        const [ahead, own] = [yield* rowsOf(first.id), yield* rowsOf(second.id)]
        const head = yield* demand("head", first.projectId)
        const culprit = (fields: object, retried = false, of = own) => {
          const entry = { ...ahead.entry, record: { ...ahead.entry.record, ...fields } }
          const entries = new Map([{ ...ahead, entry }, own].map((each) => [each.entry.record.id, each]))
          const reading = { line: [{ entry: entry.record, retried }] }
          // Only what is read here.
          return culpritOf({ entries, head, reading } as never, of, { counts: true })
        }
        const of = { changeId: first.changeId, candidateId: ahead.candidate.record.id }
        expect(yield* culprit({}, true)).toEqual({ ...of, code: "retried" })
        for (const [code, fell] of [
          ["approval_rejected", "refused"],
          ["checks_could_not_run", "failed"],
          ["not_mergeable", "failed"],
          ["change_closed", "promoted_past"]
        ])
          expect(yield* culprit({ status: "left", outcome: { code } })).toEqual({ ...of, code: fell })
        expect(yield* culprit({ candidateId: "cand_another" })).toEqual({ ...of, code: "anew" })
        expect(yield* culprit({}, false, ahead)).toBeNull()
      })
    ))
})
