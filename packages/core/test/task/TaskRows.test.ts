import { Effect } from "effect"
import { expect } from "vitest"
import * as Budget from "@pawl/core/change/Budget"
import * as Cancellation from "@pawl/core/change/Cancellation"
import * as DeadLetters from "@pawl/core/worker/DeadLetters"
import { EventLog } from "@pawl/core/event/EventLog"
import { demand } from "@pawl/core/ledger/Decision"
import { AgentUnavailable } from "@pawl/core/task/Agent"
import { TaskLifecycle } from "@pawl/core/model/TaskLifecycle"
import { person, settle } from "../kit/MemoryPawl.ts"
import {
  compiled,
  eachRow,
  ends,
  planned,
  publishes,
  settleAll,
  statusOfChange,
  taskOf,
  turn,
  worked
} from "../kit/WorkWorld.ts"
import { interventionRows } from "./InterventionRows.ts"

const statuses = (changeId: string, ...keys: ReadonlyArray<string>) =>
  Effect.forEach(keys, (key) => Effect.map(taskOf(changeId, key), (task) => `${key} ${task.status}`))

const eventsOf = (changeId: string) =>
  Effect.gen(function* () {
    const { projectId } = (yield* demand("change", changeId)).record
    return yield* (yield* EventLog).read(projectId, 0, 500)
  })

const chain = [planned("a"), planned("b", ["a"]), planned("c", ["b"])]
const letterOf = (changeId: string, key: string) => `agent.wake:tsk_${changeId}_${key}`
const away = () => new AgentUnavailable({ reason: "the model is away", lasting: true })

const many = Array.from({ length: 10 }, (_, index) => planned(`t${index}`))

/** Admits as many as may be, and leaves them there: every one that is admitted holds its slot. */
const admitAll = Effect.gen(function* () {
  while ((yield* turn("agent.wake")) > 0);
})

eachRow(TaskLifecycle, "task", {
  ...interventionRows,

  "pending × dependenciesCompleted → ready: a Task is ready when all that it depends on is completed": (hands) =>
    Effect.gen(function* () {
      const changeId = yield* compiled(hands, [planned("a"), planned("b"), planned("c", ["a", "b"])])
      yield* turn("agent.wake")
      expect(yield* statuses(changeId, "a", "b", "c")).toEqual(["a completed", "b ready", "c pending"])
      yield* turn("agent.wake")
      expect(yield* statuses(changeId, "a", "b", "c")).toEqual(["a completed", "b completed", "c ready"])
      yield* settle
      // Its workspace held the work of both.
      expect(hands.jobs.at(-1)?.source.commit).not.toBe(hands.jobs[0]?.source.commit)
      expect(yield* statuses(changeId, "c")).toEqual(["c completed"])
    }),

  "pending × dependencyFailed → blocked: all that depends on a failed Task, near and far, is blocked": (hands) =>
    Effect.gen(function* () {
      hands.agents.set("a", [ends("Failed")])
      const changeId = yield* worked(hands, chain)
      expect(yield* statuses(changeId, "a", "b", "c")).toEqual(["a failed", "b blocked", "c blocked"])
      expect(yield* taskOf(changeId, "c")).toMatchObject({
        blockedBy: "dependency",
        reason: "it depends on b, which is blocked"
      })
      expect(yield* statusOfChange(changeId)).toBe("running")
    }),

  "ready × admitted → assigned: an agent is admitted when a slot is free": (hands) =>
    Effect.gen(function* () {
      const changeId = yield* compiled(hands, [planned("a")])
      hands.broken.add("Tasks.started")
      yield* turn("agent.wake")
      expect(yield* statuses(changeId, "a")).toEqual(["a assigned"])
      expect((yield* eventsOf(changeId)).at(-1)).toMatchObject({
        type: "task.assigned",
        data: { changeId, agentId: `agt_tsk_${changeId}_a` }
      })
    }),

  "ready × deferred → ready: the ninth agent waits, and is woken when a slot frees": (hands) =>
    Effect.gen(function* () {
      const changeId = yield* compiled(hands, many)
      hands.broken.add("Tasks.started")
      yield* admitAll
      const after = yield* Effect.forEach(many, ({ key }) => taskOf(changeId, key))
      expect(after.filter((task) => task.status === "assigned").length).toBe(8)
      expect(after.filter((task) => task.status === "ready").map((task) => task.reason)).toEqual([
        "8 agents are active",
        "8 agents are active"
      ])
      hands.broken.delete("Tasks.started")
      yield* settleAll
      expect(
        new Set(yield* Effect.forEach(many, ({ key }) => Effect.map(taskOf(changeId, key), (t) => t.status)))
      ).toEqual(new Set(["completed"]))
    }),

  "ready × wakeDeadLettered → blocked: a Task whose wake dies before it is admitted is blocked, and so are its dependents":
    (hands) =>
      Effect.gen(function* () {
        hands.broken.add("Tasks.admitted")
        const changeId = yield* worked(hands, chain)
        yield* settleAll
        expect(yield* statuses(changeId, "a", "b", "c")).toEqual(["a blocked", "b blocked", "c blocked"])
        expect((yield* eventsOf(changeId)).filter((event) => event.type === "task.failed")).toMatchObject([
          { subject: `tsk_${changeId}_a`, data: { status: "blocked", terminal: false } }
        ])
      }),

  "assigned × wakeDeadLettered → blocked: a Task whose wake dies before its agent starts is blocked": (hands) =>
    Effect.gen(function* () {
      hands.broken.add("Tasks.started")
      const changeId = yield* worked(hands, [planned("a")])
      yield* settleAll
      expect(yield* taskOf(changeId, "a")).toMatchObject({ status: "blocked", blockedBy: "dead_letter" })
    }),

  "assigned × started → running: an agent starts with a run of its own, on the canonical head": (hands) =>
    Effect.gen(function* () {
      const changeId = yield* worked(hands, [planned("a")])
      const { record } = yield* demand("taskRun", `run_tsk_${changeId}_a_1`)
      const head = (yield* demand("head", record.projectId)).record
      expect(record).toMatchObject({ attempt: 1, tier: "fast", baseCommit: head.commit, baseGeneration: 0 })
      const types = (yield* eventsOf(changeId)).map((event) => event.type)
      expect(types.slice(0, 7)).toEqual([
        "change.compiled",
        "task.created",
        "task.ready",
        "task.assigned",
        "agent.woken",
        "model.route.decided",
        "task.started"
      ])
    }),

  "running × retried → running: two attempts on each tier, then the next, then it has failed": (hands) =>
    Effect.gen(function* () {
      hands.agents.set(
        "a",
        Array.from({ length: 9 }, () => ends("Retry"))
      )
      const changeId = yield* worked(hands, [planned("a")])
      expect(hands.jobs.map((job) => job.run.tier)).toEqual([
        "fast",
        "fast",
        "balanced",
        "balanced",
        "strong",
        "strong"
      ])
      expect(hands.jobs.map((job) => job.run.id)).toEqual(
        [1, 2, 3, 4, 5, 6].map((attempt) => `run_tsk_${changeId}_a_${attempt}`)
      )
      expect(yield* taskOf(changeId, "a")).toMatchObject({ status: "failed", attempt: 6, tier: "strong" })
    }),

  "running × published → completed: the work is a ChangeSet, told with its intents": (hands) =>
    Effect.gen(function* () {
      const changeId = yield* worked(hands, [planned("a")])
      const events = yield* eventsOf(changeId)
      const from = events.findIndex((event) => event.type === "changeset.proposed")
      expect(events.slice(from, from + 4).map((event) => event.type)).toEqual([
        "changeset.proposed",
        "intent.declared",
        "task.completed",
        "verification.started"
      ])
      expect((yield* demand("changeSet", `cs_run_tsk_${changeId}_a_1`)).record).toMatchObject({
        author: { type: "agent", id: `agt_tsk_${changeId}_a` },
        baseGeneration: 0,
        files: [{ path: "a.txt", status: "added" }],
        intents: [{ kind: "path", value: "a.txt", mode: "write" }]
      })
    }),

  "running × failedTerminally → failed: dependencies that conflict end the Task that needs both, naming the paths": (
    hands
  ) =>
    Effect.gen(function* () {
      const clash = (text: string) => () =>
        Effect.succeed({
          _tag: "Published" as const,
          edits: { "result.txt": text },
          message: text,
          intents: [],
          usage: { modelCalls: 0, costUsd: 0 }
        })
      hands.agents.set("a", [clash("one")])
      hands.agents.set("b", [clash("two")])
      const changeId = yield* worked(hands, [planned("a"), planned("b"), planned("c", ["a", "b"])])
      expect(yield* taskOf(changeId, "c")).toMatchObject({
        status: "failed",
        reason: "what it depends on cannot be merged: merge conflict in result.txt"
      })
      expect((yield* eventsOf(changeId)).at(-1)).toMatchObject({
        type: "task.failed",
        data: { status: "failed", terminal: true }
      })
    }),

  "running × budgetStopped → blocked: a run that its budget or a limit stops waits with all that depends on it": (
    hands
  ) =>
    Effect.gen(function* () {
      hands.agents.set("a", [ends("Stopped", "50 model calls a day")])
      const changeId = yield* worked(hands, chain)
      expect(yield* statuses(changeId, "a", "b", "c")).toEqual(["a blocked", "b blocked", "c blocked"])
      const reason = "budget_exhausted: 50 model calls a day"
      expect(yield* taskOf(changeId, "a")).toMatchObject({ blockedBy: "budget", reason })
      expect((yield* demand("taskRun", `run_tsk_${changeId}_a_1`)).record.outcome).toBe("stopped")
    }),

  "blocked × retriedByOperator → ready: retrying the dead letter takes the Task and its dependents up again": (hands) =>
    Effect.gen(function* () {
      hands.agents.set("a", [away, away, away, away])
      const changeId = yield* worked(hands, chain)
      yield* settleAll
      // Its agent was at work: the run was stopped, and is told as what it was.
      expect((yield* demand("taskRun", `run_tsk_${changeId}_a_1`)).record.outcome).toBe("dead_lettered")
      expect(yield* statuses(changeId, "a", "b", "c")).toEqual(["a blocked", "b blocked", "c blocked"])
      expect(yield* statusOfChange(changeId)).toBe("running")
      yield* DeadLetters.retry(person, letterOf(changeId, "a"))
      expect(yield* statuses(changeId, "a", "b", "c")).toEqual(["a ready", "b pending", "c pending"])
      yield* settle
      expect(yield* statuses(changeId, "a", "b", "c")).toEqual(["a completed", "b completed", "c completed"])
    }),

  "blocked × budgetRaised → ready: a stopped Task goes on when the budget is raised, in a new run": (hands) =>
    Effect.gen(function* () {
      hands.agents.set("a", [ends("Stopped")])
      const changeId = yield* worked(hands, [planned("a")])
      yield* Budget.raise(person, changeId, 2)
      yield* settle
      expect(yield* taskOf(changeId, "a")).toMatchObject({ status: "completed", attempt: 2, tier: "fast" })
    }),

  "blocked × dependencyRevived → pending: what waited for a stopped Task waits for it again": (hands) =>
    Effect.gen(function* () {
      hands.agents.set("a", [ends("Stopped")])
      const changeId = yield* worked(hands, chain)
      yield* Budget.raise(person, changeId, 2)
      expect(yield* statuses(changeId, "a", "b", "c")).toEqual(["a ready", "b pending", "c pending"])
    }),

  "pending × changeCancelled → cancelled: a cancel ends a Task that waits for others": (hands) =>
    Effect.gen(function* () {
      const changeId = yield* compiled(hands, chain)
      yield* Cancellation.cancel(person, changeId)
      expect(yield* statuses(changeId, "a", "b", "c")).toEqual(["a cancelled", "b cancelled", "c cancelled"])
    }),

  "ready × changeCancelled → cancelled: a cancel ends a ready Task, and its wake does nothing": (hands) =>
    Effect.gen(function* () {
      const changeId = yield* compiled(hands, [planned("a")])
      yield* Cancellation.cancel(person, changeId)
      yield* settleAll
      expect(hands.jobs).toEqual([])
    }),

  "assigned × changeCancelled → cancelled: a cancel ends a Task before its agent starts": (hands) =>
    Effect.gen(function* () {
      const changeId = yield* compiled(hands, [planned("a")])
      hands.broken.add("Tasks.started")
      yield* turn("agent.wake")
      yield* Cancellation.cancel(person, changeId)
      hands.broken.delete("Tasks.started")
      yield* settleAll
      expect(hands.jobs).toEqual([])
      expect(yield* taskOf(changeId, "a")).toMatchObject({ status: "cancelled", reason: "change cancelled" })
    }),

  "running × changeCancelled → cancelled: a cancel ends a Task while its agent works, and what it made is dropped": (
    hands
  ) =>
    Effect.gen(function* () {
      hands.agents.set("a", [
        (job) => Effect.andThen(Effect.orDie(Cancellation.cancel(person, job.change.id)), publishes(job))
      ])
      const changeId = yield* worked(hands, [planned("a")])
      expect(yield* taskOf(changeId, "a")).toMatchObject({ status: "cancelled" })
      expect((yield* demand("taskRun", `run_tsk_${changeId}_a_1`)).record).toMatchObject({ outcome: "cancelled" })
      expect(yield* Effect.flip(demand("changeSet", `cs_run_tsk_${changeId}_a_1`))).toMatchObject({
        _tag: "Unknown"
      })
    }),

  "blocked × changeCancelled → cancelled: a cancel ends a blocked Task": (hands) =>
    Effect.gen(function* () {
      hands.agents.set("a", [ends("Failed")])
      const changeId = yield* worked(hands, [planned("a"), planned("b", ["a"])])
      yield* Cancellation.cancel(person, changeId)
      expect(yield* statuses(changeId, "a", "b")).toEqual(["a failed", "b cancelled"])
    })
})
