import * as MemorySecrets from "@pawl/adapters-memory/MemorySecrets"
import { requireStillIn } from "@pawl/core/access/StillIn"
import { authenticate } from "@pawl/core/access/Tokens"
import { change as changePolicy } from "@pawl/core/approval/Policies"
import { authorsOf } from "@pawl/core/approval/Standing"
import { cancel } from "@pawl/core/change/Cancellation"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import { user } from "@pawl/core/model/Actor"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Time from "@pawl/core/primitives/Time"
import { stop } from "@pawl/core/task/Interventions"
import { giveUp, renew } from "@pawl/core/task/OutsideLeases"
import * as Outside from "@pawl/core/task/OutsideRuns"
import { briefOf, briefWords, claimPaths } from "@pawl/core/task/Briefs"
import { admit } from "@pawl/core/task/Tasks"
import { Commands } from "@pawl/core/work/Commands"
import { Process } from "@pawl/core/work/Processes"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { person, settle } from "../kit/MemoryPawl.ts"
import { compiled, inWorld, planned, statusOfChange, taskOf } from "../kit/WorkWorld.ts"

const secretly = Effect.provide(MemorySecrets.layerMemory)
const claim = (taskId: string) => secretly(Outside.claim(person, taskId))
const idOf = (changeId: string, key: string) => `tsk_${changeId}_${key}`
const work = (text: string) => ({ edits: { "a.txt": text }, message: "the work" })
const other = user("usr_00000000-0000-4000-8000-000000000002")

/** The person, as a user whose tokens can be asked for. */
const enrolled = Effect.gen(function* () {
  const createdAt = yield* Time.now
  const record = { id: person.id as `usr_${string}`, name: "Robin", createdAt }
  yield* (yield* Ledger).commit({
    name: "enrol",
    projectId: null,
    writes: [{ _tag: "Insert", kind: "user", record }]
  })
})

const refusal = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.flip(effect)

/** How often a worker renews its lease: three renewals may be lost. */
const renewMs = 30_000

describe("A Task that is worked outside", () => {
  it("is claimed once, and pushed and published it is completed with a ChangeSet of its agent's", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, [planned("a", [], { writes: ["a.txt"] }), planned("b", ["a"])])
        const { run } = yield* claim(idOf(changeId, "a"))
        expect(run).toMatchObject({ attempt: 1, outside: { claimedBy: person.id, base: run.baseCommit, pushed: null } })
        expect(yield* refusal(claim(idOf(changeId, "a")))).toMatchObject({ _tag: "NotClaimable", status: "running" })
        expect(yield* refusal(claim(idOf(changeId, "b")))).toMatchObject({ _tag: "NotClaimable", status: "pending" })
        expect(yield* refusal(Outside.publish(person, run.id, "done"))).toMatchObject({ _tag: "NothingPushed" })
        yield* Outside.receive(person, run.id, work("first"))
        yield* Outside.receive(person, run.id, work("second"))
        const done = yield* Outside.publish(person, run.id, "The work of a")
        expect(done.changeSet).toMatchObject({
          message: "The work of a",
          author: { type: "agent" },
          files: [{ path: "a.txt", status: "added", additions: 1, deletions: 0 }]
        })
        expect(done.task.status).toBe("completed")
        // The answer was lost: the same again.
        expect(yield* Outside.publish(person, run.id, "again")).toEqual(done)
        yield* settle
        // The agent that is built in goes on with what waited for it.
        expect(hands.jobs.map(({ task }) => task.key)).toEqual(["b"])
      })
    ))

  it("is left alone by the agent that is built in while its lease is renewed, and ready again once it is not", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, [planned("a")])
        const { run } = yield* claim(idOf(changeId, "a"))
        for (let beat = 0; beat < 6; beat++) {
          yield* settle
          yield* TestClock.adjust(renewMs)
          yield* renew(person, run.id)
        }
        expect(hands.jobs).toEqual([])
        yield* changePolicy(person, run.projectId, { outsideAgents: "only" })
        yield* TestClock.adjust(Limits.outsideLeaseMs)
        expect(yield* refusal(renew(person, run.id))).toMatchObject({ _tag: "RunNotHeld" })
        yield* settle
        expect(yield* taskOf(changeId, "a")).toMatchObject({ status: "ready", attempt: 1 })
        expect((yield* demand("taskRun", run.id)).record).toMatchObject({
          outcome: "stopped",
          reason: "its agent outside was gone: nobody renewed its lease"
        })
        expect(yield* refusal(Outside.receive(person, run.id, work("late")))).toMatchObject({ _tag: "RunNotHeld" })
        const again = yield* claim(idOf(changeId, "a"))
        expect(again.run.attempt).toBe(2)
        yield* Outside.receive(person, again.run.id, work("in time"))
        expect((yield* Outside.publish(person, again.run.id, "done")).task.status).toBe("completed")
      })
    ))

  it("is ready again within two minutes of the last word of its worker", () => {
    expect(Limits.outsideLeaseMs).toBeLessThan(120_000)
    expect(Limits.outsideLeaseMs).toBeGreaterThan(3 * renewMs)
  })

  it("lets its token in on that run alone, until the run or its lease has ended", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        yield* enrolled
        const changeId = yield* compiled(hands, [planned("a")])
        const first = yield* claim(idOf(changeId, "a"))
        const caller = yield* authenticate(first.text)
        expect(caller).toMatchObject({ user: { id: person.id }, run: { id: first.run.id } })
        expect(caller.token.scopes).toEqual(["read", "write"])
        expect(JSON.stringify(yield* demand("taskRun", first.run.id))).not.toContain(Redacted.value(first.text))
        yield* giveUp(person, first.run.id, "")
        expect(yield* refusal(authenticate(first.text))).toMatchObject({ reason: "revoked" })
        expect(yield* refusal(requireStillIn(caller))).toMatchObject({ reason: "revoked" })
        const second = yield* claim(idOf(changeId, "a"))
        yield* TestClock.adjust(Limits.outsideLeaseMs)
        expect(yield* refusal(authenticate(second.text))).toMatchObject({ reason: "expired" })
      })
    ))

  it("is in nobody's hands but the claimant's", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, [planned("a")])
        const { run } = yield* claim(idOf(changeId, "a"))
        const notHeld = { _tag: "RunNotHeld" }
        expect(yield* refusal(renew(other, run.id))).toMatchObject(notHeld)
        expect(yield* refusal(giveUp(other, run.id, "mine"))).toMatchObject(notHeld)
        expect(yield* refusal(Outside.receive(other, run.id, work("x")))).toMatchObject(notHeld)
        expect(yield* refusal(Outside.publish(other, run.id, "x"))).toMatchObject(notHeld)
        expect(yield* refusal(claimPaths(other, run.id, ["a.txt"], "write"))).toMatchObject(notHeld)
      })
    ))

  it("waits for agents outside alone where the Policy says so, and is kept inside where it says that", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, [planned("a"), planned("b")])
        const { projectId } = yield* taskOf(changeId, "a")
        yield* changePolicy(person, projectId, { outsideAgents: "only" })
        yield* settle
        expect(hands.jobs).toEqual([])
        expect(yield* taskOf(changeId, "a")).toMatchObject({ status: "ready" })
        yield* changePolicy(person, projectId, { outsideAgents: "never" })
        expect(yield* refusal(claim(idOf(changeId, "a")))).toMatchObject({
          _tag: "NotClaimable",
          reason: expect.stringContaining("Policy")
        })
        // Nobody wakes it: it looks again by itself.
        yield* TestClock.adjust(Limits.outsideLookMs)
        yield* settle
        expect(hands.jobs.length).toBe(2)
      })
    ))

  it("is not admitted inside where it is for agents outside alone, whatever its wake had read before", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, [planned("a")])
        const { projectId } = yield* taskOf(changeId, "a")
        yield* changePolicy(person, projectId, { outsideAgents: "only" })
        const [leased] = yield* (yield* Commands).claim({
          worker: "test",
          kinds: ["agent.wake"],
          limit: 1,
          leaseMs: Limits.commandLeaseMs
        })
        const process = { ...leased!, steps: new Map<string, unknown>() }
        const turn = yield* Effect.provideService(admit(idOf(changeId, "a"), []), Process, process)
        expect(turn).toMatchObject({ waits: "the Policy leaves it to agents outside" })
        expect(yield* taskOf(changeId, "a")).toMatchObject({ status: "ready", attempt: 0 })
      })
    ))

  it("counts to the eight of its Change", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const many = Array.from({ length: 9 }, (_, index) => planned(`t${index}`))
        const changeId = yield* compiled(hands, many)
        for (let n = 0; n < 8; n++) yield* claim(idOf(changeId, `t${n}`))
        expect(yield* refusal(claim(idOf(changeId, "t8")))).toMatchObject({
          reason: "8 agents are active in its Change"
        })
      })
    ))

  it("waits for who writes the same without an order, as an agent that is built in does", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const both = [planned("a", [], { writes: ["x.txt"] }), planned("b", [], { writes: ["x.txt"] })]
        const changeId = yield* compiled(hands, both)
        const { run } = yield* claim(idOf(changeId, "a"))
        expect(yield* refusal(claim(idOf(changeId, "b")))).toMatchObject({ reason: "a is writing x.txt" })
        yield* giveUp(person, run.id, "")
        expect((yield* claim(idOf(changeId, "b"))).run.taskId).toBe(idOf(changeId, "b"))
      })
    ))

  it("ends with a stop and with its Change, and what is pushed after that is refused", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, [planned("a"), planned("b")])
        const [a, b] = [yield* claim(idOf(changeId, "a")), yield* claim(idOf(changeId, "b"))]
        yield* stop(person, idOf(changeId, "a"))
        expect(yield* refusal(Outside.receive(person, a.run.id, work("x")))).toMatchObject({ _tag: "RunNotHeld" })
        yield* cancel(person, changeId)
        expect(yield* refusal(Outside.publish(person, b.run.id, "x"))).toMatchObject({ _tag: "RunNotHeld" })
        expect(yield* statusOfChange(changeId)).toBe("cancelled")
        yield* TestClock.adjust(Limits.outsideLeaseMs)
        yield* settle
        expect(yield* taskOf(changeId, "b")).toMatchObject({ status: "cancelled" })
      })
    ))

  it("begins with the work of what it depends on, and hears what read-only Tasks found", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, [
          planned("look", [], { kind: "research" }),
          planned("a", ["look"]),
          planned("b", ["a"])
        ])
        const look = yield* claim(idOf(changeId, "look"))
        expect(yield* refusal(Outside.receive(person, look.run.id, work("x")))).toMatchObject({ _tag: "NotClaimable" })
        expect(yield* refusal(Outside.publish(person, look.run.id, " "))).toMatchObject({ _tag: "InvalidField" })
        yield* Outside.publish(person, look.run.id, "It sells tea.")
        const a = yield* claim(idOf(changeId, "a"))
        const brief = yield* briefOf(a.run)
        expect(brief).toMatchObject({ goal: "g", instructions: "do a", findings: [{ text: "It sells tea." }] })
        const words = yield* secretly(briefWords({ kind: "implement" }, brief))
        expect(words).toMatch(/<(data-[0-9a-f]+) of="findings of the Task look">\nIt sells tea\.\n<\/\1>/)
        yield* Outside.receive(person, a.run.id, work("of a"))
        yield* Outside.publish(person, a.run.id, "done")
        const b = yield* claim(idOf(changeId, "b"))
        expect(b.run.outside?.base).not.toBe(b.run.baseCommit)
      })
    ))

  it("is the claimant's work too: where nobody approves their own, they do not", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, [planned("a")])
        const { run } = yield* secretly(Outside.claim(other, idOf(changeId, "a")))
        yield* Outside.receive(other, run.id, work("x"))
        yield* Outside.publish(other, run.id, "done")
        yield* settle
        const found = yield* (yield* Records).list("candidate", { where: { changeId }, limit: 1 })
        const { record } = found.items[0]!
        expect([...(yield* authorsOf(record, { createdBy: person }))]).toContain(other.id)
      })
    ))
})
