import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import * as Cancellation from "@pawl/core/change/Cancellation"
import { claim } from "@pawl/core/claim/Claims"
import { Records } from "@pawl/core/ledger/Records"
import * as Time from "@pawl/core/primitives/Time"
import { Limits } from "@pawl/core/primitives/Limits"
import type { AgentOutcome } from "@pawl/core/task/Agent"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { demand } from "@pawl/core/ledger/Decision"
import * as Changes from "@pawl/core/change/Changes"
import * as Projects from "@pawl/core/project/Projects"
import { organizationId, person, settle } from "../kit/MemoryPawl.ts"
import { promote } from "@pawl/core/promotion/Promotions"
import { why } from "@pawl/core/why/Why"
import {
  files,
  type Hands,
  inWorld,
  newProject,
  open,
  planned,
  publishes,
  settleAll,
  taskOf,
  turn,
  usage
} from "../kit/WorkWorld.ts"

const claimsOf = (changeId: string) =>
  Effect.gen(function* () {
    const found = yield* (yield* Records).list("claim", { where: { changeId }, limit: "all" })
    return found.items.map(({ record }) => record)
  })

/** A Change with this graph, planned, with no agent at work yet. */
const compiled = (hands: Hands, tasks: ReadonlyArray<ReturnType<typeof planned>>) =>
  Effect.gen(function* () {
    const project = yield* newProject
    hands.plan = () => Effect.succeed(tasks)
    const changeId = yield* open(project.id)
    yield* turn("change.dispatch")
    return changeId
  })

const statuses = (changeId: string, ...keys: ReadonlyArray<string>) =>
  Effect.forEach(keys, (key) => Effect.map(taskOf(changeId, key), (task) => `${key} ${task.status}`))

const both = [planned("a", [], { writes: ["src/cart.js"] }), planned("b", [], { writes: ["src/cart.js"] })]

describe("Claims of an agent at work", () => {
  it("are renewed for as long as it works, however long one answer takes", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, [planned("a", [], { writes: ["src/a.js"] })])
        const until: Array<number> = []
        hands.agents.set("a", [
          (job) =>
            Effect.gen(function* () {
              for (let minutes = 0; minutes < 12; minutes += 4) {
                yield* Effect.sleep("4 minutes")
                const [held] = yield* Effect.orDie(claimsOf(changeId))
                until.push(Time.toMillis(held!.until) - (yield* Time.nowMillis))
                expect(held?.status).toBe("held")
              }
              return yield* publishes(job)
            })
        ])
        const working = yield* Effect.forkChild(turn("agent.wake"))
        for (let minutes = 0; minutes < 13; minutes++) yield* TestClock.adjust("1 minute")
        yield* Fiber.join(working)
        yield* settleAll
        expect(until).toHaveLength(3)
        for (const left of until) expect(left).toBeGreaterThanOrEqual(Limits.claimLeaseMs - Limits.claimRenewMs)
        expect((yield* claimsOf(changeId)).map(({ status }) => status)).toEqual(["released"])
      })
    ))

  it("are as many as a Task may hold, what it writes before what it reads", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, [planned("a")])
        hands.agents.set("a", [
          (job) =>
            Effect.gen(function* () {
              const read = Array.from({ length: Limits.claimsPerTask }, (_, n) => `r${n}`)
              const before = "export function add() {\n  return 1\n}\n"
              const after = `${before.replace("1", "2")}\napp.get("/a", add)\n`
              yield* job.claim({ read, edited: [{ path: "src/a.js", before, after }] })
              return yield* publishes(job)
            })
        ])
        yield* settle
        const claims = yield* claimsOf(changeId)
        expect(claims).toHaveLength(Limits.claimsPerTask)
        expect(claims.filter(({ mode }) => mode === "write").map(({ kind, value }) => `${kind} ${value}`)).toEqual([
          "path src/a.js",
          "symbol src/a.js#add",
          "symbol src/a.js#end of file",
          "route GET /a"
        ])
      })
    ))

  it("are not held for a Task that nobody works, whoever asks", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, [planned("a")])
        const task = yield* taskOf(changeId, "a")
        yield* claim(task.id, [{ kind: "path", value: "src/a.js", mode: "write" }])
        expect(yield* claimsOf(changeId)).toEqual([])
      })
    ))

  it("end with their Change when it is cancelled", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, both)
        hands.broken.add("Tasks.started")
        yield* turn("agent.wake")
        yield* Cancellation.cancel(person, changeId)
        expect((yield* claimsOf(changeId)).map(({ status }) => status)).toEqual(["released"])
      })
    ))
})

describe("Two Tasks of a Change that write the same and have no order", () => {
  it("are worked one after the other, and the second is woken by the end of the first", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, both)
        hands.broken.add("Tasks.started")
        yield* turn("agent.wake")
        yield* turn("agent.wake")
        expect(yield* statuses(changeId, "a", "b")).toEqual(["a assigned", "b ready"])
        const waiting = yield* taskOf(changeId, "b")
        expect(waiting.reason).toBe("a is writing src/cart.js")
        expect(Time.toMillis(waiting.waitsUntil!) - Time.toMillis(waiting.updatedAt)).toBe(Limits.claimWaitMs)
        hands.broken.clear()
        yield* TestClock.adjust("1 minute")
        yield* settle
        expect(yield* statuses(changeId, "a", "b")).toEqual(["a completed", "b completed"])
        expect(hands.jobs.map(({ overlaps, task }) => ({ key: task.key, overlaps }))).toEqual([
          { key: "a", overlaps: [] },
          { key: "b", overlaps: [] }
        ])
        expect(yield* taskOf(changeId, "b")).toMatchObject({ reason: null, waitsUntil: null })
      })
    ))

  it("go on together after ten minutes, and the second is told what the first writes", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, both)
        hands.agents.set("a", [(job) => Effect.andThen(Effect.sleep("30 minutes"), publishes(job))])
        const working = yield* Effect.forkChild(turn("agent.wake"))
        yield* TestClock.adjust("1 second")
        yield* turn("agent.wake")
        yield* TestClock.adjust("9 minutes")
        expect(yield* turn("agent.wake")).toBe(0)
        expect(yield* statuses(changeId, "b")).toEqual(["b ready"])
        yield* TestClock.adjust("1 minute")
        yield* turn("agent.wake")
        expect(yield* statuses(changeId, "a", "b")).toEqual(["a running", "b completed"])
        expect(hands.jobs.at(-1)).toMatchObject({
          task: { key: "b" },
          overlaps: [{ changeId, taskId: `tsk_${changeId}_a`, path: "src/cart.js", symbol: null }]
        })
        yield* TestClock.adjust("30 minutes")
        yield* Fiber.join(working)
      })
    ))

  it("do not wait for each other when one depends on the other, nor when they only read the same", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changeId = yield* compiled(hands, [
          planned("a", [], { writes: ["src/a.js"], reads: ["src/c.js"] }),
          planned("b", [], { writes: ["src/b.js"], reads: ["src/c.js", "src/a.js"] })
        ])
        hands.broken.add("Tasks.started")
        yield* turn("agent.wake")
        yield* turn("agent.wake")
        expect(yield* statuses(changeId, "a", "b")).toEqual(["a assigned", "b assigned"])
      })
    ))
})

describe("Tasks of two Changes that write the same", () => {
  it("never wait for each other, and the second agent is told", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const project = yield* newProject
        hands.plan = () => Effect.succeed([planned("a", [], { writes: ["src/cart.js"] })])
        const first = yield* open(project.id)
        yield* turn("change.dispatch")
        hands.agents.set("a", [(job) => Effect.andThen(Effect.sleep("3 minutes"), publishes(job))])
        const working = yield* Effect.forkChild(turn("agent.wake"))
        yield* TestClock.adjust("1 second")
        const { change } = yield* Changes.open(person, {
          projectId: project.id,
          clientRequestId: "second",
          goal: "g",
          budgetUsd: 1
        })
        yield* turn("change.dispatch")
        yield* turn("agent.wake")
        expect(yield* statuses(change.id, "a")).toEqual(["a completed"])
        expect(hands.jobs.at(-1)?.overlaps).toEqual([
          { changeId: first, taskId: `tsk_${first}_a`, path: "src/cart.js", symbol: null }
        ])
        yield* TestClock.adjust("3 minutes")
        yield* Fiber.join(working)
      })
    ))
})

const edits =
  (path: string, text: string): ((job: unknown) => Effect.Effect<AgentOutcome>) =>
  () =>
    Effect.succeed({ _tag: "Published", edits: { [path]: text }, message: path, intents: [], usage })

describe("What a Candidate writes and others write too", () => {
  const base = "export function add() {\n  return 1\n}\n\nexport function sum() {\n  return 2\n}\n"

  /** Candidates of two Changes that both edit `src/cart.js`. */
  const twoChanges = (hands: Hands, one: string, other: string) =>
    Effect.gen(function* () {
      const project = yield* Projects.create(person, {
        organizationId,
        slug: "cart",
        files: { ...files, "src/cart.js": base }
      })
      yield* settle
      hands.plan = () => Effect.succeed([planned("a")])
      hands.agents.set("a", [edits("src/cart.js", one), edits("src/cart.js", other)])
      const changes: Array<string> = []
      for (const clientRequestId of ["one", "other"]) {
        const { change } = yield* Changes.open(person, {
          projectId: project.id,
          clientRequestId,
          goal: "g",
          budgetUsd: 1
        })
        changes.push(change.id)
        yield* settle
      }
      return changes
    })

  it("is told by Change, path and symbol in its plan", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changes = yield* twoChanges(hands, base.replace("1", "3"), base.replace("1", "4"))
        const found = yield* (yield* Records).list("candidate", { where: { changeId: changes[1]! }, limit: 1 })
        expect(found.items[0]?.record.plan?.overlaps).toEqual([
          { changeId: changes[0], taskId: `tsk_${changes[0]}_a`, path: "src/cart.js", symbol: "add" }
        ])
      })
    ))

  it("is nothing where both edit other symbols of one file", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const changes = yield* twoChanges(hands, base.replace("1", "3"), base.replace("2", "4"))
        const found = yield* (yield* Records).list("candidate", { where: { changeId: changes[1]! }, limit: 1 })
        expect(found.items[0]?.record.plan?.overlaps).toEqual([])
      })
    ))

  it("is told by symbol of two Tasks of one Change that git cannot merge, also in its why", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const project = yield* Projects.create(person, {
          organizationId,
          slug: "cart",
          files: { ...files, "src/cart.js": base }
        })
        yield* settle
        hands.plan = () => Effect.succeed([planned("a"), planned("b")])
        hands.agents.set("a", [edits("src/cart.js", base.replace("1", "3"))])
        hands.agents.set("b", [edits("src/cart.js", base.replace("1", "4"))])
        const changeId = yield* open(project.id)
        yield* settle
        const found = yield* (yield* Records).list("candidate", { where: { changeId }, limit: 1 })
        const candidate = found.items[0]?.record
        const overlap = { changeId, taskId: `tsk_${changeId}_a`, path: "src/cart.js", symbol: "add" }
        expect(candidate).toMatchObject({ status: "rejected", conflicts: ["src/cart.js"], overlaps: [overlap] })
        expect((yield* why(candidate!.id)).overlaps).toEqual([overlap])
      })
    ))

  it("is told of what has landed since its base", () =>
    inWorld((hands) =>
      Effect.gen(function* () {
        const [landed = ""] = yield* twoChanges(hands, base.replace("1", "3"), base)
        const [first] = (yield* (yield* Records).list("candidate", { where: { changeId: landed }, limit: 1 })).items
        expect(yield* promote(person, first!.record.id)).toMatchObject({ outcome: "promoted" })
        const { projectId } = first!.record
        const { change } = yield* Changes.open(person, {
          projectId,
          clientRequestId: "late",
          goal: "g",
          budgetUsd: 1,
          startPlanning: false
        })
        const edit = { message: "m", files: { "src/cart.js": `// two\n\n${base}` }, baseGeneration: 0 }
        yield* ChangeSets.record(person, { changeId: change.id, ...edit })
        const { candidate } = yield* Candidates.request(person, { changeId: change.id })
        yield* settle
        // In memory, files merge whole.
        expect((yield* demand("candidate", candidate.id)).record.overlaps).toEqual([
          { changeId: landed, taskId: `tsk_${landed}_a`, path: "src/cart.js", symbol: "add" }
        ])
      })
    ))
})
