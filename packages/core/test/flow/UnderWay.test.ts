import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { requestApp } from "@pawl/core/app/Apps"
import { remove } from "@pawl/core/app/Removal"
import * as Approvals from "@pawl/core/approval/Approvals"
import * as Policies from "@pawl/core/approval/Policies"
import * as Candidates from "@pawl/core/candidate/Candidates"
import { markStale } from "@pawl/core/candidate/Staleness"
import * as Changes from "@pawl/core/change/Changes"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { Commands } from "@pawl/core/work/Commands"
import * as DeadLetters from "@pawl/core/worker/DeadLetters"
import { evidenceOf } from "@pawl/core/verification/CandidateEvidence"
import { demand } from "@pawl/core/ledger/Decision"
import { Repositories } from "@pawl/core/project/Repositories"
import * as Audits from "@pawl/core/audit/Audits"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { persons } from "../change/ChangeScenes.ts"
import { person, settle } from "../kit/MemoryPawl.ts"
import { candidateOf, every, joined } from "../kit/Scenes.ts"
import { inWorld, newProject, open, settleAll, turn } from "../kit/WorkWorld.ts"

const opened = (projectId: string, request: string) =>
  Effect.map(
    Changes.open(person, { projectId, clientRequestId: request, goal: "g", budgetUsd: 1, startPlanning: false }),
    ({ change }) => change.id
  )
const edit = (changeId: string, path: string) =>
  ChangeSets.record(person, { changeId, message: "m", files: { [path]: path } })
const asked = (changeId: string) => Effect.map(Candidates.request(person, { changeId }), ({ candidate }) => candidate)

describe("A promotion under way", () => {
  it("goes through although a person rejects another Candidate of the Change meanwhile", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const project = yield* newProject
        yield* Policies.change(person, project.id, { approvalRiskTiers: every })
        const changeId = yield* open(project.id, { startPlanning: false })
        yield* edit(changeId, "a.txt")
        const other = yield* asked(changeId)
        yield* edit(changeId, "b.txt")
        const candidate = yield* asked(changeId)
        yield* settle
        yield* Approvals.decide(person, { changeId, candidateId: candidate.id, decision: "granted" })
        const rejected = Approvals.decide(person, { changeId, candidateId: other.id, decision: "rejected" })
        hands.before.set("Promotions.swap", rejected)
        expect(yield* Promotions.promote(person, candidate.id)).toMatchObject({ outcome: "promoted" })
      })
    ))

  it("goes through although an older Candidate of the Change becomes stale meanwhile", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const project = yield* newProject
        const changeId = yield* opened(project.id, "r1")
        yield* edit(changeId, "a.txt")
        const older = yield* asked(changeId)
        yield* turn("candidate.create")
        const rival = yield* opened(project.id, "r2")
        yield* edit(rival, "o.txt")
        const first = yield* asked(rival)
        yield* turn("candidate.create")
        yield* Promotions.promote(person, first.id)
        yield* Policies.change(person, project.id, { autoPromoteRiskTiers: ["low", "medium"] })
        yield* edit(changeId, "b.txt")
        const candidate = yield* asked(changeId)
        yield* turn("candidate.create")
        expect((yield* demand("candidate", older.id)).record.status).toBe("verified")
        hands.before.set("Promotions.swap", markStale(older.id))
        yield* turn("candidate.promote")
        yield* settleAll
        expect((yield* demand("candidate", candidate.id)).record.status).toBe("promoted")
      })
    ))
})

describe("What was verified", () => {
  it("does not go out on its author's approval under a Policy that forbids it, until another approves", () =>
    inWorld(() =>
      Effect.gen(function* () {
        const project = yield* newProject
        yield* Policies.change(person, project.id, { approvalRiskTiers: every })
        const { candidateId, changeId } = yield* persons(project.id)
        yield* Approvals.decide(person, { changeId, candidateId, decision: "granted" })
        yield* Policies.change(person, project.id, { approvalRiskTiers: every, allowSelfApproval: false })
        yield* Candidates.request(person, { changeId })
        yield* settle
        const refused = yield* Effect.flip(Promotions.promote(person, candidateId))
        expect((refused as Promotions.Blocked).blocks.map(({ code }) => code)).toEqual(["approval_missing"])
        const another = yield* joined(project.id, 2)
        const given = yield* Approvals.decide(another, { changeId, candidateId, decision: "granted" })
        expect(given.approver).toBe(another.id)
        yield* Promotions.promote(person, candidateId)
        yield* settleAll
        expect((yield* Audits.run(project.id)).findings).toEqual([])
      })
    ))

  it("is what goes live: an app that came back after the plan must build first", () =>
    inWorld(() =>
      Effect.gen(function* () {
        const project = yield* newProject
        yield* remove(person, project.id)
        yield* settleAll
        const { candidateId, changeId } = yield* persons(project.id)
        yield* requestApp(project.id)
        yield* settleAll
        const refused = yield* Effect.flip(Promotions.promote(person, candidateId))
        expect((refused as Promotions.Blocked).blocks.map(({ code }) => code)).toEqual(["check_gap"])
        yield* Candidates.request(person, { changeId })
        yield* settleAll
        expect((yield* evidenceOf(candidateId)).map(({ checkId, result }) => [checkId, result])).toContainEqual([
          "build",
          "pass"
        ])
        yield* Promotions.promote(person, candidateId)
        yield* settleAll
        expect((yield* demand("pointer", `${project.id}/production`)).record.generation).toBe(1)
      })
    ))

  it("is not promoted on a waiver whose date has passed", () =>
    inWorld(() =>
      Effect.gen(function* () {
        const project = yield* newProject
        const until = "1970-01-02T00:00:00.000Z"
        yield* Policies.change(person, project.id, { waivedChecks: [{ id: "test", reason: "r", until }] })
        const candidate = yield* candidateOf(project.id, "r1", { "result.txt": "broken" })
        expect(candidate.status).toBe("verified")
        yield* TestClock.adjust("20 days")
        const refused = yield* Effect.flip(Promotions.promote(person, candidate.id))
        expect((refused as Promotions.Blocked).blocks.map(({ code }) => code)).toEqual(["check_gap"])
      })
    ))

  it("was planned under the Policy in force at the gate, also when that changes during the last check", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const project = yield* newProject
        const auto = { autoPromoteRiskTiers: ["low", "medium"] } as const
        yield* Policies.change(person, project.id, auto)
        hands.before.set("Verification.gate", Policies.change(person, project.id, auto))
        const { candidateId } = yield* persons(project.id)
        yield* settle
        yield* settleAll
        const { plan, status } = (yield* demand("candidate", candidateId)).record
        expect({ status, planned: plan?.policyVersion }).toEqual({ status: "promoted", planned: 3 })
      })
    ))
})

describe("A dead letter that is dismissed", () => {
  it("leaves a Candidate that can be asked for again", () =>
    inWorld(() =>
      Effect.gen(function* () {
        const project = yield* newProject
        const changeId = yield* opened(project.id, "r1")
        yield* edit(changeId, "a.txt")
        yield* asked(changeId)
        const away = { ...(yield* Repositories), merge: () => Effect.die(new Error("it broke")) }
        for (let turns = 0; turns < 6; turns++) {
          yield* turn("candidate.create").pipe(Effect.provideService(Repositories, away))
          yield* TestClock.adjust("6 minutes")
        }
        const [letter] = yield* (yield* Commands).deadLetters(project.id)
        expect(letter?.kind).toBe("candidate.create")
        yield* DeadLetters.dismiss(person, letter!.id)
        const again = yield* Candidates.request(person, { changeId, retry: true })
        yield* settleAll
        expect((yield* demand("candidate", again.candidate.id)).record).toMatchObject({
          status: "verified",
          attempt: 2
        })
      })
    ))

  it("leaves no Change promoting for ever", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const project = yield* newProject
        const { candidateId, changeId } = yield* persons(project.id)
        hands.broken.add("Promotions.swap")
        yield* Effect.result(Promotions.promote(person, candidateId))
        for (let turns = 0; turns < 6; turns++) {
          yield* TestClock.adjust("6 minutes")
          yield* turn("candidate.promote")
        }
        const [letter] = yield* (yield* Commands).deadLetters(project.id)
        expect(letter?.kind).toBe("candidate.promote")
        expect((yield* demand("change", changeId)).record.status).toBe("promoting")
        yield* DeadLetters.dismiss(person, letter!.id)
        hands.broken.clear()
        expect((yield* demand("change", changeId)).record.status).toBe("verifying")
        expect(yield* Promotions.promote(person, candidateId)).toMatchObject({ outcome: "promoted" })
      })
    ))

  it("is not needed for a promotion under another Policy to be refused and the Change to go back", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const project = yield* newProject
        const { candidateId, changeId } = yield* persons(project.id)
        hands.broken.add("Promotions.swap")
        yield* Effect.result(Promotions.promote(person, candidateId))
        hands.broken.clear()
        yield* Policies.change(person, project.id, { approvalRiskTiers: [] })
        expect(yield* Effect.flip(Promotions.promote(person, candidateId))).toMatchObject({ _tag: "Blocked" })
        expect((yield* demand("change", changeId)).record.status).toBe("verifying")
      })
    ))
})
