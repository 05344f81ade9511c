/** A line of whose builds or sandbox time nothing is left: it waits, and nobody is blamed. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import { buildBudget } from "@pawl/core/bundle/Builds"
import { DailyCounter } from "@pawl/core/bundle/DailyCounter"
import { meansOf } from "@pawl/core/lane/Affordable"
import { step } from "@pawl/core/lane/LaneSteps"
import { laneView } from "@pawl/core/lane/LaneView"
import { demand } from "@pawl/core/ledger/Decision"
import { sandboxBudget } from "@pawl/core/verification/SandboxBudget"
import { laneWhy } from "@pawl/core/why/WhyLane"
import { clean, laned, outcome, racing } from "../kit/LaneScenes.ts"
import { answers, organizationId, page, run, settle } from "../kit/MemoryPawl.ts"
import { entered, laneProject } from "../why/LaneScenes.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

const landed = "landed landed"
const play = (story: Parameters<typeof run>[0]) => run(Effect.asVoid(Effect.provide(story, TestClock.layer())))

/** Others have used all that is left of a budget. */
const useUp = (budget: typeof buildBudget) =>
  Effect.gen(function* () {
    const { day, max, name } = yield* budget
    const counter = yield* DailyCounter
    yield* counter.add(name, day, max - (yield* counter.used(name, day)))
  })

describe("A lane that has nothing left to go on with", () => {
  it.each([
    ["of today's builds, until the next day", buildBudget, "1 day"],
    ["of the month's sandbox time, until the next month", sandboxBudget, "31 days"]
  ] as const)("waits where nothing is left %s", (_name, budget, time) =>
    play(
      Effect.gen(function* () {
        const project = yield* laned
        yield* useUp(budget)
        const [first] = yield* racing(project.id, clean(2))
        yield* settle
        const { ends, entries, runs } = yield* outcome(project.id)
        expect([ends, runs("test"), runs("build")]).toEqual([["waiting", "waiting"], 0, 0])
        expect((yield* laneWhy(entries[0]!.id))?.waits).toEqual({ for: "budget" })
        expect((yield* laneWhy(entries[1]!.id))?.waits).toEqual({ for: "ahead", changeId: first })
        expect((yield* laneView(project.id)).lane.depth).toBe(0)
        yield* TestClock.adjust(time)
        yield* settle
        expect((yield* outcome(project.id)).ends).toEqual([landed, landed])
      })
    )
  )

  it("has waited for more who was begun with the last, and learns nothing of it", () =>
    play(
      Effect.gen(function* () {
        const projectId = yield* laneProject()
        const { id } = yield* entered(projectId, "a", { "a.txt": "a" })
        yield* step(projectId)
        yield* useUp(buildBudget)
        yield* settle
        const { record } = yield* demand("laneEntry", id)
        expect([record.status, record.predictions]).toEqual(["waiting", 0])
        expect((yield* laneWhy(id))?.waits).toEqual({ for: "budget" })
        expect((yield* demand("lane", projectId)).record.decided).toEqual([])
        yield* TestClock.adjust("1 day")
        yield* settle
        expect((yield* outcome(projectId)).ends).toEqual([landed])
      })
    ))

  it("leaves other organizations their shares", () =>
    play(
      Effect.gen(function* () {
        const project = yield* laned
        const { before, day, max, name } = yield* buildBudget
        const counter = yield* DailyCounter
        const used = yield* counter.used(name, day)
        yield* counter.add(name, before, 1, [`${name}/org_another`])
        expect((yield* meansOf(project.id)).buildsLeft).toBe(max / 2 - used)
        yield* counter.add(name, day, max / 2 - used, [`${name}/${organizationId}`])
        expect((yield* meansOf(project.id)).buildsLeft).toBe(0)
      })
    ))
})
