import type { Move } from "@pawl/core/ledger/History"
import { fromMillis } from "@pawl/core/primitives/Time"
import { describe, expect, it } from "vitest"
import { told } from "../../../src/http/answer/StateFrames.ts"

const move = (position: number, projectId = "proj_1"): Move => ({
  projectId,
  position,
  changeId: "chg_1",
  at: fromMillis(1000 + position),
  transitions: [{ kind: "change", id: "chg_1", from: null, to: `step-${position}`, reason: null }]
})

const steps = (marks: Map<string, number>, ...moves: ReadonlyArray<Move>) =>
  told(marks, moves).map(({ kind, projectId, sequence, to }) => [projectId, kind, to, sequence])

describe("What a reader is told", () => {
  it("is each row behind its marks, which move on", () => {
    const marks = new Map([["proj_1", 4]])
    expect(steps(marks, move(5), move(6), move(1, "proj_2"))).toEqual([
      ["proj_1", "change", "step-5", 1005],
      ["proj_1", "change", "step-6", 1006],
      ["proj_2", "change", "step-1", 1001]
    ])
    expect([...marks]).toEqual([
      ["proj_1", 6],
      ["proj_2", 1]
    ])
  })

  it("says that a Project has moved where rows between are gone, and of no other", () => {
    const marks = new Map([
      ["proj_1", 4],
      ["proj_2", 1]
    ])
    expect(steps(marks, move(9), move(10), move(2, "proj_2"))).toEqual([
      ["proj_1", "project", "moved", 1009],
      ["proj_1", "change", "step-9", 1009],
      ["proj_1", "change", "step-10", 1010],
      ["proj_2", "change", "step-2", 1002]
    ])
    // A Project whose beginning is not here.
    expect(steps(new Map(), move(3))).toEqual([
      ["proj_1", "project", "moved", 1003],
      ["proj_1", "change", "step-3", 1003]
    ])
  })
})
