/** A rollback has the lane wait for a person, where there is a lane, and takes nothing from who paused it before. */
import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import * as Policies from "@pawl/core/approval/Policies"
import { pause, resume } from "@pawl/core/lane/LaneControl"
import { enter } from "@pawl/core/lane/LaneEntries"
import { demand } from "@pawl/core/ledger/Decision"
import { commandKinds } from "@pawl/core/model/Command"
import * as Promotions from "@pawl/core/promotion/Promotions"
import * as Rollbacks from "@pawl/core/promotion/Rollbacks"
import { handlers } from "@pawl/core/worker/Handlers"
import { laneOn, outcome, worked } from "../kit/LaneScenes.ts"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { askedFor, newProject } from "../kit/Scenes.ts"
import { turn } from "../kit/WorkWorld.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

const byHand = { ...laneOn, autoPromoteRiskTiers: [] }
const lane = (projectId: string) => Effect.map(demand("lane", projectId), ({ record }) => record)

/** Has a Change of one file land by the lane. */
const landing = (projectId: string, name: string) =>
  Effect.gen(function* () {
    yield* enter(person, { changeId: yield* worked(projectId, name, { [`${name}.txt`]: name }) })
    yield* settle
    return (yield* outcome(projectId)).generation
  })

/** A Project with one generation that landed by the lane. */
const begun = Effect.gen(function* () {
  const { id } = yield* newProject()
  yield* Policies.change(person, id, byHand)
  expect(yield* landing(id, "one")).toBe(1)
  return id
})

/** Everything that is due but the steps of the lane. */
const settleOthers = Effect.gen(function* () {
  const kinds = commandKinds.filter((kind) => handlers[kind] !== undefined && kind !== "lane.step")
  while ((yield* turn(...kinds)) > 0);
})

/** S0 becomes S2; the lane has not looked yet. */
const rollback = (projectId: string) =>
  Effect.gen(function* () {
    const { candidate } = yield* Rollbacks.request(person, { projectId, targetGeneration: 0, expectedGeneration: 1 })
    yield* settleOthers
    yield* Promotions.promote(person, candidate.id)
    expect((yield* outcome(projectId)).generation).toBe(2)
  })

describe("A lane whose Project goes back", () => {
  it("is held, once, although another promotion came before it looked", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* begun
        yield* rollback(projectId)
        const { id } = yield* askedFor(projectId, "past", { "past.txt": "past" })
        yield* settleOthers
        yield* Promotions.promote(person, id)
        yield* settle
        expect(yield* lane(projectId)).toMatchObject({ state: "paused", reason: expect.stringContaining("became S2") })
        yield* resume(person, projectId)
        expect(yield* landing(projectId, "four")).toBe(4)
        expect((yield* lane(projectId)).state).toBe("running")
      })
    ))

  it("is not held for what was done while it was off", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* begun
        yield* Policies.change(person, projectId, { ...byHand, lane: { mode: "off" } })
        yield* settle
        yield* rollback(projectId)
        yield* settle
        yield* Policies.change(person, projectId, byHand)
        yield* settle
        expect((yield* lane(projectId)).state).toBe("running")
        expect(yield* landing(projectId, "three")).toBe(3)
      })
    ))

  it("keeps who paused it, and why", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* begun
        yield* pause(person, projectId, "a look")
        yield* rollback(projectId)
        yield* settle
        expect(yield* lane(projectId)).toMatchObject({ state: "paused", pausedBy: person, reason: "a look" })
        yield* resume(person, projectId)
        yield* settle
        expect((yield* lane(projectId)).state).toBe("running")
      })
    ))
})
