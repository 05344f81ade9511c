import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { slice } from "@pawl/testing/Depth"
import { ModelRefused } from "@pawl/core/agent/ModelFailures"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as Budget from "@pawl/core/change/Budget"
import * as Cancellation from "@pawl/core/change/Cancellation"
import { EventLog } from "@pawl/core/event/EventLog"
import { History } from "@pawl/core/ledger/History"
import { Settings } from "@pawl/core/primitives/Settings"
import { usage } from "@pawl/core/project/Usage"
import * as Interventions from "@pawl/core/task/Interventions"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { Commands } from "@pawl/core/work/Commands"
import { honest, newProvider, total } from "../agent/Asking.ts"
import { person, settle } from "../kit/MemoryPawl.ts"
import {
  always,
  asks,
  callsOf,
  changeOf,
  expectCounted,
  longOutages,
  lettersOf,
  runOf,
  talk,
  withModels
} from "../kit/PaidWork.ts"
import { inWorld, newProject, open, planned, publishes, settleAll, taskOf, turn, worked } from "../kit/WorkWorld.ts"

describe("A run that is paid call by call", () => {
  it("goes on with the turns that it had when its budget is raised, on the same source", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const provider = newProvider(honest)
        always(hands, asks(5), "a")
        hands.plan = () => Effect.succeed([planned("a")])
        yield* Effect.gen(function* () {
          const changeId = yield* open((yield* newProject).id, { budgetUsd: 0.02 })
          yield* settle
          const stopped = yield* changeOf(changeId)
          expect(stopped.status).toBe("budget_blocked")
          expect(stopped.reason).toMatch(/^budget_exhausted/)
          expect(yield* taskOf(changeId, "a")).toMatchObject({ status: "blocked", blockedBy: "budget" })
          const paid = provider.asked.length
          expect(paid).toBeGreaterThan(0)
          expect(paid).toBeLessThan(5)
          yield* Budget.raise(person, changeId, 1)
          yield* settle
          expect(provider.asked.length).toBe(5)
          const [first, second] = [yield* runOf(changeId, "a", 1), yield* runOf(changeId, "a", 2)]
          expect(second).toMatchObject({ continues: first.id, baseCommit: first.baseCommit, outcome: "completed" })
          expect([first.modelCalls, second.modelCalls]).toEqual([paid, 5 - paid])
          yield* expectCounted(changeId, provider)
        }).pipe(withModels(provider))
      })
    ))

  it("stops its Change when the calls of the day are used up, and goes on the next day by itself", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const provider = newProvider(honest)
        always(hands, asks(5), "a")
        const settings = { ...(yield* Settings), modelCallsPerDay: 3 }
        yield* Effect.gen(function* () {
          const changeId = yield* worked(hands, [planned("a")])
          yield* settleAll
          const stopped = yield* changeOf(changeId)
          expect(stopped.status).toBe("budget_blocked")
          expect(stopped.reason).toMatch(/^budget_exhausted/)
          expect(yield* taskOf(changeId, "a")).toMatchObject({ status: "blocked", blockedBy: "calls" })
          expect(provider.asked.length).toBe(3)
          yield* TestClock.adjust("24 hours")
          yield* settle
          expect(provider.asked.length).toBe(5)
          expect(yield* taskOf(changeId, "a")).toMatchObject({ status: "completed" })
          yield* expectCounted(changeId, provider)
        }).pipe(withModels(provider), Effect.provideService(Settings, settings))
      })
    ))

  it.each([
    ["taken up again", Interventions.retry, "completed"],
    ["taken over", Interventions.handOver, "blocked"]
  ] as const)("goes on when what the calls of the day had stopped is %s", (_, act, ended) =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const provider = newProvider(honest)
        always(hands, asks(5), "a")
        const settings = { ...(yield* Settings), modelCallsPerDay: 3 }
        yield* Effect.gen(function* () {
          const changeId = yield* worked(hands, [planned("a")])
          yield* settle
          expect((yield* changeOf(changeId)).status).toBe("budget_blocked")
          yield* act(person, (yield* taskOf(changeId, "a")).id)
          yield* settle
          // No call is left: a retry is stopped again, and no agent holds what a person took over.
          const again = act === Interventions.retry ? "budget_blocked" : "running"
          expect((yield* changeOf(changeId)).status).toBe(again)
          yield* TestClock.adjust("24 hours")
          yield* settle
          expect(yield* taskOf(changeId, "a")).toMatchObject({ status: ended })
        }).pipe(withModels(provider), Effect.provideService(Settings, settings))
      })
    )
  )

  it("that is cancelled while a model is asked loses that call, whole", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const isAsked = yield* Deferred.make<void>()
        const provider = newProvider(() => Effect.andThen(Deferred.succeed(isAsked, undefined), Effect.never))
        let changeId = ""
        hands.agents.set("a", [(job) => ((changeId = job.change.id), asks(1)(job))])
        const fiber = yield* Effect.forkChild(withModels(provider)(worked(hands, [planned("a")])))
        yield* Deferred.await(isAsked)
        expect((yield* changeOf(changeId)).reservedUsd).toBeGreaterThan(0)
        yield* Cancellation.cancel(person, changeId)
        yield* TestClock.adjust("5 seconds")
        yield* Fiber.join(fiber)
        const [call] = yield* expectCounted(changeId, provider)
        expect(call).toMatchObject({ status: "lost", costUsd: call?.reservedUsd })
        expect(yield* runOf(changeId, "a", 1)).toMatchObject({ outcome: "cancelled", costUsd: call?.reservedUsd })
      })
    ))

  it("ends when its Change ended without it: the call on its way is lost, whatever it answers, and no other is made", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const isAsked = yield* Deferred.make<void>()
        const goesOn = yield* Deferred.make<void>()
        const provider = newProvider((ask) =>
          Effect.andThen(Deferred.succeed(isAsked, undefined), Effect.andThen(Deferred.await(goesOn), honest(ask)))
        )
        hands.agents.set("b", [asks(3)])
        let changeId = ""
        hands.agents.set("a", [(job) => ((changeId = job.change.id), publishes(job))])
        const fiber = yield* Effect.forkChild(withModels(provider)(worked(hands, [planned("a"), planned("b", ["a"])])))
        yield* Deferred.await(isAsked)
        const { candidate } = yield* Candidates.request(person, { changeId })
        yield* turn("candidate.create")
        yield* Promotions.promote(person, candidate.id)
        expect((yield* changeOf(changeId)).status).toMatch(/completed|releasing/)
        yield* settle
        expect((yield* changeOf(changeId)).status).toBe("completed")
        yield* Deferred.succeed(goesOn, undefined)
        yield* Fiber.join(fiber)
        expect(provider.asked.length).toBe(1)
        expect((yield* taskOf(changeId, "b")).status).toBe("cancelled")
        const [call] = yield* callsOf(changeId)
        expect(call).toMatchObject({ status: "lost", costUsd: call?.reservedUsd })
        expect(yield* changeOf(changeId)).toMatchObject({ status: "completed", reservedUsd: 0 })
      })
    ))

  it("asks a provider that refuses its key once for each Task, which then waits for a person", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const provider = newProvider(
          () => new ModelRefused({ kind: "credentials", status: 401, reason: "no such key" })
        )
        always(hands, asks(1), "a", "b", "c")
        yield* Effect.gen(function* () {
          const changeId = yield* worked(hands, [planned("a"), planned("b"), planned("c")])
          yield* settleAll
          expect(provider.asked.length).toBe(3)
          for (const key of ["a", "b", "c"]) {
            const task = yield* taskOf(changeId, key)
            expect(task).toMatchObject({ status: "blocked", blockedBy: "model" })
            expect(task.reason).toContain("no such key")
          }
          const change = yield* changeOf(changeId)
          expect(change).toMatchObject({ status: "running", reason: expect.stringContaining("no such key") })
          expect(yield* lettersOf(changeId)).toEqual([])
          // Nobody asks by itself, however long it lasts.
          yield* TestClock.adjust("24 hours")
          yield* settleAll
          expect(provider.asked.length).toBe(3)
          // The Change says so for as long as any Task waits for it.
          provider.script = honest
          for (const [at, key] of ["a", "b", "c"].entries()) {
            yield* Interventions.retry(person, `tsk_${changeId}_${key}`)
            expect((yield* changeOf(changeId)).reason === null).toBe(at === 2)
          }
          yield* settle
          expect(yield* changeOf(changeId)).toMatchObject({ status: "verifying", reason: null })
        }).pipe(withModels(provider))
      })
    ))

  it("is planned with one call each quarter of an hour while the provider refuses its key, and its Change says why", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const provider = newProvider(
          () => new ModelRefused({ kind: "credentials", status: 401, reason: "no such key" })
        )
        hands.plan = (turns) => Effect.as(talk(turns, 1), [planned("a")])
        always(hands, asks(1), "a")
        yield* Effect.gen(function* () {
          const changeId = yield* open((yield* newProject).id)
          for (const asked of [1, 2, 3]) {
            yield* settle
            // As after a new start.
            yield* (yield* Commands).releaseAll
            yield* settle
            expect(provider.asked.length).toBe(asked)
            const change = yield* changeOf(changeId)
            expect(change).toMatchObject({ status: "compiling", reason: expect.stringContaining("no such key") })
            yield* TestClock.adjust("15 minutes")
          }
          provider.script = honest
          yield* settle
          expect(yield* changeOf(changeId)).toMatchObject({ status: "verifying", reason: null })
          expect(yield* lettersOf(changeId)).toEqual([])
          yield* expectCounted(changeId, provider)
        }).pipe(withModels(provider))
      })
    ))

  it.each([
    ["and took nothing", "no"],
    ["and may have taken the money", "unknown"]
  ] as const)(
    "waits out a provider that is away for 20 minutes, twice, %s: no try is used up, nothing is a dead letter",
    (_, charged) => inWorld((hands) => longOutages(hands, charged))
  )

  it("counts what its planner asked to its Change, and waits with planning while the budget has no more", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const provider = newProvider(honest)
        hands.plan = (turns) => Effect.as(talk(turns, 4), [planned("a")])
        always(hands, asks(1), "a")
        yield* Effect.gen(function* () {
          const changeId = yield* open((yield* newProject).id, { budgetUsd: 0.02 })
          yield* settle
          const waiting = yield* changeOf(changeId)
          expect(waiting.status).toBe("compiling")
          expect(waiting.reason).toMatch(/^budget_exhausted/)
          const paid = provider.asked.length
          yield* Budget.raise(person, changeId, 1)
          yield* settle
          expect(yield* changeOf(changeId)).toMatchObject({ status: "verifying", reason: null })
          expect(provider.asked.length).toBe(5)
          expect(paid).toBeLessThan(4)
          const calls = yield* expectCounted(changeId, provider)
          expect(calls.map(({ purpose }) => purpose)).toEqual(["plan", "plan", "plan", "plan", "work"])
          const { projectId, spentUsd } = yield* changeOf(changeId)
          expect(yield* usage(projectId)).toMatchObject({ spentUsd, reservedUsd: 0, modelCallsToday: 5 })
          const told = (yield* (yield* EventLog).read(projectId, 0, 500)).filter(({ type }) => type === "model.called")
          expect(told.map(({ data }) => data["callId"])).toEqual(calls.map(({ id }) => id))
          const history = yield* (yield* History).ofChange(changeId, {})
          expect(history.items.filter(({ kind }) => kind === "modelCall")).toEqual([])
        }).pipe(withModels(provider))
      })
    ))
})

/** Plays a Change whose process is killed at the `nth` place, and goes on in the next one. Answers how many there were. */
const killedAt = (nth: number) => {
  let places = 0
  return inWorld((hands) =>
    Effect.gen(function* () {
      const isDead = yield* Deferred.make<void>()
      const pass = Effect.suspend(() =>
        places++ === nth ? Effect.andThen(Deferred.succeed(isDead, undefined), Effect.never) : Effect.void
      )
      const provider = newProvider(honest)
      const dying = newProvider((ask) =>
        Effect.andThen(
          pass,
          Effect.tap(provider.models.ask(ask), () => pass)
        )
      )
      always(hands, asks(2), "a", "b")
      hands.plan = (turns) => Effect.as(talk(turns, 1), [planned("a"), planned("b", ["a"])])
      const changeId = yield* open((yield* newProject).id)
      hands.around = (_, done) =>
        Effect.andThen(
          pass,
          Effect.tap(done, () => pass)
        )
      const process = yield* Effect.forkDetach(withModels(dying)(settle))
      yield* Effect.raceFirst(Fiber.await(process), Deferred.await(isDead))
      hands.around = (_, done) => done
      // The next process begins where this one was.
      yield* (yield* Commands).releaseAll
      yield* withModels(provider)(settle)
      yield* TestClock.adjust("40 seconds")
      yield* withModels(provider)(settle)
      expect({ nth, status: (yield* changeOf(changeId)).status }).toEqual({ nth, status: "verifying" })
      for (const key of ["a", "b"])
        expect(yield* taskOf(changeId, key)).toMatchObject({ status: "completed", attempt: 1 })
      const calls = yield* expectCounted(changeId, provider)
      const lost = calls.filter(({ status }) => status === "lost").length
      expect({ nth, settled: calls.length - lost }).toEqual({ nth, settled: 5 })
      expect(lost).toBeLessThanOrEqual(1)
      expect(provider.asked.length).toBeLessThanOrEqual(6)
      for (const key of ["a", "b"]) {
        const run = yield* runOf(changeId, key, 1)
        const own = calls.filter(({ runId }) => runId === run.id)
        expect([run.modelCalls, run.costUsd]).toEqual([own.length, total(own.map(({ costUsd }) => costUsd))])
      }
    })
  ).then(() => places)
}

it("A kill at any commit or call of a Change loses no turn, pays at most one twice, and leaves no money behind", async () => {
  const all = await killedAt(-1)
  expect(all).toBeGreaterThan(40)
  const places = slice(
    Array.from({ length: all }, (_, nth) => nth),
    { quick: 24 }
  )
  for (const nth of places) await killedAt(nth)
  console.log(`${places.length} of ${all} places`)
})
