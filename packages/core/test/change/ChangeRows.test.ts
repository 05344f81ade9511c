import { Effect } from "effect"
import { expect } from "vitest"
import * as Approvals from "@pawl/core/approval/Approvals"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as Budget from "@pawl/core/change/Budget"
import * as Cancellation from "@pawl/core/change/Cancellation"
import { ChangeLifecycle } from "@pawl/core/model/ChangeLifecycle"
import { objectKey } from "@pawl/core/change/WorkGraph"
import { Commands } from "@pawl/core/work/Commands"
import { demand } from "@pawl/core/ledger/Decision"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Settings } from "@pawl/core/primitives/Settings"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { answers, page, person, settle } from "../kit/MemoryPawl.ts"
import { candidatesOf, early, owing, persons, projectOf, refused, tasksOf, typesOf } from "./ChangeScenes.ts"
import { eachRow, ends, newProject, open, planned, settleAll, statusOfChange, turn, worked } from "../kit/WorkWorld.ts"

eachRow(ChangeLifecycle, "change", {
  "created × planningStarted → compiling: planning begins after the Change was answered": (hands) =>
    Effect.gen(function* () {
      const project = yield* newProject
      let asked = 0
      hands.plan = () => Effect.sync(() => (asked++, [planned("a")]))
      const changeId = yield* open(project.id)
      expect([yield* statusOfChange(changeId), asked]).toEqual(["created", 0])
      yield* settle
      expect(asked).toBe(1)
    }),

  "created × personWorked → running: a Change opened without planning begins with a person's first ChangeSet": (
    hands
  ) =>
    Effect.gen(function* () {
      const { changeId } = yield* persons((yield* newProject).id)
      expect(yield* statusOfChange(changeId)).toBe("verifying")
      expect(yield* typesOf(changeId)).toEqual([
        "changeset.proposed",
        "task.completed",
        "verification.started",
        "candidate.composed",
        "candidate.verified"
      ])
      expect(hands.jobs).toEqual([])
    }),

  "compiling × workGraphStored → running: the graph is stored, and each ready Task is woken once": (hands) =>
    Effect.gen(function* () {
      const project = yield* newProject
      const tasks = [planned("b", ["a"]), planned("a"), planned("r", [], { kind: "research" })]
      hands.plan = () => Effect.succeed(tasks)
      const changeId = yield* open(project.id)
      yield* turn("change.dispatch")
      expect(yield* tasksOf(changeId)).toEqual(["a ready", "b pending", "r ready"])
      expect(yield* typesOf(changeId)).toEqual([
        "change.compiled",
        "task.created",
        "task.created",
        "task.created",
        "task.ready",
        "task.ready"
      ])
      const stored = yield* (yield* ObjectStore).get(objectKey(project.id, changeId))
      expect(JSON.parse(new TextDecoder().decode(stored))).toEqual({
        version: 1,
        changeId,
        baseGeneration: 0,
        tasks: [tasks[1], tasks[0], tasks[2]]
      })
    }),

  "compiling × plannerFailed → failed: a graph that cannot be worked fails the Change, naming every problem": (hands) =>
    Effect.gen(function* () {
      const changeId = yield* worked(hands, [planned("a", ["b"]), planned("b", ["a"]), planned("c", ["d"])])
      const { record } = yield* demand("change", changeId)
      expect(record).toMatchObject({
        status: "failed",
        reason: 'the plan cannot be used: c depends on "d", which is no Task; these wait for each other: a, b'
      })
      expect(yield* typesOf(changeId)).toEqual(["change.failed"])
      expect(yield* tasksOf(changeId)).toEqual([])
    }),

  "running × lastTaskCompleted → verifying: the last Task starts the verification, and the Change asks for its Candidate by itself":
    (hands) =>
      Effect.gen(function* () {
        const changeId = yield* worked(hands, [planned("z"), planned("b", ["z"]), planned("a", ["z"])])
        const candidates = yield* candidatesOf(changeId)
        expect(candidates).toMatchObject([
          { status: "verified", changeSets: ["z", "b", "a"].map((key) => `cs_run_tsk_${changeId}_${key}_1`) }
        ])
        expect((yield* typesOf(changeId)).filter((type) => type === "verification.started").length).toBe(1)
      }),

  "running × budgetStopped → budget_blocked: a run that its budget stops stops the Change; agents at work end theirs": (
    hands
  ) =>
    Effect.gen(function* () {
      hands.agents.set("b", [ends("Stopped", "the budget is spent")])
      const changeId = yield* worked(hands, [planned("b"), planned("a"), planned("d", ["a"])])
      expect((yield* demand("change", changeId)).record).toMatchObject({
        status: "budget_blocked",
        reason: "budget_exhausted: the budget is spent"
      })
      // Nothing new is begun.
      expect(hands.jobs.map((job) => job.task.key)).toEqual(["b"])
    }),

  "budget_blocked × budgetRaised → running: raising the budget takes up what it stopped, to the end": (hands) =>
    Effect.gen(function* () {
      hands.agents.set("b", [ends("Stopped")])
      const changeId = yield* worked(hands, [planned("b"), planned("a"), planned("d", ["a", "b"])])
      expect(yield* Effect.flip(Budget.raise(person, changeId, 0.5))).toMatchObject({
        _tag: "BudgetCannotDecrease"
      })
      yield* Budget.raise(person, changeId, 1)
      expect(yield* statusOfChange(changeId)).toBe("budget_blocked")
      yield* Budget.raise(person, changeId, 1.5)
      expect((yield* demand("change", changeId)).record).toMatchObject({ status: "running", reason: null })
      const woken = yield* (yield* Commands).claim({ worker: "w", kinds: ["agent.wake"], limit: 10, leaseMs: 1000 })
      // The one that was stopped, and the one whose wake came while nothing could begin.
      expect(woken.map(({ command }) => command.payload["taskId"])).toEqual(
        expect.arrayContaining([`tsk_${changeId}_a`, `tsk_${changeId}_b`])
      )
      yield* settleAll
      expect(yield* tasksOf(changeId)).toEqual(["b completed", "a completed", "d completed"])
      expect(yield* statusOfChange(changeId)).toBe("verifying")
    }),

  "verifying × approvalNeeded → awaiting_approval: a verified Candidate that needs an approval asks for it": () =>
    Effect.gen(function* () {
      const { changeId } = yield* owing
      expect((yield* typesOf(changeId)).at(-1)).toBe("approval.requested")
    }),

  "awaiting_approval × noVerifiedCandidate → verifying: a rejection leaves no verified Candidate, and the Change goes on":
    () =>
      Effect.gen(function* () {
        const { candidateId, changeId } = yield* owing
        yield* Approvals.decide(person, { changeId, candidateId, decision: "rejected" })
        expect(yield* statusOfChange(changeId)).toBe("verifying")
      }),

  "verifying × promotionRequested → promoting: a person promotes a verified Candidate": () =>
    Effect.gen(function* () {
      const { candidateId } = yield* persons((yield* newProject).id)
      expect((yield* Promotions.promote(person, candidateId)).outcome).toBe("promoted")
    }),

  "awaiting_approval × promotionRequested → promoting: a person promotes an approved Candidate": () =>
    Effect.gen(function* () {
      const { candidateId, changeId } = yield* owing
      yield* Approvals.decide(person, { changeId, candidateId, decision: "granted" })
      expect((yield* Promotions.promote(person, candidateId)).outcome).toBe("promoted")
    }),

  "running × promotionRequested → promoting: a Candidate is promoted before the graph is completed, and open Tasks end with the Change":
    (hands) =>
      Effect.gen(function* () {
        const { candidateId, changeId } = yield* early(hands, "Failed")
        expect(yield* statusOfChange(changeId)).toBe("running")
        yield* Promotions.promote(person, candidateId)
        yield* settleAll
        expect(yield* statusOfChange(changeId)).toBe("completed")
        expect(yield* tasksOf(changeId)).toEqual(["a completed", "b failed", "c cancelled"])
      }),

  "budget_blocked × promotionRequested → promoting: a Candidate is promoted although the budget stopped the rest": (
    hands
  ) =>
    Effect.gen(function* () {
      hands.agents.set("b", [ends("Stopped")])
      const changeId = yield* worked(hands, [planned("a"), planned("b")])
      const { candidate } = yield* Candidates.request(person, { changeId })
      yield* settle
      expect(yield* statusOfChange(changeId)).toBe("budget_blocked")
      yield* Promotions.promote(person, candidate.id)
      yield* settleAll
      expect(yield* tasksOf(changeId)).toEqual(["a completed", "b cancelled"])
    }),

  "promoting × swapRefused → verifying: a refused swap leads back to verifying": (hands) =>
    Effect.gen(function* () {
      const project = yield* newProject
      const { candidateId, changeId } = yield* persons(project.id)
      yield* refused(hands, project.id, candidateId)
      expect(yield* statusOfChange(changeId)).toBe("verifying")
    }),

  "promoting × swapRefused → awaiting_approval: a refused swap leads back to the approval that was awaited": (hands) =>
    Effect.gen(function* () {
      const { candidateId, changeId, projectId } = yield* owing
      yield* Approvals.decide(person, { changeId, candidateId, decision: "granted" })
      yield* refused(hands, projectId, candidateId)
      expect(yield* statusOfChange(changeId)).toBe("awaiting_approval")
    }),

  "promoting × swapRefused → running: a refused swap leads back to running": (hands) =>
    Effect.gen(function* () {
      const { candidateId, changeId } = yield* early(hands, "Failed")
      yield* refused(hands, yield* projectOf(changeId), candidateId)
      expect(yield* statusOfChange(changeId)).toBe("running")
    }),

  "promoting × swapRefused → budget_blocked: a refused swap leads back to the budget's stop": (hands) =>
    Effect.gen(function* () {
      const { candidateId, changeId } = yield* early(hands, "Stopped")
      yield* refused(hands, yield* projectOf(changeId), candidateId)
      expect(yield* statusOfChange(changeId)).toBe("budget_blocked")
    }),

  "promoting × swapWonWithRelease → releasing: where there is an app, a won swap begins its release": (hands) =>
    Effect.gen(function* () {
      const { candidateId, changeId } = yield* persons((yield* newProject).id)
      yield* Promotions.promote(person, candidateId)
      expect(yield* statusOfChange(changeId)).toBe("releasing")
      expect(hands.seen.get("change")?.map(({ step }) => step)).toContain("verifying → promoting")
    }),

  "promoting × swapWonWithoutRelease → completed: where nothing is released, a won swap completes the Change": () =>
    Effect.gen(function* () {
      const settings = yield* Settings
      yield* Effect.gen(function* () {
        const { candidateId, changeId } = yield* persons((yield* newProject).id)
        yield* Promotions.promote(person, candidateId)
        expect(yield* statusOfChange(changeId)).toBe("completed")
        expect((yield* typesOf(changeId)).at(-1)).toBe("change.completed")
      }).pipe(Effect.provideService(Settings, { ...settings, appsDomain: null }))
    }),

  "releasing × released → completed: a deployed release completes its Change": () =>
    Effect.gen(function* () {
      const { candidateId, changeId } = yield* persons((yield* newProject).id)
      yield* Promotions.promote(person, candidateId)
      yield* settle
      expect(yield* statusOfChange(changeId)).toBe("completed")
    }),

  "releasing × releaseFailed → failed: a release that fails its smoke test fails its Change": () =>
    Effect.gen(function* () {
      const { candidateId, changeId } = yield* persons((yield* newProject).id)
      answers.set("/", page(500))
      yield* Promotions.promote(person, candidateId)
      yield* settleAll
      expect(yield* statusOfChange(changeId)).toBe("failed")
    }),

  "created × cancel → cancelled: a Change that is cancelled before it is planned is never planned": (hands) =>
    Effect.gen(function* () {
      let asked = 0
      hands.plan = () => Effect.sync(() => (asked++, [planned("a")]))
      const changeId = yield* open((yield* newProject).id)
      yield* Cancellation.cancel(person, changeId)
      yield* settle
      expect([asked, yield* tasksOf(changeId), yield* typesOf(changeId)]).toEqual([0, [], ["change.cancelled"]])
    }),

  "compiling × cancel → cancelled: what was being planned is stored as cancelled, and no compile is recorded": (
    hands
  ) =>
    Effect.gen(function* () {
      const project = yield* newProject
      const changeId = yield* open(project.id)
      hands.plan = () =>
        Effect.as(Effect.orDie(Cancellation.cancel(person, changeId)), [planned("a"), planned("b", ["a"])])
      yield* settle
      expect(yield* tasksOf(changeId)).toEqual(["a cancelled", "b cancelled"])
      expect(yield* typesOf(changeId)).toEqual(["change.cancelled"])
      expect(hands.jobs).toEqual([])
    }),

  "running × cancel → cancelled: open Tasks end with their Change": (hands) =>
    Effect.gen(function* () {
      hands.agents.set("a", [ends("Failed")])
      const changeId = yield* worked(hands, [planned("a"), planned("b", ["a"]), planned("d")])
      yield* Cancellation.cancel(person, changeId)
      expect(yield* tasksOf(changeId)).toEqual(["a failed", "b cancelled", "d completed"])
    }),

  "verifying × cancel → cancelled: open Candidates are rejected with the reason `change cancelled`": () =>
    Effect.gen(function* () {
      const { changeId } = yield* persons((yield* newProject).id)
      yield* Cancellation.cancel(person, changeId)
      expect(yield* candidatesOf(changeId)).toMatchObject([{ status: "rejected", reason: "change cancelled" }])
      expect((yield* typesOf(changeId)).slice(-2)).toEqual(["candidate.rejected", "change.cancelled"])
      expect((yield* Cancellation.cancel(person, changeId)).status).toBe("cancelled")
    }),

  "awaiting_approval × cancel → cancelled: a Candidate that awaits its approval is rejected too": () =>
    Effect.gen(function* () {
      const { changeId } = yield* owing
      yield* Cancellation.cancel(person, changeId)
      expect(yield* candidatesOf(changeId)).toMatchObject([{ status: "rejected", reason: "change cancelled" }])
    }),

  "budget_blocked × cancel → cancelled: what the budget stopped ends with its Change": (hands) =>
    Effect.gen(function* () {
      hands.agents.set("a", [ends("Stopped")])
      const changeId = yield* worked(hands, [planned("a"), planned("b", ["a"])])
      yield* Cancellation.cancel(person, changeId)
      expect(yield* tasksOf(changeId)).toEqual(["a cancelled", "b cancelled"])
      expect(yield* Effect.flip(Budget.raise(person, changeId, 2))).toMatchObject({ _tag: "ChangeClosed" })
    })
})
