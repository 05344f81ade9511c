/** A rollback goes in front of the line: nobody lands before it while it is under way, and it never stops the line for good. */
import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import * as Policies from "@pawl/core/approval/Policies"
import * as Cancellation from "@pawl/core/change/Cancellation"
import { resume } from "@pawl/core/lane/LaneControl"
import { enter } from "@pawl/core/lane/LaneEntries"
import { demand } from "@pawl/core/ledger/Decision"
import * as Promotions from "@pawl/core/promotion/Promotions"
import * as Rollbacks from "@pawl/core/promotion/Rollbacks"
import { laneWhy } from "@pawl/core/why/WhyLane"
import { Commands } from "@pawl/core/work/Commands"
import * as DeadLetters from "@pawl/core/worker/DeadLetters"
import { Limits } from "@pawl/core/primitives/Limits"
import { outcome } from "../kit/LaneScenes.ts"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { entered, laneProject } from "../why/LaneScenes.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

const landed = "landed landed"

/** S1, a rollback of it whose checks are under way, and two that stand in the line behind it. */
const rollingBack = (files: Record<string, string> = { "a.txt": "a" }, approvalRiskTiers: ReadonlyArray<"high"> = []) =>
  Effect.gen(function* () {
    const projectId = yield* laneProject({ approvalRiskTiers: [] })
    yield* entered(projectId, "first", files)
    yield* settle
    yield* Policies.change(person, projectId, { lane: { mode: "on", depth: 20 }, approvalRiskTiers })
    yield* settle
    const asked = { projectId, targetGeneration: 0, expectedGeneration: 1 }
    const { candidate, change } = yield* Rollbacks.request(person, asked)
    const claim = { worker: "t", kinds: ["candidate.create"], limit: 1, leaseMs: Limits.commandLeaseMs } as const
    const [leased] = yield* (yield* Commands).claim(claim)
    const line = yield* Effect.forEach(["b", "c"], (name) => entered(projectId, name, { [`${name}.txt`]: name }))
    yield* settle
    return { projectId, candidate, change, lease: leased!.lease, line }
  })

const endsOf = (projectId: string) => Effect.map(outcome(projectId), ({ ends }) => ends)

describe("A rollback beside a line", () => {
  it("lands before all that are ready, and why says that they let it", () =>
    run(
      Effect.gen(function* () {
        const { candidate, change, lease, line, projectId } = yield* rollingBack()
        expect(yield* endsOf(projectId)).toEqual([landed, "ready", "ready"])
        const waits = { for: "rollback", changeId: change.id }
        expect((yield* laneWhy(line[0]!.id))?.waits).toEqual(waits)
        expect((yield* laneWhy(line[1]!.id))?.before[0]?.waits).toEqual(waits)
        yield* (yield* Commands).release(lease, 0)
        yield* settle
        // Nobody must decide on it, and somebody has to promote it.
        expect((yield* demand("candidate", candidate.id)).record.status).toBe("verified")
        expect(yield* endsOf(projectId)).toEqual([landed, "ready", "ready"])
        expect((yield* Promotions.promote(person, candidate.id)).generation).toBe(2)
        yield* settle
        yield* resume(person, projectId)
        yield* settle
        const { ends, generation } = yield* outcome(projectId)
        expect([generation, ends]).toEqual([4, [landed, landed, landed]])
      })
    ))

  it("is let before nobody once it is cancelled", () =>
    run(
      Effect.gen(function* () {
        const { change, projectId } = yield* rollingBack()
        yield* Cancellation.cancel(person, change.id)
        yield* settle
        expect(yield* endsOf(projectId)).toEqual([landed, landed, landed])
      })
    ))

  it("is let before nobody once its verification was given up", () =>
    run(
      Effect.gen(function* () {
        const { lease, projectId } = yield* rollingBack()
        yield* (yield* Commands).fail(lease, "it broke", null)
        yield* settle
        expect(yield* endsOf(projectId)).toEqual([landed, "ready", "ready"])
        yield* DeadLetters.dismiss(person, lease.commandId)
        yield* settle
        expect(yield* endsOf(projectId)).toEqual([landed, landed, landed])
      })
    ))

  it("is let before nobody once its checks are through and people must decide on it", () =>
    run(
      Effect.gen(function* () {
        const { change, lease, projectId } = yield* rollingBack({ "migrations/1.sql": "one" }, ["high"])
        expect(yield* endsOf(projectId)).toEqual([landed, "ready", "ready"])
        yield* (yield* Commands).release(lease, 0)
        yield* settle
        expect(yield* endsOf(projectId)).toEqual([landed, landed, landed])
        expect((yield* demand("change", change.id)).record.status).toBe("cancelled")
      })
    ))

  it("is refused in words where it is to stand in the line itself", () =>
    run(
      Effect.gen(function* () {
        const { change } = yield* rollingBack()
        const refusal = yield* Effect.flip(enter(person, { changeId: change.id }))
        expect(refusal).toMatchObject({ _tag: "InvalidField", code: "rollback_goes_first" })
      })
    ))
})
