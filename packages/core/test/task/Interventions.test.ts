/** What people do about Tasks, asked for twice, too late, by the wrong one, and against what the rest of a Change does. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as Budget from "@pawl/core/change/Budget"
import * as Cancellation from "@pawl/core/change/Cancellation"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { Commands } from "@pawl/core/work/Commands"
import { demand } from "@pawl/core/ledger/Decision"
import { type Actor, user } from "@pawl/core/model/Actor"
import { Limits } from "@pawl/core/primitives/Limits"
import { archive } from "@pawl/core/project/Archival"
import { Repositories } from "@pawl/core/project/Repositories"
import { AgentUnavailable } from "@pawl/core/task/Agent"
import { handOver, retry, stop } from "@pawl/core/task/Interventions"
import { notesOf, write } from "@pawl/core/task/Notes"
import { person, settle } from "../kit/MemoryPawl.ts"
import {
  compiled,
  ends,
  inWorld,
  planned,
  publishes,
  type Services,
  settleAll,
  statusOfChange,
  taskOf,
  turn,
  worked
} from "../kit/WorkWorld.ts"

const other = user("usr_00000000-0000-4000-8000-000000000002")
const idOf = (changeId: string, key: string) => `tsk_${changeId}_${key}`
const away = () => new AgentUnavailable({ reason: "the model is away", lasting: true })
const chain = [planned("a"), planned("b", ["a"]), planned("c", ["b"])]

const statuses = (changeId: string, ...keys: ReadonlyArray<string>) =>
  Effect.forEach(keys, (key) => Effect.map(taskOf(changeId, key), (task) => `${key} ${task.status}`))

const edit = (changeId: string, key: string, files: ChangeSets.Edit["files"] = { [`${key}.txt`]: "by hand" }) => ({
  changeId,
  taskId: idOf(changeId, key),
  message: "by hand",
  files
})

/** What it answers, or is refused with. */
type Act = (actor: Actor, id: string) => Effect.Effect<unknown, { readonly _tag: string }, Services>
const acts: ReadonlyArray<readonly [name: string, act: Act]> = [
  ["stop", stop],
  ["retry", retry],
  ["handOver", handOver],
  ["write", (actor, id) => write(actor, id, "a note")]
]

describe("A Task that a person steers", () => {
  it.each(acts.slice(0, 3))("moves once however often it is asked to: %s", (name, act) =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, chain)
        if (name === "retry") yield* stop(person, idOf(changeId, "a"))
        const first = yield* act(person, idOf(changeId, "a"))
        const { revision } = yield* demand("change", changeId)
        expect(yield* act(person, idOf(changeId, "a"))).toEqual(first)
        expect((yield* demand("change", changeId)).revision).toBe(revision)
      })
    )
  )

  it.each(acts)("is left alone when it is over: %s", (_, act) =>
    inWorld((hands) =>
      Effect.gen(function* () {
        hands.agents.set("b", [ends("Failed")])
        const changeId = yield* worked(hands, [planned("a"), planned("b"), planned("c", ["b"])])
        for (const [key, status] of [
          ["a", "completed"],
          ["b", "failed"]
        ] as const)
          expect(yield* Effect.flip(act(person, idOf(changeId, key)))).toMatchObject({ _tag: "TaskClosed", status })
        yield* Cancellation.cancel(person, changeId)
        expect(yield* Effect.flip(act(person, idOf(changeId, "c")))).toMatchObject({
          _tag: "TaskClosed",
          status: "cancelled"
        })
      })
    )
  )

  it.each(acts)("is left alone in an archived Project, and where there is none: %s", (_, act) =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, chain)
        const { projectId } = yield* taskOf(changeId, "a")
        yield* archive(person, projectId)
        expect(yield* Effect.flip(act(person, idOf(changeId, "a")))).toMatchObject({ _tag: "ProjectArchived" })
        expect(yield* Effect.flip(act(person, idOf(changeId, "nothing")))).toMatchObject({
          _tag: "Unknown",
          kind: "task"
        })
      })
    )
  )

  it("goes on in a new run when it was stopped at work and is retried at once", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        hands.agents.set("a", [
          (job) =>
            Effect.orDie(Effect.andThen(stop(person, job.task.id), retry(person, job.task.id))).pipe(
              Effect.andThen(publishes(job))
            )
        ])
        const changeId = yield* worked(hands, [planned("a")])
        expect(hands.jobs.map(({ run }) => run.attempt)).toEqual([1, 2])
        expect(yield* taskOf(changeId, "a")).toMatchObject({ status: "completed", attempt: 2, tier: "fast" })
        expect((yield* demand("taskRun", `run_${idOf(changeId, "a")}_1`)).record.outcome).toBe("stopped")
      })
    ))

  it("takes the dead letter of its wake along when it is retried", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        hands.agents.set("a", [away, away, away, away])
        const changeId = yield* worked(hands, [planned("a")])
        yield* settleAll
        const { projectId } = yield* taskOf(changeId, "a")
        const commands = yield* Commands
        expect((yield* commands.deadLetters(projectId)).length).toBe(1)
        yield* retry(person, idOf(changeId, "a"))
        expect(yield* commands.deadLetters(projectId)).toEqual([])
        yield* settle
        expect(yield* taskOf(changeId, "a")).toMatchObject({ status: "completed" })
      })
    ))

  it("is not retried while another one stands in its way, and that one is named", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        hands.agents.set("a", [ends("Failed")])
        const changeId = yield* worked(hands, chain)
        expect(yield* Effect.flip(retry(person, idOf(changeId, "c")))).toMatchObject({
          _tag: "NotRetryable",
          waitsFor: idOf(changeId, "a"),
          status: "failed"
        })
        // A person may do what the failed one should have done, and its agent goes on from there.
        yield* handOver(person, idOf(changeId, "b"))
        yield* ChangeSets.record(person, edit(changeId, "b"))
        yield* settle
        expect(yield* statuses(changeId, "a", "b", "c")).toEqual(["a failed", "b completed", "c completed"])
      })
    ))

  it("waits for its budget when it is retried while that is spent, and goes on when it is raised", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const spent = { modelCalls: 1, costUsd: 1 }
        hands.agents.set("a", [() => Effect.succeed({ _tag: "Stopped", reason: "spent", usage: spent })])
        const changeId = yield* worked(hands, [planned("a")])
        expect(yield* retry(person, idOf(changeId, "a"))).toMatchObject({ status: "ready" })
        yield* settle
        expect(hands.jobs.length).toBe(1)
        expect(yield* statusOfChange(changeId)).toBe("budget_blocked")
        yield* Budget.raise(person, changeId, 2)
        yield* settle
        expect(yield* taskOf(changeId, "a")).toMatchObject({ status: "completed", attempt: 2 })
      })
    ))
})

describe("A Task that a person holds", () => {
  it("begins with what it depends on, and with what the same person wrote before", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, [planned("a"), planned("b", ["a"])])
        yield* handOver(person, idOf(changeId, "b"))
        yield* turn("agent.wake")
        yield* ChangeSets.record(person, { changeId, message: "aside", files: { "aside.txt": "aside" } })
        const made = yield* ChangeSets.record(person, edit(changeId, "b", { "b.txt": "b", "a.txt": "changed" }))
        // The agent of `a` wrote a.txt: the person changed that very file, and did not add another.
        expect(made.files).toMatchObject([
          { path: "a.txt", status: "modified" },
          { path: "b.txt", status: "added" }
        ])
        const repository = { project: made.projectId, fork: `ws-${made.runId}` }
        const files = yield* Effect.flatMap(Repositories, (each) => each.files(repository, made.tree))
        expect([...files.keys()].toSorted()).toEqual([
          "a.txt",
          "aside.txt",
          "b.txt",
          "pawl.json",
          "result.txt",
          "src/index.js"
        ])
        yield* settle
        expect(yield* statusOfChange(changeId)).not.toBe("running")
      })
    ))

  it("begins on the generation that its ChangeSet names", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, [planned("a"), planned("b", ["a"])])
        yield* handOver(person, idOf(changeId, "b"))
        yield* turn("agent.wake")
        const made = yield* ChangeSets.record(person, { ...edit(changeId, "b"), baseGeneration: 0 })
        const head = (yield* demand("head", made.projectId)).record
        expect(made).toMatchObject({ baseGeneration: 0, baseCommit: head.commit })
      })
    ))

  it("is completed by who holds it alone", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, chain)
        const refused = (actor: Actor) => Effect.flip(ChangeSets.record(actor, edit(changeId, "a")))
        expect(yield* refused(person)).toMatchObject({ _tag: "TaskNotHeld", heldBy: null })
        yield* stop(person, idOf(changeId, "a"))
        expect(yield* refused(person)).toMatchObject({ _tag: "TaskNotHeld", heldBy: null })
        yield* handOver(person, idOf(changeId, "a"))
        expect(yield* refused(other)).toMatchObject({ _tag: "TaskNotHeld", heldBy: person.id })
        expect(yield* handOver(other, idOf(changeId, "a"))).toMatchObject({ heldBy: other.id })
        expect(yield* refused(person)).toMatchObject({ _tag: "TaskNotHeld", heldBy: other.id })
        yield* ChangeSets.record(other, edit(changeId, "a"))
        expect(yield* refused(other)).toMatchObject({ _tag: "TaskClosed", status: "completed" })
      })
    ))

  it("is given back to its agent by a retry", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, chain)
        yield* handOver(person, idOf(changeId, "a"))
        expect(yield* retry(person, idOf(changeId, "a"))).toMatchObject({ status: "ready", heldBy: null })
        yield* settle
        expect(yield* statuses(changeId, "a", "b", "c")).toEqual(["a completed", "b completed", "c completed"])
      })
    ))

  it("is not one of a kind that changes no file", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, [planned("a", [], { kind: "research" })])
        expect(yield* Effect.flip(handOver(person, idOf(changeId, "a")))).toMatchObject({
          _tag: "ReadOnlyTask",
          kind: "research"
        })
      })
    ))

  it("takes no slot of its Change's agents", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const many = Array.from({ length: Limits.activeAgentsPerChange + 1 }, (_, index) => planned(`t${index}`))
        const changeId = yield* compiled(hands, many)
        yield* handOver(person, idOf(changeId, "t0"))
        hands.broken.add("Tasks.started")
        while ((yield* turn("agent.wake")) > 0);
        const tasks = yield* Effect.forEach(many, ({ key }) => taskOf(changeId, key))
        expect(tasks.filter(({ status }) => status === "assigned").length).toBe(Limits.activeAgentsPerChange)
      })
    ))
})

describe("The notes of a Task", () => {
  it("are kept in their order, each for its Task", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, chain)
        const id = idOf(changeId, "a")
        expect(yield* notesOf(id)).toEqual([])
        const one = yield* write(person, id, "use tabs")
        const two = yield* write(other, id, "no: use blanks")
        yield* write(person, idOf(changeId, "b"), "of another Task")
        expect(one).toMatchObject({ taskId: id, changeId, author: person, text: "use tabs" })
        expect(yield* notesOf(id)).toEqual([one, two])
      })
    ))

  it("say something, and are not too long or too many", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, chain)
        const id = idOf(changeId, "a")
        for (const text of ["", " \n\t", "x".repeat(Limits.noteLength + 1)])
          expect(yield* Effect.flip(write(person, id, text))).toMatchObject({ _tag: "InvalidField", field: "text" })
        for (let count = 0; count < Limits.notesPerTask; count++)
          yield* write(person, id, "x".repeat(Limits.noteLength))
        expect(yield* Effect.flip(write(person, id, "one more"))).toMatchObject({
          _tag: "NoteLimit",
          max: Limits.notesPerTask
        })
      })
    ))

  it("are as many as may be when many are written at once", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, chain)
        const id = idOf(changeId, "a")
        for (let count = 0; count < Limits.notesPerTask - 1; count++) yield* write(person, id, "x")
        const at = yield* Effect.all([write(person, id, "y"), write(other, id, "z")].map(Effect.exit), {
          concurrency: "unbounded"
        })
        expect(at.map(({ _tag }) => _tag).toSorted()).toEqual(["Failure", "Success"])
        expect((yield* notesOf(id)).length).toBe(Limits.notesPerTask)
      })
    ))
})
