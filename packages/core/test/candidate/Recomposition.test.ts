import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import * as Approvals from "@pawl/core/approval/Approvals"
import * as Policies from "@pawl/core/approval/Policies"
import * as Candidates from "@pawl/core/candidate/Candidates"
import { recompose } from "@pawl/core/candidate/Recomposition"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import * as Cancellation from "@pawl/core/change/Cancellation"
import { evidenceOf } from "@pawl/core/verification/CandidateEvidence"
import { demand } from "@pawl/core/ledger/Decision"
import { Records } from "@pawl/core/ledger/Records"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { advance, askedFor, candidateOf, every, newestOf, newProject } from "../kit/Scenes.ts"

const all = (changeId: string) =>
  Effect.flatMap(Records, (records) =>
    Effect.map(records.list("candidate", { where: { changeId }, limit: "all" }), (found) =>
      found.items.map((each) => each.record)
    )
  )

describe("A stale Candidate", () => {
  beforeEach(() => {
    answers.clear()
    answers.set("/", page(200))
  })

  it("is replaced by the same ChangeSets on the new base, really merged and checked in full, after another's promotion", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        const one = yield* candidateOf(project.id, "r1", { "a.txt": "a" })
        const two = yield* candidateOf(project.id, "r2", { "b.txt": "b" })
        yield* Promotions.promote(person, one.id)
        yield* settle
        const again = yield* newestOf(two.id)
        expect((yield* demand("candidate", two.id)).record.status).toBe("stale")
        expect(again).toMatchObject({
          status: "verified",
          recomposition: 1,
          baseGeneration: 1,
          baseTree: one.tree,
          changeSets: two.changeSets,
          changeId: two.changeId
        })
        expect((yield* evidenceOf(again!.id)).map((row) => `${row.checkId} ${row.result}`).toSorted()).toEqual([
          "build pass",
          "test pass"
        ])
        expect((yield* Promotions.promote(person, again!.id)).generation).toBe(2)
        yield* settle
        for (const { changeId } of [one, two])
          expect((yield* demand("change", changeId)).record.status).toBe("completed")
      })
    ))

  it("is replaced when its swap is refused, at once and once", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        const one = yield* candidateOf(project.id, "r1", { "a.txt": "a" })
        const two = yield* candidateOf(project.id, "r2", { "b.txt": "b" })
        yield* Promotions.promote(person, one.id)
        expect(yield* Effect.flip(Promotions.promote(person, two.id))).toMatchObject({ _tag: "Stale" })
        expect(yield* Effect.flip(Promotions.promote(person, two.id))).toMatchObject({ _tag: "Stale" })
        yield* settle
        yield* Effect.all([recompose(two.id), recompose(two.id)], { concurrency: 2 })
        expect((yield* all(two.changeId)).map((each) => each.recomposition)).toEqual([0, 1])
      })
    ))

  it("is replaced when its verification finds the base behind", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        const one = yield* candidateOf(project.id, "r1", { "a.txt": "a" })
        const two = yield* askedFor(project.id, "r2", { "b.txt": "b" })
        yield* Promotions.promote(person, one.id)
        yield* settle
        expect((yield* all(two.changeId)).map((each) => [each.status, each.recomposition])).toEqual([
          ["stale", 0],
          ["verified", 1]
        ])
      })
    ))

  it("is replaced twice at most; then its lineage is blocked, and the Change can still ask for another", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        const candidate = yield* candidateOf(project.id, "r1", { "a.txt": "a" })
        for (let round = 0; round <= Limits.recompositions; round++) {
          yield* advance(project.id)
          yield* settle
        }
        expect((yield* all(candidate.changeId)).map((each) => [each.status, each.recomposition])).toEqual([
          ["stale", 0],
          ["stale", 1],
          ["blocked", 2]
        ])
        const { candidate: asked } = yield* Candidates.request(person, { changeId: candidate.changeId })
        expect(asked).toMatchObject({ recomposition: 0, lineage: asked.id })
      })
    ))

  it("does not count its replacements against the 3 Candidates of a Change", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        const candidate = yield* candidateOf(project.id, "r1", { "a.txt": "a" })
        for (let round = 0; round < Limits.recompositions; round++) {
          yield* advance(project.id)
          yield* settle
        }
        const made = yield* all(candidate.changeId)
        expect(made.filter((each) => each.recomposition === 0).length).toBe(1)
        expect(made.length).toBe(3)
        expect((yield* Candidates.request(person, { changeId: candidate.changeId })).candidate.id).toBe(made[2]!.id)
      })
    ))

  it("rejects the replacement whose merge conflicts on the new base, with the paths", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        const one = yield* candidateOf(project.id, "r1", { "result.txt": "fine one" })
        const two = yield* candidateOf(project.id, "r2", { "result.txt": "fine two" })
        yield* Promotions.promote(person, one.id)
        yield* settle
        expect(yield* newestOf(two.id)).toMatchObject({
          status: "rejected",
          recomposition: 1,
          conflicts: ["result.txt"]
        })
      })
    ))

  it("owes its approval anew: a decision binds to the exact composed tree", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        yield* Policies.change(person, project.id, { approvalRiskTiers: every })
        const one = yield* candidateOf(project.id, "r1", { "a.txt": "a" })
        const two = yield* candidateOf(project.id, "r2", { "b.txt": "b" })
        for (const { changeId, id } of [one, two])
          yield* Approvals.decide(person, { changeId, candidateId: id, decision: "granted" })
        yield* Promotions.promote(person, one.id)
        yield* settle
        const again = yield* newestOf(two.id)
        const refused = yield* Effect.flip(Promotions.promote(person, again!.id))
        expect((refused as Promotions.Blocked).blocks.map((block) => block.code)).toEqual(["approval_missing"])
        expect((yield* demand("change", two.changeId)).record.status).toBe("awaiting_approval")
      })
    ))

  it("is not replaced when another Candidate of its own Change was promoted", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        const one = yield* candidateOf(project.id, "r1", { "a.txt": "a" })
        yield* ChangeSets.record(person, { changeId: one.changeId, message: "more", files: { "b.txt": "b" } })
        const { candidate: two } = yield* Candidates.request(person, { changeId: one.changeId })
        yield* settle
        yield* Promotions.promote(person, one.id)
        yield* settle
        expect((yield* all(one.changeId)).map((each) => [each.id, each.status])).toEqual([
          [one.id, "promoted"],
          [two.id, "stale"]
        ])
      })
    ))

  it("is not replaced when its Change was cancelled", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        const one = yield* candidateOf(project.id, "r1", { "a.txt": "a" })
        const two = yield* candidateOf(project.id, "r2", { "b.txt": "b" })
        yield* Promotions.promote(person, one.id)
        yield* Effect.flip(Promotions.promote(person, two.id))
        yield* Cancellation.cancel(person, two.changeId)
        yield* settle
        expect((yield* all(two.changeId)).length).toBe(1)
      })
    ))
})
