import { describe, expect, it } from "vitest"
import type * as Repair from "@pawl/core/change/Repair"
import type { Change } from "@pawl/core/model/Change"
import { differing, type Mutation, survivors } from "./Mutants.ts"

describe("Bugs that are planted in the lane", () => {
  it("are caught in what mends a Change: nobody is to mend what is only doubtful", async () => {
    const early: Mutation = {
      bug: "a repair Task from a doubtful one",
      find: "if (isInLane(change)) return laneStepOf(change)",
      put: ""
    }
    const change = { id: "chg_1", projectId: "proj_1", planned: true } as unknown as Change
    const oracle = ({ afterRejection }: typeof Repair) => {
      const kinds = (asked: Change) => afterRejection(asked).map(({ kind }) => kind)
      return differing([
        ["in the lane the lane is told", kinds({ ...change, laneEntryId: "ent_1" }), ["lane.step"]],
        ["elsewhere it is mended at once", kinds(change), ["change.dispatch"]]
      ])
    }
    expect(await survivors<typeof Repair>("change/Repair.ts", [early], oracle)).toEqual([])
  })
})
