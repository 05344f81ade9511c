import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import * as Approvals from "@pawl/core/approval/Approvals"
import * as Policies from "@pawl/core/approval/Policies"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as Cancellation from "@pawl/core/change/Cancellation"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { demand } from "@pawl/core/ledger/Decision"
import { Records } from "@pawl/core/ledger/Records"
import { enter } from "@pawl/core/lane/LaneEntries"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Archival from "@pawl/core/project/Archival"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { clean, laned, laneOn, outcome, racing, worked } from "../kit/LaneScenes.ts"
import { askedFor, every } from "../kit/Scenes.ts"
import { carriedOn, entered, laneProject } from "../why/LaneScenes.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

const landed = "landed landed"

describe("Changes that race with the lane on", () => {
  it("land all 20, with one run of each check and one build for each", () =>
    run(
      Effect.gen(function* () {
        const project = yield* laned
        yield* racing(project.id, clean(20))
        yield* settle
        const { candidates, changes, ends, generation, runs } = yield* outcome(project.id)
        expect([generation, ends]).toEqual([20, Array.from({ length: 20 }, () => landed)])
        expect([runs("test"), runs("build")]).toEqual([20, 20])
        expect(candidates.filter(({ status }) => status === "blocked")).toEqual([])
        expect(new Set(changes.map(({ laneEntryId }) => laneEntryId))).toEqual(new Set([null]))
      })
    ))

  it("land 19 of 20 when the first is bad: that one alone is blamed, and each is checked once", () =>
    run(
      Effect.gen(function* () {
        const project = yield* laned
        yield* racing(project.id, [{ "result.txt": "broken" }, ...clean(19)])
        yield* settle
        const { candidates, ends, entries, generation, runs } = yield* outcome(project.id)
        expect([generation, ends]).toEqual([
          19,
          ["rejected checks_failed", ...Array.from({ length: 19 }, () => landed)]
        ])
        expect(candidates.filter(({ status }) => status === "blocked")).toEqual([])
        expect(entries.filter(({ predictions }) => predictions > 0)).toEqual([])
        expect([runs("test"), runs("build")]).toEqual([20, 20])
      })
    ))

  it("reject who fails on those before it only once it has failed on canonical", () =>
    run(
      Effect.gen(function* () {
        const project = yield* laned
        yield* racing(project.id, [...clean(2), { "result.txt": "broken" }, { "z.txt": "z" }])
        yield* settle
        const { ends, generation } = yield* outcome(project.id)
        expect([generation, ends]).toEqual([3, [landed, landed, "rejected checks_failed", landed]])
      })
    ))

  it("land who comes first of two that write the same lines, and refuse the other by canonical itself", () =>
    run(
      Effect.gen(function* () {
        const project = yield* laned
        yield* racing(project.id, [{ "result.txt": "one" }, { "result.txt": "two" }, { "z.txt": "z" }])
        yield* settle
        const { ends, generation } = yield* outcome(project.id)
        expect([generation, ends]).toEqual([2, [landed, "rejected not_mergeable", landed]])
      })
    ))
})

describe("Who leaves the lane, or is told to wait", () => {
  it("is passed while an approval is owed, and lands when it is granted", () =>
    run(
      Effect.gen(function* () {
        const project = yield* laned
        yield* Policies.change(person, project.id, { ...laneOn, autoPromoteRiskTiers: [], approvalRiskTiers: every })
        const changes = [
          yield* worked(project.id, "a", { "a.txt": "a" }),
          yield* worked(project.id, "b", { "b.txt": "b" })
        ]
        for (const changeId of changes) yield* enter(person, { changeId })
        yield* settle
        const aside = yield* outcome(project.id)
        expect([aside.generation, aside.ends]).toEqual([0, ["aside", "aside"]])
        for (const [n] of changes.entries()) {
          const { candidateId, changeId } = (yield* outcome(project.id)).entries[n]!
          yield* Approvals.decide(person, { changeId, candidateId: candidateId!, decision: "granted" })
          yield* settle
        }
        const { ends, generation } = yield* outcome(project.id)
        expect([generation, ends]).toEqual([2, [landed, landed]])
      })
    ))

  it.each([
    ["on canonical: before those that run", ["owing", "free"], [1, 2]],
    ["on one before it: behind that, before those that came later", ["free", "owing", "later"], [1, 2, 3]]
  ] as const)("lands as the very tree that was approved, where no other may, when it stands %s", (_name, names, ends) =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject({ approvalRiskTiers: ["high"] })
        const pathOf = (name: string) => (name === "owing" ? "migrations/1.sql" : `${name}.txt`)
        const line = yield* Effect.forEach(names, (name) => entered(projectId, name, { [pathOf(name)]: name }))
        yield* carriedOn(projectId)
        const states = yield* Effect.forEach(line, ({ id }) => demand("laneEntry", id))
        expect(states.map(({ record }) => record.status)).toEqual(
          names.map((name) => (name === "owing" ? "aside" : "ready"))
        )
        const { candidateId, changeId } = states[names.indexOf("owing")]!.record
        yield* Approvals.decide(person, { changeId, candidateId: candidateId!, decision: "granted" })
        yield* carriedOn(projectId)
        yield* settle
        const { entries } = yield* outcome(projectId)
        expect(entries.map(({ outcome: end }) => end?.generation)).toEqual(ends)
        expect(entries[names.indexOf("owing")]?.candidateId).toBe(candidateId)
        expect((yield* (yield* Records).list("approval", { projectId, limit: "all" })).items).toHaveLength(1)
      })
    )
  )

  it("has no more than its three Candidates, however often it enters", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject()
        yield* entered(projectId, "before", { "before.txt": "b" })
        const changeId = yield* worked(projectId, "a", { "0.txt": "0" })
        for (let n = 1; n <= Limits.candidatesPerChange; n++) {
          yield* Candidates.request(person, { changeId })
          // The same as was asked for outside the lane is one Candidate with that.
          yield* enter(person, { changeId })
          yield* carriedOn(projectId)
          yield* ChangeSets.record(person, { changeId, message: "more", files: { [`${n}.txt`]: String(n) } })
        }
        expect(yield* Effect.flip(enter(person, { changeId }))).toMatchObject({ _tag: "CandidateLimit", max: 3 })
        const made = (yield* outcome(projectId)).candidates.filter((each) => each.changeId === changeId)
        expect(new Set(made.map(({ lineage }) => lineage)).size).toBe(3)
      })
    ))

  it("takes its Candidate along when its Change is cancelled, and those behind it land without it", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject({ approvalRiskTiers: [] })
        const line = yield* Effect.forEach(["a", "b", "c"], (name) =>
          entered(projectId, name, { [`${name}.txt`]: name })
        )
        yield* carriedOn(projectId)
        const { candidateId } = (yield* demand("laneEntry", line[0]!.id)).record
        yield* Cancellation.cancel(person, line[0]!.changeId)
        expect((yield* demand("candidate", candidateId ?? "")).record.status).toBe("rejected")
        yield* settle
        const { ends, entries, generation } = yield* outcome(projectId)
        expect([generation, ends]).toEqual([2, ["left change_cancelled", landed, landed]])
        expect(entries.map(({ predictions }) => predictions)).toEqual([0, 1, 1])
      })
    ))

  it("leaves when the lane is turned off, and goes on as if there had been none", () =>
    run(
      Effect.gen(function* () {
        const project = yield* laned
        yield* Policies.change(person, project.id, { ...laneOn, autoPromoteRiskTiers: [] })
        for (const name of ["a", "b"])
          yield* enter(person, { changeId: yield* worked(project.id, name, { [`${name}.txt`]: name }) })
        yield* Policies.change(person, project.id, { lane: { mode: "off" } })
        yield* settle
        const { changes, ends } = yield* outcome(project.id)
        expect(ends).toEqual(["left lane_off", "left lane_off"])
        expect(changes.map(({ laneEntryId }) => laneEntryId)).toEqual([null, null])
      })
    ))

  it("leaves with new work, and may enter anew with that", () =>
    run(
      Effect.gen(function* () {
        const project = yield* laned
        yield* Policies.change(person, project.id, { ...laneOn, autoPromoteRiskTiers: [] })
        const changeId = yield* worked(project.id, "a", { "a.txt": "a" })
        yield* enter(person, { changeId })
        yield* ChangeSets.record(person, { changeId, message: "more", files: { "b.txt": "b" } })
        yield* settle
        expect((yield* outcome(project.id)).ends).toEqual(["left new_work"])
        yield* enter(person, { changeId })
        yield* settle
        const { entries, ends, generation } = yield* outcome(project.id)
        expect([generation, ends, entries[1]?.changeSets.length]).toEqual([1, ["left new_work", landed], 2])
      })
    ))

  it("leaves an archived Project", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject()
        for (const name of ["a", "b"]) yield* entered(projectId, name, { [`${name}.txt`]: name })
        yield* carriedOn(projectId)
        yield* Archival.archive(person, projectId)
        yield* settle
        const { changes, ends, generation } = yield* outcome(projectId)
        expect([generation, ends]).toEqual([0, ["left archived", "left archived"]])
        expect(changes.map(({ laneEntryId }) => laneEntryId)).toEqual([null, null])
      })
    ))

  it("is made anew on canonical when a person promotes past it, and is not blocked however often that is", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject({ approvalRiskTiers: [] })
        const { changeId, id } = yield* entered(projectId, "a", { "a.txt": "a" })
        yield* carriedOn(projectId)
        const times = Limits.recompositions + 1
        for (let n = 1; n <= times; n++) {
          const past = yield* askedFor(projectId, `past-${n}`, { [`past-${n}.txt`]: "past" })
          yield* carriedOn(projectId)
          const before = (yield* demand("laneEntry", id)).record
          expect([before.status, before.predictions]).toEqual(["ready", n - 1])
          yield* Promotions.promote(person, past.id)
          yield* carriedOn(projectId)
          expect((yield* demand("candidate", before.candidateId ?? "")).record.status).toBe("stale")
          const { candidateId, predictions } = (yield* demand("laneEntry", id)).record
          // Each time it lost to canonical, which is charged: in the lane no more than may be.
          expect((yield* demand("candidate", candidateId ?? "")).record).toMatchObject({
            status: "verified",
            ahead: null,
            baseGeneration: n,
            recomposition: Math.min(n, Limits.recompositions)
          })
          expect(predictions).toBe(n)
        }
        yield* settle
        const { ends, generation } = yield* outcome(projectId)
        expect([generation, ends]).toEqual([times + 1, [landed]])
        expect((yield* demand("change", changeId)).record.laneEntryId).toBeNull()
      })
    ))

  it("is not looked at by anybody who asks for another Candidate of its Change", () =>
    run(
      Effect.gen(function* () {
        const project = yield* laned
        yield* Policies.change(person, project.id, { lane: { mode: "on" }, approvalRiskTiers: [] })
        const changeId = yield* worked(project.id, "a", { "a.txt": "a" })
        const { candidate } = yield* Candidates.request(person, { changeId })
        yield* settle
        expect((yield* demand("candidate", candidate.id)).record.status).toBe("verified")
        expect((yield* outcome(project.id)).ends).toEqual([])
      })
    ))
})
