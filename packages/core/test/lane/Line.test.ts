import { describe, expect, it } from "vitest"
import { depthOf, failureRate, learnedDepth, withDecided } from "@pawl/core/lane/Depth"
import { after, isOutOfMeans, nextStep, planLane, type Reading } from "@pawl/core/lane/LanePlan"
import { type Member, type Seen, wantedBase, wantedBases } from "@pawl/core/lane/Line"
import { passingIndex, putAt, returnIndex, type Stood, urgentIndex } from "@pawl/core/lane/Places"
import type { LaneEntry } from "@pawl/core/model/LaneEntry"
import { entry, made, member, onCanonical as head, reading } from "./Readings.ts"

const on = (n: number, generation: number) => ({ generation, commit: `m${n}`, tree: `mt${n}` })
const told = (line: ReadonlyArray<Member>, more: Partial<Reading> = {}) =>
  planLane(reading(line, more)).map((step) => `${step._tag}${"entry" in step ? ` ${step.entry.id}` : ""}`)

describe("What an entry is made on", () => {
  it("is canonical where nobody stands before it", () => {
    expect(wantedBase([], head)).toEqual({ ...head, ahead: null })
  })

  it("is the nearest before it that is neither doubtful, aside nor unmergeable", () => {
    const first = member(1, "ready", made(1, head))
    const doubtful = member(2, "doubtful", made(2, on(1, 5), "rejected"))
    const aside = member(3, "aside", made(3, on(1, 5)))
    const conflict: Seen = { ...made(4, on(1, 5), "rejected"), rejection: "merge_conflict", made: null }
    const unmergeable = member(4, "waiting", conflict)
    expect(wantedBase([first, doubtful, aside, unmergeable], head)).toEqual({ ...on(1, 5), ahead: "cand_1" })
  })

  it("is not decided while the nearest is composed, waits, or is to be made anew", () => {
    expect(wantedBase([member(1, "running", made(1, head, "composing"))], head)).toBe(null)
    expect(wantedBase([member(1, "waiting", null)], head)).toBe(null)
    expect(wantedBase([member(1, "ready", made(1, { ...head, commit: "other" }))], head)).toBe(null)
    expect(wantedBases([member(1, "waiting", null), member(2, "waiting", null)], head)).toEqual([
      { ...head, ahead: null },
      null
    ])
  })
})

describe("The plan of a lane", () => {
  it("composes one after another, and no deeper than it may", () => {
    const line = [1, 2, 3].map((n) => member(n, "waiting", null))
    expect(told(line)).toEqual(["Compose ent_1"])
    const running = [member(1, "running", made(1, head, "verifying")), member(2, "waiting", null)]
    expect(told(running)).toEqual(["Compose ent_2"])
    expect(told(running, { policy: { version: 1, lane: { mode: "on", depth: 1 } } })).toEqual([])
    expect(told([member(1, "waiting", null)], { affordable: 1 })).toEqual(["Compose ent_1"])
  })

  it("composes nobody when nothing may be paid for, but has again what was verified before", () => {
    const line = [member(1, "waiting", null), member(2, "waiting", null)]
    expect(told(line, { affordable: 0 })).toEqual([])
    expect(isOutOfMeans(reading(line, { affordable: 0 }))).toBe(true)
    expect(isOutOfMeans(reading(line))).toBe(false)
    expect(told([member(1, "waiting", made(1, head))], { affordable: 0 })).toEqual(["Compose ent_1"])
  })

  it("waits with who could not be checked because nothing was left, and blames nobody for it", () => {
    const short = { ...made(1, head, "rejected"), rejection: "checks_could_not_run" } as const
    const composing = { ...made(1, head, "rejected"), rejection: "sandbox_budget_used_up", made: null } as const
    const none = { affordable: 0 }
    expect(told([{ ...member(1, "running", short), ranOut: true }], none)).toEqual(["Refute ent_1"])
    expect(told([member(1, "running", composing)], none)).toEqual(["Refute ent_1"])
    expect(told([{ ...member(1, "running", short), ranOut: true }])).toEqual(["Refute ent_1", "Compose ent_1"])
    expect(told([member(1, "running", short)])).toEqual(["Doubt ent_1", "Reject ent_1"])
  })

  it("lands nobody before a rollback that is under way, and goes on checking", () => {
    const line = [member(1, "running", made(1, head)), member(2, "waiting", null)]
    expect(told(line, { rollback: "chg_back" })).toEqual(["Pass ent_1", "Compose ent_2"])
  })

  it("rejects who failed first on canonical before it lands the next one", () => {
    const line = [member(1, "running", made(1, head, "rejected")), member(2, "running", made(2, head))]
    expect(told(line)).toEqual(["Doubt ent_1", "Pass ent_2", "Reject ent_1", "Land ent_2"])
  })

  it("blames nobody whose base is not canonical, and predicts those behind without it at once", () => {
    const line = [
      member(1, "running", made(1, head, "verifying")),
      member(2, "running", made(2, on(1, 5), "rejected")),
      member(3, "running", made(3, on(2, 6), "verifying"))
    ]
    expect(told(line)).toEqual(["Doubt ent_2", "Refute ent_3", "Compose ent_3"])
  })

  it("lets nobody land while it is paused, and ends what runs", () => {
    const line = [member(1, "running", made(1, head)), member(2, "waiting", null)]
    expect(told(line, { lane: { state: "paused", decided: [] } })).toEqual(["Pass ent_1"])
  })

  it("waits for a person after a rollback, once, unless the Policy says otherwise", () => {
    const line = [member(1, "running", made(1, head))]
    expect(told(line, { rolledBack: true })).toEqual(["Pass ent_1", "Hold"])
    expect(told(line, { rolledBack: true, lane: { state: "running", decided: [], heldAt: 4 } })).toEqual([
      "Pass ent_1",
      "Land ent_1"
    ])
    const free = { version: 1, lane: { mode: "on", holdAfterRollback: false } } as const
    expect(told(line, { rolledBack: true, policy: free })).toEqual(["Pass ent_1", "Land ent_1"])
  })

  it("puts who owes a decision aside, and brings it back behind those that have begun", () => {
    const owing = { ...member(1, "running", made(1, head)), owes: true }
    expect(told([owing])).toEqual(["Aside ent_1"])
    const line = [
      member(1, "aside", made(1, head), { candidateId: "cand_1" }),
      member(2, "running", made(2, head, "verifying"), { candidateId: "cand_2" }),
      member(3, "waiting", null)
    ]
    const step = nextStep(reading(line))
    const next = after(reading(line), step!)
    expect(step?._tag).toBe("Return")
    expect(next.line.map((each) => each.entry.id)).toEqual(["ent_2", "ent_1", "ent_3"])
  })

  it("brings several back in their order", () => {
    const stale = (n: number) => member(n, "aside", made(n, { ...head, commit: "old" }, "stale"))
    const line = [stale(1), stale(2), member(3, "running", made(3, head, "verifying")), member(4, "waiting", null)]
    let now = reading(line)
    for (let n = 0; n < 2; n++) now = after(now, nextStep(now)!)
    expect(now.line.map((each) => each.entry.id)).toEqual(["ent_3", "ent_1", "ent_2", "ent_4"])
  })

  it("brings one back to where the very tree lands that was approved, when its approval counts for no other", () => {
    const approved = { ...made(2, head), asksApproval: true }
    const before = (passedBy: number) => [
      member(1, "running", made(1, head, "verifying"), { candidateId: "cand_1", passedBy }),
      member(2, "aside", approved, { candidateId: "cand_2" })
    ]
    const orderOf = (line: ReadonlyArray<Member>, more: Partial<Reading> = {}) => {
      const now = reading(line, more)
      return after(now, nextStep(now)!).line.map(({ entry: { id, passedBy } }) => [id, passedBy])
    }
    const behind = [
      ["ent_1", 0],
      ["ent_2", 0]
    ]
    expect(orderOf(before(0))).toEqual([
      ["ent_2", 0],
      ["ent_1", 1]
    ])
    expect(orderOf(before(3))[0]).toEqual(["ent_1", 3])
    const carrying = { version: 1, lane: { mode: "on", carryApprovals: "same-blobs" } } as const
    expect(orderOf(before(0), { policy: carrying })).toEqual(behind)
    expect(orderOf(before(0), { policy: { version: 2, lane: { mode: "on" } } })).toEqual(behind)
    const promoting = before(0).map((each) => ({ ...each, change: { ...each.change, status: "promoting" as const } }))
    expect(orderOf([promoting[0]!, before(0)[1]!])).toEqual(behind)
    const onFirst = { ...made(3, on(1, 5)), asksApproval: true }
    const line = [
      member(1, "running", made(1, head), { candidateId: "cand_1" }),
      member(2, "running", made(2, on(1, 5), "verifying"), { candidateId: "cand_2" }),
      member(3, "aside", onFirst, { candidateId: "cand_3" })
    ]
    const steps = planLane(reading(line)).map((step) => `${step._tag}${"entry" in step ? ` ${step.entry.id}` : ""}`)
    expect(steps.slice(0, 3)).toEqual(["Pass ent_1", "Return ent_3", "Land ent_1"])
    const passed = reading(
      line.map((each, n) => (n === 0 ? { ...each, entry: { ...each.entry, status: "ready" as const } } : each))
    )
    expect(after(passed, nextStep(passed)!).line.map(({ entry: { id } }) => id)).toEqual(["ent_1", "ent_3", "ent_2"])
  })

  it("checks anew in place who was planned under another Policy", () => {
    const line = [member(1, "ready", made(1, head)), member(2, "running", made(2, on(1, 5), "verifying"))]
    expect(told(line, { policy: { version: 2, lane: { mode: "on" } } })).toEqual(["Replan ent_1"])
  })

  it("waits with who was predicted more than 16 times until it stands first", () => {
    const line = [member(1, "running", made(1, head, "verifying")), member(2, "waiting", null, { predictions: 17 })]
    expect(told(line)).toEqual([])
    expect(told([member(2, "waiting", null, { predictions: 17 })])).toEqual(["Compose ent_2"])
  })

  it("predicts those behind who failed without it while it is retried, and decides nobody behind it before", () => {
    const retried = { ...member(1, "running", made(1, head, "verifying")), retried: true }
    expect(told([retried, member(2, "running", made(2, on(1, 5), "verifying"))])).toEqual([
      "Refute ent_2",
      "Compose ent_2"
    ])
    expect(told([retried, member(2, "running", made(2, head))])).toEqual(["Pass ent_2"])
    expect(told([retried, member(2, "running", made(2, head, "rejected"))])).toEqual(["Doubt ent_2"])
  })

  it("predicts them on it again once its retry has passed", () => {
    const line = [member(1, "running", made(1, head)), member(2, "ready", made(2, head))]
    expect(told(line)).toEqual(["Pass ent_1", "Land ent_1", "Refute ent_2", "Compose ent_2"])
  })

  it("waits with who does not merge with those before it, and rejects who does not merge with canonical", () => {
    const conflict = (base: Seen["base"]): Seen => ({
      ...made(2, base, "rejected"),
      rejection: "merge_conflict",
      made: null
    })
    const first = member(1, "running", made(1, head, "verifying"))
    expect(told([first, member(2, "running", conflict(on(1, 5)))])).toEqual(["Refute ent_2"])
    expect(told([first, member(2, "waiting", conflict(on(1, 5)))])).toEqual([])
    expect(told([member(2, "waiting", conflict(head))])).toEqual(["Reject ent_2"])
  })

  it("takes everybody out once the lane is off or the Project archived, and who has nothing to land any more", () => {
    const line = [member(1, "waiting", null), member(2, "ready", made(2, head))]
    expect(told(line, { policy: { version: 1, lane: { mode: "off" } } })).toEqual(["Leave ent_1", "Leave ent_2"])
    expect(told(line, { archived: true })).toEqual(["Leave ent_1", "Leave ent_2"])
    const gone: Member = { ...line[0]!, change: { status: "cancelled", laneEntryId: "ent_1" } }
    const anew: Member = { ...line[0]!, change: { status: "verifying", laneEntryId: null } }
    expect([gone, anew].map((each) => nextStep(reading([each])))).toMatchObject([
      { _tag: "Leave", trigger: "changeCancelled", code: "change_cancelled" },
      { _tag: "Leave", trigger: "newWork", code: "new_work" }
    ])
  })
})

describe("The depth of a lane", () => {
  const decided = (failed: number, all: number) =>
    Array.from({ length: all }, (_, index) => ({ changeId: `chg_${index}` as const, failed: index < failed }))

  it("is learned from the last 50 decided Changes: 20 where hardly one fails, 6 where 3 of 10 do", () => {
    expect([[], decided(0, 50), decided(5, 50), decided(15, 50), decided(50, 50)].map(learnedDepth)).toEqual([
      20, 20, 16, 6, 2
    ])
    expect(failureRate([])).toBe(1 / 20)
  })

  it("is what the Policy says, no more than can be paid for, and nothing where that is nothing", () => {
    expect([depthOf([], { depth: 3 }, 9), depthOf([], {}, 2), depthOf([], {}, 0)]).toEqual([3, 2, 0])
  })

  it("counts a Change once, by its last verdict", () => {
    const before = decided(1, 50)
    const now = withDecided(before, { changeId: "chg_0", failed: false })
    expect([now.length, now.filter(({ failed }) => failed).length, now.at(-1)?.changeId]).toEqual([50, 0, "chg_0"])
    expect(withDecided(before, { changeId: "chg_99", failed: true })).toHaveLength(50)
  })
})

describe("A place in the line", () => {
  const stood = (n: number, more: Partial<LaneEntry> = {}): Stood & Pick<LaneEntry, "priority"> =>
    entry(n, "waiting", more)
  const begun = (n: number, status: LaneEntry["status"] = "running") => stood(n, { status })
  const candidateId = "cand_0" as const

  it("of an urgent entry is behind those that have begun, other urgent ones, and those that were passed 3 times", () => {
    expect(urgentIndex([begun(1), stood(2), stood(3)])).toBe(1)
    expect(urgentIndex([begun(1), stood(2, { priority: "urgent" }), stood(3)])).toBe(2)
    expect(urgentIndex([stood(1), stood(2, { passedBy: 3 }), stood(3)])).toBe(2)
    expect(urgentIndex([begun(1, "ready"), begun(2, "doubtful"), stood(3)])).toBe(2)
    expect(putAt([begun(1), stood(2), stood(3)], 1, 4)).toEqual({
      place: 1.5,
      moved: new Map(),
      passed: ["ent_2", "ent_3"]
    })
  })

  it("is before those that wait, also with a Candidate that they entered with or that is to be made anew", () => {
    const waits = [2, 3].map((n) => stood(n, { candidateId, predictions: n }))
    expect(urgentIndex([begun(1), ...waits])).toBe(1)
    expect(returnIndex([begun(2), ...waits.map((each) => ({ ...each, place: each.place + 1 }))], 1)).toBe(1)
  })

  it("of whom an admin puts somewhere is behind those that were passed 3 times, whoever has begun", () => {
    const often = stood(2, { passedBy: 3 })
    expect(passingIndex([begun(1), stood(2)], 0)).toBe(0)
    expect(passingIndex([begun(1), often, stood(3)], 0)).toBe(2)
    expect(passingIndex([begun(1), often, stood(3)], 2)).toBe(2)
    // Who came before it is not passed by it.
    expect(passingIndex([stood(3), { ...often, place: 4 }], 0, 1)).toBe(0)
  })

  it("of one that comes back is by its number, behind those that have begun", () => {
    expect(returnIndex([begun(3), stood(4)], 2)).toBe(1)
    expect(returnIndex([begun(1), stood(2), stood(4)], 3)).toBe(2)
  })

  it("is found also where no number is left between two", () => {
    const next = 1 + Number.EPSILON
    const placed = putAt([stood(1), stood(2, { place: next }), stood(3)], 1, 9)
    expect([placed.place, [...placed.moved.keys()]]).toEqual([next, ["ent_2", "ent_3"]])
    expect([...placed.moved.values()].toSorted((a, b) => a - b)[0]).toBeGreaterThan(next)
    expect(putAt([], 0, 7).place).toBe(7)
    expect(putAt([stood(5)], 0, 7).place).toBe(4)
  })
})
