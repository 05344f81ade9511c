import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import * as Policies from "@pawl/core/approval/Policies"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as Cancellation from "@pawl/core/change/Cancellation"
import { Planner, PlannerFailed, PlannerUnavailable } from "@pawl/core/change/Planner"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { Commands } from "@pawl/core/work/Commands"
import * as DeadLetters from "@pawl/core/worker/DeadLetters"
import { demand } from "@pawl/core/ledger/Decision"
import { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import * as Time from "@pawl/core/primitives/Time"
import { Repositories } from "@pawl/core/project/Repositories"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { AgentUnavailable } from "@pawl/core/task/Agent"
import { person, settle } from "../kit/MemoryPawl.ts"
import {
  ends,
  type Hands,
  inWorld,
  newProject,
  open,
  planned,
  publishes,
  type Script,
  settleAll,
  statusOfChange,
  taskOf,
  turn,
  usage,
  worked
} from "../kit/WorkWorld.ts"

const text = (path: string, content: string) => () =>
  Effect.succeed({ _tag: "Published" as const, edits: { [path]: content }, message: path, intents: [], usage })

/** A Change whose planner is away for good, until its command is a dead letter. */
const stranded = (hands: Hands) =>
  Effect.gen(function* () {
    const project = yield* newProject
    hands.plan = () => new PlannerUnavailable({ reason: "the model is away", lasting: true })
    const changeId = yield* open(project.id)
    yield* settleAll
    expect(yield* statusOfChange(changeId)).toBe("compiling")
    return { changeId, letter: `change.dispatch:${changeId}`, projectId: project.id }
  })

describe("Planning", () => {
  it("leaves every Change to people where there is no planner", () =>
    inWorld(() =>
      Effect.gen(function* () {
        const project = yield* newProject
        const none = yield* Planner.pipe(Effect.map((planner) => ({ ...planner, available: false })))
        const changeId = yield* Effect.provideService(open(project.id), Planner, none)
        yield* settleAll
        expect(yield* statusOfChange(changeId)).toBe("created")
        yield* ChangeSets.record(person, { changeId, message: "m", files: { "a.txt": "a" } })
        expect(yield* statusOfChange(changeId)).toBe("verifying")
      })
    ))

  it("plans nothing that was opened with `startPlanning: false`", () =>
    inWorld(() =>
      Effect.gen(function* () {
        const changeId = yield* open((yield* newProject).id, { startPlanning: false })
        yield* settleAll
        expect(yield* statusOfChange(changeId)).toBe("created")
      })
    ))

  it("lets a person add work to a Change that is planned, and composes it after the graph's", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const project = yield* newProject
        const changeId = yield* open(project.id)
        const own = yield* ChangeSets.record(person, { changeId, message: "m", files: { "own.txt": "a" } })
        expect(yield* statusOfChange(changeId)).toBe("created")
        hands.plan = () => Effect.succeed([planned("b"), planned("a")])
        yield* settle
        expect(yield* statusOfChange(changeId)).toBe("verifying")
        const { candidate, created } = yield* Candidates.request(person, { changeId })
        expect([created, candidate.changeSets]).toEqual([
          false,
          [`cs_run_tsk_${changeId}_b_1`, `cs_run_tsk_${changeId}_a_1`, own.id]
        ])
      })
    ))

  it("fails a Change whose goal cannot be planned, with the planner's reason", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const project = yield* newProject
        hands.plan = () => new PlannerFailed({ reason: "this is no goal" })
        const changeId = yield* open(project.id)
        yield* settle
        expect((yield* demand("change", changeId)).record).toMatchObject({
          status: "failed",
          reason: "this is no goal"
        })
      })
    ))

  it("asks a planner that was away again when an operator retries the dead letter", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const { changeId, letter } = yield* stranded(hands)
        hands.plan = () => Effect.succeed([planned("a")])
        yield* DeadLetters.retry(person, letter)
        yield* settle
        expect(yield* statusOfChange(changeId)).toBe("verifying")
      })
    ))

  it.each(["planner", "agent"] as const)("waits for a model that is away for an hour: %s", (who) =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const project = yield* newProject
        const backAt = (yield* Time.nowMillis) + 3_600_000
        const isBack = (asked: string) => Effect.map(Time.nowMillis, (now) => asked !== who || now >= backAt)
        const reason = "the model is away"
        hands.plan = () =>
          Effect.flatMap(isBack("planner"), (back) =>
            back ? Effect.succeed([planned("a")]) : Effect.fail(new PlannerUnavailable({ reason }))
          )
        const slow: Script = (job) =>
          Effect.flatMap(isBack("agent"), (back) =>
            back ? publishes(job) : Effect.fail(new AgentUnavailable({ reason }))
          )
        hands.agents.set(
          "a",
          Array.from({ length: 30 }, () => slow)
        )
        const changeId = yield* open(project.id)
        for (let n = 0; n < 70; n++) yield* Effect.andThen(settle, TestClock.adjust("1 minutes"))
        expect(yield* (yield* Commands).deadLetters(project.id)).toEqual([])
        expect(yield* statusOfChange(changeId)).toBe("verifying")
        // The run went on as what it was: waiting used up no try of the agent.
        expect((yield* demand("task", `tsk_${changeId}_a`)).record).toMatchObject({ status: "completed", attempt: 1 })
      })
    )
  )

  it("fails the Change when an operator dismisses the dead letter of its planning", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const { changeId, letter, projectId } = yield* stranded(hands)
        yield* DeadLetters.dismiss(person, letter)
        expect((yield* demand("change", changeId)).record).toMatchObject({
          status: "failed",
          reason: `planning was given up by ${person.id}`
        })
        expect(yield* (yield* Commands).deadLetters(projectId)).toEqual([])
      })
    ))

  it("asks the planner once, however often what follows fails", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const project = yield* newProject
        let asked = 0
        hands.plan = () => Effect.sync(() => [planned(`plan-${++asked}`)])
        hands.broken.add("Compiling.compiled")
        const changeId = yield* open(project.id)
        yield* turn("change.dispatch")
        hands.broken.clear()
        yield* settleAll
        expect(asked).toBe(1)
        expect(yield* taskOf(changeId, "plan-1")).toMatchObject({ status: "completed" })
      })
    ))

  it("does not ask the planner for a Change that was cancelled before it answered once", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const { changeId, letter } = yield* stranded(hands)
        let asked = 0
        hands.plan = () => Effect.sync(() => (asked++, [planned("a")]))
        yield* Cancellation.cancel(person, changeId)
        yield* DeadLetters.retry(person, letter)
        yield* settleAll
        expect([asked, yield* statusOfChange(changeId)]).toEqual([0, "cancelled"])
      })
    ))
})

describe("The work of agents", () => {
  it("starts on what it depends on, near and far", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        hands.agents.set("look", [() => Effect.succeed({ _tag: "Answered", text: "seen", usage })])
        yield* worked(hands, [
          planned("a"),
          planned("look", ["a"], { kind: "research" }),
          planned("b", ["look"]),
          planned("alone")
        ])
        const repositories = yield* Repositories
        const pathsOf = (key: string) =>
          Effect.gen(function* () {
            const { source } = hands.jobs.find((job) => job.task.key === key)!
            return [...(yield* repositories.files(source.repository, source.tree)).keys()].filter((path) =>
              path.endsWith("a.txt")
            )
          })
        expect([yield* pathsOf("look"), yield* pathsOf("b"), yield* pathsOf("alone")]).toEqual([
          ["a.txt"],
          ["a.txt"],
          []
        ])
      })
    ))

  it("of a read-only kind may find, and may not write", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        hands.agents.set("look", [
          text("x.txt", "x"),
          () => Effect.succeed({ _tag: "Answered", text: "it is fine", usage })
        ])
        const changeId = yield* worked(hands, [planned("look", [], { kind: "review" }), planned("a", ["look"])])
        expect(yield* taskOf(changeId, "look")).toMatchObject({ status: "completed", attempt: 2 })
        const job = hands.jobs.find((each) => each.task.key === "a")
        expect(job?.findings).toEqual([
          { taskKey: "look", objectKey: `context/${job?.task.projectId}/run_tsk_${changeId}_look_2` }
        ])
        const { candidate } = yield* Candidates.request(person, { changeId })
        expect(candidate.changeSets).toEqual([`cs_run_tsk_${changeId}_a_1`])
      })
    ))

  it("is tried again when it wrote what no tree may hold", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        hands.agents.set("a", [text("../escape", "x"), text("fine.txt", "x")])
        const changeId = yield* worked(hands, [planned("a")])
        expect((yield* demand("taskRun", `run_tsk_${changeId}_a_1`)).record).toMatchObject({ outcome: "retried" })
        expect((yield* demand("taskRun", `run_tsk_${changeId}_a_1`)).record.reason).toContain("../escape")
        expect(yield* taskOf(changeId, "a")).toMatchObject({ status: "completed" })
      })
    ))

  it("gets the next tier at once when it asks for a stronger model", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        hands.agents.set("a", [ends("Escalate"), ends("Retry"), ends("Escalate"), publishes])
        const changeId = yield* worked(hands, [planned("a")])
        expect(hands.jobs.map((job) => job.run.tier)).toEqual(["fast", "balanced", "balanced", "strong"])
        expect(yield* taskOf(changeId, "a")).toMatchObject({ status: "completed", attempt: 4 })
        expect((yield* demand("change", changeId)).record.spentUsd).toBe(0.04)
      })
    ))

  it("is interrupted when its Change is cancelled", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const atWork = yield* Deferred.make<string>()
        hands.agents.set("a", [(job) => Effect.andThen(Deferred.succeed(atWork, job.change.id), Effect.never)])
        const fiber = yield* Effect.forkChild(worked(hands, [planned("a")]))
        yield* Cancellation.cancel(person, yield* Deferred.await(atWork))
        yield* TestClock.adjust("5 seconds")
        const changeId = yield* Fiber.join(fiber)
        expect(yield* taskOf(changeId, "a")).toMatchObject({ status: "cancelled" })
      })
    ))

  it("that ends while a promotion is decided takes the Change on when the swap is refused", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const project = yield* newProject
        hands.plan = () => Effect.succeed([planned("a"), planned("b")])
        hands.before.set(
          "Tasks.completed",
          Effect.sync(() => hands.broken.add("Tasks.started"))
        )
        const changeId = yield* open(project.id)
        yield* settle
        expect([(yield* taskOf(changeId, "a")).status, (yield* taskOf(changeId, "b")).status]).toEqual([
          "completed",
          "assigned"
        ])
        const { candidate } = yield* Candidates.request(person, { changeId })
        yield* settle
        hands.broken.clear()
        const lastTask = Effect.andThen(TestClock.adjust("2 seconds"), turn("agent.wake"))
        const policy = Policies.change(person, project.id, { requiredChecks: ["test"] })
        hands.before.set("Promotions.swap", Effect.andThen(lastTask, policy))
        yield* Effect.flip(Promotions.promote(person, candidate.id))
        expect(yield* statusOfChange(changeId)).toBe("verifying")
        yield* settleAll
        const { created, candidate: whole } = yield* Candidates.request(person, { changeId })
        expect([created, whole.changeSets.length]).toEqual([false, 2])
      })
    ))

  it("stops before a run when the budget is spent, and goes on when it is raised", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        hands.agents.set("a", [
          () => Effect.succeed({ _tag: "Retry", reason: "again", usage: { modelCalls: 3, costUsd: 1 } })
        ])
        const changeId = yield* worked(hands, [planned("a")])
        expect((yield* demand("change", changeId)).record).toMatchObject({ status: "budget_blocked", spentUsd: 1 })
        expect(yield* taskOf(changeId, "a")).toMatchObject({
          blockedBy: "budget",
          reason: "budget_exhausted: the budget of $1 is spent"
        })
        expect(hands.jobs.length).toBe(1)
      })
    ))

  it("counts once when the answer of any commit is lost, or the commit fails", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        let commits = 0
        const tell = (nth: number, lost: boolean) =>
          Effect.promise(() =>
            inWorld((hands) =>
              Effect.gen(function* () {
                const project = yield* newProject
                hands.plan = () => Effect.succeed([planned("a"), planned("b", ["a"])])
                // The same run may be worked again when its end was not recorded: it does the same again.
                const script: Script = (job) => (job.run.attempt === 1 ? ends("Retry") : publishes)(job)
                hands.agents.set(
                  "a",
                  Array.from({ length: 5 }, () => script)
                )
                commits = 0
                hands.around = (_, done) => {
                  const failure = new LedgerUnavailable({ operation: "commit", reason: "injected" })
                  if (commits++ !== nth) return done
                  return lost ? Effect.andThen(done, failure) : failure
                }
                const changeId = yield* open(project.id).pipe(Effect.retry({ times: 2 }))
                yield* settle
                // A lease of 30 s ends, and what was put off comes due.
                yield* TestClock.adjust("40 seconds")
                yield* settle
                expect(yield* statusOfChange(changeId)).toBe("verifying")
                expect(yield* taskOf(changeId, "a")).toMatchObject({ status: "completed", attempt: 2 })
                expect(yield* taskOf(changeId, "b")).toMatchObject({ status: "completed", attempt: 1 })
                expect((yield* demand("change", changeId)).record.spentUsd).toBe(0.03)
              })
            )
          )
        yield* tell(-1, false)
        const all = commits
        expect(all).toBeGreaterThan(15)
        for (let nth = 0; nth < all; nth++) yield* Effect.all([tell(nth, true), tell(nth, false)])
        console.log(`${all} commits of a planned Change, each failed and each with its answer lost`)
      })
    ))
})
