import { Effect } from "effect"
import { expect, it } from "vitest"
import * as Policies from "@pawl/core/approval/Policies"
import { EventLog } from "@pawl/core/event/EventLog"
import { person, settle } from "../kit/MemoryPawl.ts"
import { laneOn, outcome } from "../kit/LaneScenes.ts"
import { inWorld, newProject, open, planned, type Script, usage } from "../kit/WorkWorld.ts"

const writes =
  (text: string): Script =>
  () =>
    Effect.succeed({ _tag: "Published", edits: { "result.txt": text }, message: "m", intents: [], usage })

it("mends what failed only once the lane has rejected it standing first, and lands what was mended", () =>
  inWorld((hands) =>
    Effect.gen(function* () {
      const project = yield* newProject
      yield* Policies.change(person, project.id, laneOn)
      hands.plan = () => Effect.succeed([planned("a")])
      hands.agents.set("a", [writes("broken")])
      hands.agents.set("repair-1", [writes("mended")])
      yield* open(project.id)
      yield* settle
      const told = ["candidate.rejected", "lane.left", "task.repair_planned", "canonical.advanced"]
      const events = yield* (yield* EventLog).read(project.id, 0, 500)
      const order = events.filter(({ data, type }) => told.includes(type) && data["generation"] !== 0)
      expect(order.map(({ type }) => type)).toEqual([
        "candidate.rejected",
        "lane.left",
        "task.repair_planned",
        "canonical.advanced",
        "lane.left"
      ])
      const { ends, generation } = yield* outcome(project.id)
      expect([generation, ends]).toEqual([1, ["rejected checks_failed", "landed landed"]])
    })
  ))
