/**
 * Every row of the lives of Tasks and Changes is reached by the agent that is built in and the planner that asks a model,
 * with what people do meanwhile: nothing in between is played by hand.
 */
import * as MemorySecrets from "@pawl/adapters-memory/MemorySecrets"
import * as Approvals from "@pawl/core/approval/Approvals"
import * as Policies from "@pawl/core/approval/Policies"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as Budget from "@pawl/core/change/Budget"
import * as Cancellation from "@pawl/core/change/Cancellation"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { demand } from "@pawl/core/ledger/Decision"
import { Settings } from "@pawl/core/primitives/Settings"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { handOver, retry, stop } from "@pawl/core/task/Interventions"
import { giveUp } from "@pawl/core/task/OutsideLeases"
import { claim } from "@pawl/core/task/OutsideRuns"
import { Commands } from "@pawl/core/work/Commands"
import { execute } from "@pawl/core/work/Processes"
import * as DeadLetters from "@pawl/core/worker/DeadLetters"
import { handlers } from "@pawl/core/worker/Handlers"
import { calls, type Says } from "@pawl/testing/provider/Script"
import { Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { candidatesOf, projectOf, refused, tasksOf } from "../../../core/test/change/ChangeScenes.ts"
import { answers, page, person, settle } from "../../../core/test/kit/MemoryPawl.ts"
import { newProject, open, type Services, settleAll, statusOfChange, turn } from "../../../core/test/kit/WorkWorld.ts"
import { allRows, type Crew, inRowWorld, type Reached, task } from "./RowWorld.ts"

const fails = [calls("give_up", { reason: "it cannot be done" })]
const goesInCircles = [calls("list", {})]
/** Its first answer costs more than the budget has. */
const spends = [{ ...(calls("list", {}) as Says), usage: { input: 100, output: 700_000 } }, calls("list", {})]

const chain = [task("a"), task("b", ["a"]), task("c", ["b"])]
const all = ["low", "medium", "high"] as const

type Program = (crew: Crew) => Effect.Effect<unknown, unknown, Services>

/** A Change whose Tasks stand there, with no agent at work yet. */
const compiled = Effect.gen(function* () {
  const changeId = yield* open((yield* newProject).id)
  yield* turn("change.dispatch")
  return { changeId, idOf: (key: string) => `tsk_${changeId}_${key}` }
})

/** Does something while a Task's agent, or the planner, waits for its model. */
const meanwhile = (crew: Crew, key: string, act: Effect.Effect<unknown, unknown, Services>) =>
  Effect.gen(function* () {
    const closed = crew.stands(key)
    const working = yield* Effect.forkChild(settle)
    yield* Effect.promise(() => closed.reached)
    yield* act
    closed.open()
    yield* Fiber.join(working)
  })

const edit = (changeId: string, key: string) =>
  ChangeSets.record(person, {
    changeId,
    taskId: `tsk_${changeId}_${key}`,
    message: key,
    files: { [`${key}.txt`]: "by hand" }
  })

/** A Candidate of what is done, while the rest of the Change is stuck. */
const early = Effect.gen(function* () {
  const changeId = yield* open((yield* newProject).id)
  yield* settle
  const { candidate } = yield* Candidates.request(person, { changeId })
  yield* settle
  return { changeId, candidateId: candidate.id }
})

const verified = (needsApproval: boolean) =>
  Effect.gen(function* () {
    const { id } = yield* newProject
    if (needsApproval) yield* Policies.change(person, id, { approvalRiskTiers: all })
    const changeId = yield* open(id)
    yield* settle
    const [candidate] = yield* candidatesOf(changeId)
    return { projectId: id, changeId, candidateId: candidate?.id ?? "" }
  })

const scenes: Readonly<Record<string, Program>> = {
  "a goal is planned, worked and verified, and goes live": (crew) =>
    Effect.gen(function* () {
      crew.follow([...chain, task("r", [], { kind: "research" })], { r: [calls("answer", { text: "found" })] })
      const { candidateId, changeId } = yield* verified(false)
      yield* Promotions.promote(person, candidateId)
      yield* settle
      expect(yield* statusOfChange(changeId)).toBe("completed")
    }),

  "a goal is rejected by who should have approved it": () =>
    Effect.gen(function* () {
      const { candidateId, changeId } = yield* verified(true)
      yield* Approvals.decide(person, { changeId, candidateId, decision: "rejected" })
      expect(yield* statusOfChange(changeId)).toBe("verifying")
    }),

  "a goal is approved, and promoted where nothing is released": () =>
    Effect.gen(function* () {
      const settings = yield* Settings
      yield* Effect.gen(function* () {
        const { candidateId, changeId } = yield* verified(true)
        yield* Approvals.decide(person, { changeId, candidateId, decision: "granted" })
        yield* Promotions.promote(person, candidateId)
        expect(yield* statusOfChange(changeId)).toBe("completed")
      }).pipe(Effect.provideService(Settings, { ...settings, appsDomain: null }))
    }),

  "a swap is refused while it was verifying": (crew) =>
    Effect.gen(function* () {
      const { candidateId, projectId } = yield* verified(false)
      yield* refused(crew.hands, projectId, candidateId)
    }),

  "a swap is refused while an approval was awaited, and the goal is cancelled then": (crew) =>
    Effect.gen(function* () {
      const { candidateId, changeId, projectId } = yield* verified(true)
      yield* Approvals.decide(person, { changeId, candidateId, decision: "granted" })
      yield* refused(crew.hands, projectId, candidateId)
      expect(yield* statusOfChange(changeId)).toBe("awaiting_approval")
      yield* Cancellation.cancel(person, changeId)
    }),

  "a swap is refused while an agent has failed": (crew) =>
    Effect.gen(function* () {
      crew.follow([task("a"), task("b"), task("c", ["b"])], { b: fails })
      const { candidateId, changeId } = yield* early
      yield* refused(crew.hands, yield* projectOf(changeId), candidateId)
      expect(yield* statusOfChange(changeId)).toBe("running")
    }),

  "what is done goes live although an agent has failed; it does not answer, and the Change has failed": (crew) =>
    Effect.gen(function* () {
      crew.follow([task("a"), task("b")], { b: fails })
      const { candidateId, changeId } = yield* early
      answers.set("/", page(500))
      yield* Promotions.promote(person, candidateId)
      yield* settleAll
      expect(yield* statusOfChange(changeId)).toBe("failed")
    }),

  "a swap is refused while the budget is spent": (crew) =>
    Effect.gen(function* () {
      crew.follow([task("a"), task("b")], { b: spends })
      const { candidateId, changeId } = yield* early
      yield* refused(crew.hands, yield* projectOf(changeId), candidateId)
      expect(yield* statusOfChange(changeId)).toBe("budget_blocked")
    }),

  "what is done goes live although the budget is spent": (crew) =>
    Effect.gen(function* () {
      crew.follow([task("a"), task("b")], { b: spends })
      const { candidateId, changeId } = yield* early
      yield* Promotions.promote(person, candidateId)
      yield* settleAll
      expect(yield* tasksOf(changeId)).toEqual(["a completed", "b cancelled"])
    }),

  "a budget is spent, and raised": (crew) =>
    Effect.gen(function* () {
      crew.follow(chain, {
        a: [...spends, calls("write", { path: "a.txt", text: "a" }), calls("done", { message: "a" })]
      })
      const changeId = yield* open((yield* newProject).id)
      yield* settle
      expect(yield* statusOfChange(changeId)).toBe("budget_blocked")
      expect(yield* tasksOf(changeId)).toEqual(["a blocked", "b blocked", "c blocked"])
      yield* Budget.raise(person, changeId, 9)
      yield* settleAll
      expect(yield* tasksOf(changeId)).toEqual(["a completed", "b completed", "c completed"])
    }),

  "a budget is spent, and the goal is cancelled": (crew) =>
    Effect.gen(function* () {
      crew.follow([task("a")], { a: spends })
      const changeId = yield* open((yield* newProject).id)
      yield* settle
      yield* Cancellation.cancel(person, changeId)
      expect(yield* tasksOf(changeId)).toEqual(["a cancelled"])
    }),

  "an agent tries again, and fails for good; what depends on it is cancelled with the goal": (crew) =>
    Effect.gen(function* () {
      crew.follow([task("a"), task("b", ["a"])], { a: goesInCircles })
      const changeId = yield* open((yield* newProject).id)
      yield* settle
      expect((yield* demand("task", `tsk_${changeId}_a`)).record).toMatchObject({ status: "failed", attempt: 6 })
      expect(yield* tasksOf(changeId)).toEqual(["a failed", "b blocked"])
      yield* Cancellation.cancel(person, changeId)
    }),

  "a ninth agent waits": (crew) =>
    Effect.gen(function* () {
      const many = Array.from({ length: 10 }, (_, at) => task(`t${at}`))
      crew.follow(many)
      const { changeId } = yield* compiled
      const closed = Array.from({ length: 10 }, (_, at) => crew.stands(`t${at}`))
      const commands = yield* Commands
      const woken = yield* commands.claim({ worker: "test", kinds: ["agent.wake"], limit: 10, leaseMs: 60_000 })
      const working = yield* Effect.forkChild(
        Effect.forEach(woken, (leased) => execute(leased, handlers), { concurrency: "unbounded", discard: true })
      )
      yield* Effect.promise(() => Promise.all(closed.slice(0, 8).map(({ reached }) => reached)))
      for (const each of closed) each.open()
      yield* Fiber.join(working)
      yield* settleAll
      expect(new Set((yield* tasksOf(changeId)).map((each) => each.split(" ")[1]))).toEqual(new Set(["completed"]))
    }),

  "the wake of an agent dies before it is admitted, and is retried": (crew) =>
    Effect.gen(function* () {
      crew.follow(chain)
      crew.hands.broken.add("Tasks.admitted")
      const changeId = yield* open((yield* newProject).id)
      yield* settleAll
      expect(yield* tasksOf(changeId)).toEqual(["a blocked", "b blocked", "c blocked"])
      crew.hands.broken.clear()
      yield* DeadLetters.retry(person, `agent.wake:tsk_${changeId}_a`)
      yield* settleAll
      expect(yield* tasksOf(changeId)).toEqual(["a completed", "b completed", "c completed"])
    }),

  "the wake of an agent dies before it starts": (crew) =>
    Effect.gen(function* () {
      crew.hands.broken.add("Tasks.started")
      const changeId = yield* open((yield* newProject).id)
      yield* settleAll
      expect(yield* tasksOf(changeId)).toEqual(["a blocked"])
    }),

  "people stop, take over and give back Tasks that nobody works yet": (crew) =>
    Effect.gen(function* () {
      crew.follow(chain)
      const { changeId, idOf } = yield* compiled
      yield* stop(person, idOf("b"))
      yield* retry(person, idOf("b"))
      yield* handOver(person, idOf("b"))
      yield* stop(person, idOf("a"))
      yield* handOver(person, idOf("a"))
      yield* stop(person, idOf("a"))
      yield* retry(person, idOf("a"))
      yield* handOver(person, idOf("a"))
      yield* edit(changeId, "a")
      yield* edit(changeId, "b")
      yield* settle
      expect(yield* tasksOf(changeId)).toEqual(["a completed", "b completed", "c completed"])
      // Its agent was asked for c alone.
      expect(new Set(crew.asked())).toEqual(new Set(["planner", "c"]))
    }),

  "people stop and take over an agent that was admitted": (crew) =>
    Effect.gen(function* () {
      crew.follow([task("a"), task("b")])
      const { changeId, idOf } = yield* compiled
      yield* crew.before("Tasks.started", stop(person, idOf("a")))
      yield* turn("agent.wake")
      yield* crew.before("Tasks.started", handOver(person, idOf("b")))
      yield* turn("agent.wake")
      expect(yield* tasksOf(changeId)).toEqual(["a blocked", "b blocked"])
      expect(crew.asked()).toEqual(["planner"])
    }),

  "people stop and take over an agent in the middle of a call": (crew) =>
    Effect.gen(function* () {
      crew.follow([task("a"), task("b")])
      const { changeId, idOf } = yield* compiled
      yield* meanwhile(crew, "a", stop(person, idOf("a")))
      yield* settle
      yield* retry(person, idOf("a"))
      yield* meanwhile(crew, "a", handOver(person, idOf("a")))
      yield* settle
      expect(yield* tasksOf(changeId)).toEqual(["a blocked", "b completed"])
    }),

  "an agent outside gives up what it has claimed": (crew) =>
    Effect.gen(function* () {
      crew.follow([task("a")])
      const { idOf } = yield* compiled
      const { run } = yield* Effect.provide(claim(person, idOf("a")), MemorySecrets.layerMemory)
      yield* giveUp(person, run.id, "too hard")
      yield* settle
      expect(yield* tasksOf(run.changeId)).toEqual(["a completed"])
    }),

  "a goal is cancelled before it is planned": () =>
    Effect.gen(function* () {
      yield* Cancellation.cancel(person, yield* open((yield* newProject).id))
    }),

  "a goal is cancelled while its planner waits for its model": (crew) =>
    Effect.gen(function* () {
      const changeId = yield* open((yield* newProject).id)
      yield* meanwhile(crew, "planner", Cancellation.cancel(person, changeId))
      expect(yield* statusOfChange(changeId)).toBe("cancelled")
    }),

  "a goal is cancelled with Tasks that nobody works yet": (crew) =>
    Effect.gen(function* () {
      crew.follow([task("a"), task("b", ["a"])])
      const { changeId } = yield* compiled
      yield* Cancellation.cancel(person, changeId)
      expect(yield* tasksOf(changeId)).toEqual(["a cancelled", "b cancelled"])
    }),

  "a goal is cancelled when an agent was admitted": (crew) =>
    Effect.gen(function* () {
      const { changeId } = yield* compiled
      yield* crew.before("Tasks.started", Cancellation.cancel(person, changeId))
      yield* settle
      expect(yield* tasksOf(changeId)).toEqual(["a cancelled"])
    }),

  "a goal is cancelled in the middle of a call": (crew) =>
    Effect.gen(function* () {
      const { changeId } = yield* compiled
      yield* meanwhile(crew, "a", Cancellation.cancel(person, changeId))
      expect(yield* tasksOf(changeId)).toEqual(["a cancelled"])
    }),

  "a plan that cannot be worked fails its Change": (crew) =>
    Effect.gen(function* () {
      crew.follow([task("a", ["b"]), task("b", ["a"])])
      const changeId = yield* open((yield* newProject).id)
      yield* settle
      expect(yield* statusOfChange(changeId)).toBe("failed")
      expect(crew.asked()).toEqual(["planner", "planner", "planner"])
    }),

  "a person works a goal that nobody planned, and cancels it when it is verified": () =>
    Effect.gen(function* () {
      const changeId = yield* open((yield* newProject).id, { startPlanning: false })
      yield* ChangeSets.record(person, { changeId, message: "m", files: { "a.txt": "a" } })
      yield* Candidates.request(person, { changeId })
      yield* settle
      yield* Cancellation.cancel(person, changeId)
    })
}

describe("The agent that is built in and the planner that asks a model", () => {
  const reached: Reached = new Set()
  let played = 0

  it.each(Object.entries(scenes))("%s", async (_, program) => {
    await inRowWorld(reached, program)
    played++
  })

  it("reach every row of the lives of Tasks and Changes in these scenes", () => {
    expect(played).toBe(Object.keys(scenes).length)
    expect(allRows.filter((row) => !reached.has(row))).toEqual([])
    expect([...reached].filter((row) => !allRows.includes(row))).toEqual([])
  })
})
