import { describe, expect, it } from "vitest"
import { dueRepair, type Failure, isMendable, type Situation } from "@pawl/core/change/Repair"
import type { Candidate, RejectionCode } from "@pawl/core/model/Candidate"
import type { Task } from "@pawl/core/model/Task"

const task = (key: string, more: Partial<Task> = {}) =>
  ({ id: `tsk_${key}`, key, status: "completed", tier: "fast", reason: null, ...more }) as unknown as Task

const candidate = (id: string, changeSets: number, more: Partial<Candidate> = {}) =>
  ({
    id,
    lineage: id,
    status: "rejected",
    reason: "r",
    rejection: "checks_failed",
    recomposition: 0,
    changeSets: Array.from({ length: changeSets }, (_, at) => `cs_${at}`),
    ...more
  }) as unknown as Candidate

const failure = (candidateId: string, mark = candidateId) => ({ candidateId, mark, what: "test failed" }) as Failure
const sets = (...keys: ReadonlyArray<string>) =>
  keys.map((key, at) => ({ id: `cs_${at}`, taskId: `tsk_${key}` })) as unknown as Situation["changeSets"]

const rejected: Situation = {
  tasks: [task("a")],
  changeSets: sets("a"),
  candidates: [candidate("one", 1)],
  failures: new Map([["one", failure("one")]])
}

describe("What is due for a Change whose work is done", () => {
  it("is a repair of the Candidate that failed", () =>
    expect(dueRepair(rejected)).toEqual({ _tag: "Repair", n: 1, failure: failure("one") }))

  it.each<readonly [string, Partial<Situation>]>([
    ["no agent worked on it", { tasks: [task("edit-1", { tier: null })] }],
    ["there is no Candidate", { candidates: [] }],
    ["it failed for what no work mends", { failures: new Map() }],
    ["something was done since", { changeSets: sets("a", "edit-1") }],
    [
      "another Candidate is verified",
      { candidates: [candidate("one", 1), candidate("two", 1, { status: "verified" })] }
    ],
    ["a repair is at work", { tasks: [task("a"), task("repair-1", { status: "running" })] }],
    ["a repair waits for its budget", { tasks: [task("a"), task("repair-1", { status: "blocked" })] }]
  ])("is nothing where %s", (_, more) => expect(dueRepair({ ...rejected, ...more })).toEqual({ _tag: "Nothing" }))

  it("is a person's when the Change has all the Candidates that it may have", () => {
    const candidates = [candidate("x", 0), candidate("y", 0), candidate("one", 1)]
    expect(dueRepair({ ...rejected, candidates })).toEqual({
      _tag: "TellPerson",
      reason: "test failed; the Change has its 3 Candidates. Open another Change for what is left."
    })
  })

  it("counts no Candidate that took the place of a stale one", () => {
    const candidates = [candidate("x", 1, { status: "stale" }), candidate("one", 1, { recomposition: 1 })]
    expect(dueRepair({ ...rejected, candidates })).toMatchObject({ _tag: "Repair", n: 1 })
  })

  it.each<readonly [RejectionCode, boolean]>([
    ["checks_failed", true],
    ["merge_conflict", true],
    ["checks_could_not_run", false],
    ["sandbox_budget_used_up", false],
    ["rejected_by_person", false],
    ["verification_given_up", false],
    ["invalid_definitions", false],
    ["change_cancelled", false]
  ])("is a repair only of what work can mend: %s, %s", (rejection, mendable) =>
    expect(isMendable(candidate("one", 1, { rejection }))).toBe(mendable)
  )
})
