/** The rows of the life of a Task that people take: stopped, handed over, completed by who holds it, and given back. */
import * as MemorySecrets from "@pawl/adapters-memory/MemorySecrets"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Budget from "@pawl/core/change/Budget"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { EventLog } from "@pawl/core/event/EventLog"
import { demand } from "@pawl/core/ledger/Decision"
import { handOver, retry, stop } from "@pawl/core/task/Interventions"
import { giveUp } from "@pawl/core/task/OutsideLeases"
import { claim } from "@pawl/core/task/OutsideRuns"
import { person, settle } from "../kit/MemoryPawl.ts"
import {
  type Case,
  compiled,
  ends,
  type Hands,
  planned,
  publishes,
  statusOfChange,
  taskOf,
  turn,
  worked
} from "../kit/WorkWorld.ts"

const chain = [planned("a"), planned("b", ["a"]), planned("c", ["b"])]
const idOf = (changeId: string, key: string) => `tsk_${changeId}_${key}`

const statuses = (changeId: string, ...keys: ReadonlyArray<string>) =>
  Effect.forEach(keys, (key) => Effect.map(taskOf(changeId, key), (task) => `${key} ${task.status}`))

const told = (changeId: string) =>
  Effect.gen(function* () {
    const { projectId } = (yield* demand("change", changeId)).record
    const events = yield* (yield* EventLog).read(projectId, 0, 500)
    return events.map(({ actor, data, subject, type }) => ({ actor, data, subject, type }))
  })

const edit = (changeId: string, key: string) => ({
  changeId,
  taskId: idOf(changeId, key),
  message: `by hand: ${key}`,
  files: { [`${key}.txt`]: "by hand" }
})

const stoppedBy = { status: "blocked", blockedBy: "stopped", heldBy: null, reason: `stopped by ${person.id}` }
const heldBy = { status: "blocked", blockedBy: "person", heldBy: person.id, reason: `held by ${person.id}` }

/** A Change with one Task whose agent was admitted, and has not begun. */
const assigned = (hands: Hands) =>
  Effect.gen(function* () {
    const changeId = yield* compiled(hands, [planned("a")])
    hands.broken.add("Tasks.started")
    yield* turn("agent.wake")
    hands.broken.delete("Tasks.started")
    return changeId
  })

/** Does something about the Task while its agent works on it; what the agent makes comes too late. */
const meanwhile = (hands: Hands, act: typeof stop | typeof handOver) =>
  Effect.gen(function* () {
    hands.agents.set("a", [(job) => Effect.andThen(Effect.orDie(act(person, job.task.id)), publishes(job))])
    const changeId = yield* worked(hands, chain)
    const { record } = yield* demand("taskRun", `run_${idOf(changeId, "a")}_1`)
    expect(record).toMatchObject({ outcome: "stopped", reason: (yield* taskOf(changeId, "a")).reason })
    expect(record.endedAt).not.toBeNull()
    expect(yield* Effect.flip(demand("changeSet", `cs_${record.id}`))).toMatchObject({ _tag: "Unknown" })
    return changeId
  })

export const interventionRows: Readonly<Record<string, Case>> = {
  "blocked × published → completed: the ChangeSet of who holds a Task completes it, and what waited for it goes on": (
    hands
  ) =>
    Effect.gen(function* () {
      hands.agents.set("a", [ends("Stopped")])
      const changeId = yield* worked(hands, chain)
      yield* handOver(person, idOf(changeId, "a"))
      const changeSet = yield* ChangeSets.record(person, edit(changeId, "a"))
      expect(changeSet).toMatchObject({
        id: `cs_run_${idOf(changeId, "a")}_2`,
        taskId: idOf(changeId, "a"),
        author: person,
        files: [{ path: "a.txt", status: "added" }]
      })
      expect(yield* taskOf(changeId, "a")).toMatchObject({
        status: "completed",
        attempt: 2,
        blockedBy: null,
        heldBy: null,
        reason: null
      })
      expect((yield* demand("taskRun", changeSet.runId)).record).toMatchObject({ outcome: "completed", tier: null })
      const events = (yield* told(changeId)).map(({ type }) => type)
      expect(events.slice(events.lastIndexOf("changeset.proposed"))).toEqual([
        "changeset.proposed",
        "task.completed",
        "task.ready"
      ])
    }),

  "pending × stoppedByPerson → blocked: a Task is stopped before what it depends on is completed, and stays so": (
    hands
  ) =>
    Effect.gen(function* () {
      const changeId = yield* compiled(hands, chain)
      expect(yield* stop(person, idOf(changeId, "b"))).toMatchObject(stoppedBy)
      yield* settle
      expect(yield* statuses(changeId, "a", "b", "c")).toEqual(["a completed", "b blocked", "c blocked"])
      expect(yield* taskOf(changeId, "b")).toMatchObject(stoppedBy)
    }),

  "ready × stoppedByPerson → blocked: a ready Task is stopped, and its wake does nothing": (hands) =>
    Effect.gen(function* () {
      const changeId = yield* compiled(hands, chain)
      yield* stop(person, idOf(changeId, "a"))
      yield* settle
      expect(hands.jobs).toEqual([])
      expect(yield* statuses(changeId, "a", "b", "c")).toEqual(["a blocked", "b blocked", "c blocked"])
      expect((yield* told(changeId)).at(-1)).toEqual({
        type: "task.failed",
        subject: idOf(changeId, "a"),
        actor: person,
        data: { changeId, status: "blocked", terminal: false, reason: `stopped by ${person.id}` }
      })
    }),

  "assigned × stoppedByPerson → blocked: a Task is stopped before its agent begins": (hands) =>
    Effect.gen(function* () {
      const changeId = yield* assigned(hands)
      yield* stop(person, idOf(changeId, "a"))
      yield* settle
      expect(hands.jobs).toEqual([])
      expect(yield* taskOf(changeId, "a")).toMatchObject(stoppedBy)
    }),

  "running × stoppedByPerson → blocked: a Task is stopped while its agent works, and what it made is dropped": (
    hands
  ) =>
    Effect.gen(function* () {
      const changeId = yield* meanwhile(hands, stop)
      expect(yield* taskOf(changeId, "a")).toMatchObject(stoppedBy)
      expect(yield* statuses(changeId, "b", "c")).toEqual(["b blocked", "c blocked"])
    }),

  "blocked × stoppedByPerson → blocked: a Task that its budget had stopped does not go on with a higher one": (hands) =>
    Effect.gen(function* () {
      hands.agents.set("a", [ends("Stopped")])
      const changeId = yield* worked(hands, chain)
      yield* stop(person, idOf(changeId, "a"))
      yield* Budget.raise(person, changeId, 2)
      yield* settle
      expect(yield* statusOfChange(changeId)).toBe("running")
      expect(yield* taskOf(changeId, "a")).toMatchObject(stoppedBy)
      expect(hands.jobs.length).toBe(1)
    }),

  "pending × handedOver → blocked: a person takes a Task before what it depends on is completed": (hands) =>
    Effect.gen(function* () {
      const changeId = yield* compiled(hands, chain)
      expect(yield* handOver(person, idOf(changeId, "b"))).toMatchObject(heldBy)
      yield* settle
      expect(yield* statuses(changeId, "a", "b", "c")).toEqual(["a completed", "b blocked", "c pending"])
    }),

  "ready × handedOver → blocked: a person takes a ready Task, and what depends on it waits for them": (hands) =>
    Effect.gen(function* () {
      const changeId = yield* compiled(hands, chain)
      yield* handOver(person, idOf(changeId, "a"))
      yield* settle
      expect(hands.jobs).toEqual([])
      expect(yield* taskOf(changeId, "a")).toMatchObject(heldBy)
      expect(yield* statuses(changeId, "b", "c")).toEqual(["b pending", "c pending"])
      expect((yield* told(changeId)).at(-1)).toEqual({
        type: "task.assigned",
        subject: idOf(changeId, "a"),
        actor: person,
        data: { changeId, userId: person.id }
      })
    }),

  "assigned × handedOver → blocked: a person takes a Task before its agent begins": (hands) =>
    Effect.gen(function* () {
      const changeId = yield* assigned(hands)
      yield* handOver(person, idOf(changeId, "a"))
      yield* settle
      expect(hands.jobs).toEqual([])
      expect(yield* taskOf(changeId, "a")).toMatchObject(heldBy)
    }),

  "running × handedOver → blocked: a person takes a Task while its agent works, and what that made is dropped": (
    hands
  ) =>
    Effect.gen(function* () {
      const changeId = yield* meanwhile(hands, handOver)
      expect(yield* taskOf(changeId, "a")).toMatchObject(heldBy)
      expect(yield* statuses(changeId, "b", "c")).toEqual(["b pending", "c pending"])
    }),

  "blocked × handedOver → blocked: a person takes a stopped Task, and what was blocked by it waits for them": (hands) =>
    Effect.gen(function* () {
      const changeId = yield* compiled(hands, chain)
      yield* stop(person, idOf(changeId, "a"))
      expect(yield* statuses(changeId, "a", "b", "c")).toEqual(["a blocked", "b blocked", "c blocked"])
      yield* handOver(person, idOf(changeId, "a"))
      expect(yield* statuses(changeId, "a", "b", "c")).toEqual(["a blocked", "b pending", "c pending"])
    }),

  "running × handedBack → ready: a Task that an agent outside gives up is ready again, for any other one": (hands) =>
    Effect.gen(function* () {
      const changeId = yield* compiled(hands, [planned("a")])
      const { run } = yield* Effect.provide(claim(person, idOf(changeId, "a")), MemorySecrets.layerMemory)
      expect(yield* taskOf(changeId, "a")).toMatchObject({ status: "running", attempt: 1 })
      const reason = `given up by ${person.id}: too hard`
      expect(yield* giveUp(person, run.id, "too hard")).toMatchObject({ status: "ready", reason })
      expect((yield* demand("taskRun", run.id)).record).toMatchObject({ outcome: "stopped", reason })
      yield* settle
      expect(hands.jobs.map((job) => job.run.attempt)).toEqual([2])
      expect(yield* taskOf(changeId, "a")).toMatchObject({ status: "completed" })
    }),

  "blocked × givenBack → pending: a stopped Task is taken up again, and waits for what it depends on": (hands) =>
    Effect.gen(function* () {
      const changeId = yield* compiled(hands, chain)
      yield* stop(person, idOf(changeId, "b"))
      expect(yield* retry(person, idOf(changeId, "b"))).toMatchObject({
        status: "pending",
        blockedBy: null,
        reason: null
      })
      expect(yield* statuses(changeId, "a", "b", "c")).toEqual(["a ready", "b pending", "c pending"])
      yield* settle
      expect(yield* statuses(changeId, "a", "b", "c")).toEqual(["a completed", "b completed", "c completed"])
    })
}
