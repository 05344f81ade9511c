/** Everything that a line of ten says of itself, after others have failed, were cancelled, taken out, or got newer work. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, expect, it } from "vitest"
import * as Policies from "@pawl/core/approval/Policies"
import * as Cancellation from "@pawl/core/change/Cancellation"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { leave } from "@pawl/core/lane/LaneEntries"
import { step } from "@pawl/core/lane/LaneSteps"
import { demand } from "@pawl/core/ledger/Decision"
import { type LaneWait, laneWhy } from "@pawl/core/why/WhyLane"
import { hour } from "../kit/LaneScenes.ts"
import { answers, page, person, run } from "../kit/MemoryPawl.ts"
import { carriedOn, entered, laneProject, lasted } from "./LaneScenes.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

/** Each in the order of entering: those that leave again, and those that are asked about. */
const edits = {
  cancelled: { "cancelled.txt": "1" },
  one: { "one.txt": "1" },
  withdrawn: { "withdrawn.txt": "1" },
  two: { "two.txt": "1" },
  renewed: { "renewed.txt": "1" },
  three: { "three.txt": "1" },
  bad: { "result.txt": "broken" },
  four: { "four.txt": "1" },
  owing: { "migrations/1.sql": "1" },
  clash: { "four.txt": "2" },
  five: { "five.txt": "1" }
}
type Name = keyof typeof edits

/** The line after four that stood in it have gone one after the other, each carried on; two come last. */
const tenAfterAll = Effect.gen(function* () {
  const waivedChecks = [{ id: "test", reason: "known", until: hour(100) }]
  const projectId = yield* laneProject({ approvalRiskTiers: ["high"], waivedChecks })
  const line = {} as Record<Name | "late" | "last", { readonly id: string; readonly changeId: string }>
  for (const [name, files] of Object.entries(edits)) line[name as Name] = yield* entered(projectId, name, files)
  yield* carriedOn(projectId)
  yield* Cancellation.cancel(person, line.cancelled.changeId)
  yield* carriedOn(projectId)
  yield* leave(person, line.withdrawn.changeId)
  yield* carriedOn(projectId)
  yield* ChangeSets.record(person, { changeId: line.renewed.changeId, message: "more", files: { "more.txt": "1" } })
  yield* carriedOn(projectId)
  // What failed and was waived fails now.
  yield* Policies.change(person, projectId, { lane: { mode: "on", depth: 20 }, approvalRiskTiers: ["high"] })
  yield* carriedOn(projectId)
  line.late = yield* entered(projectId, "late", { "late.txt": "1" })
  line.last = yield* entered(projectId, "last", { "last.txt": "1" })
  yield* step(projectId)
  yield* lasted(
    projectId,
    Array.from({ length: 100 }, (_, nth) => (nth % 4 === 0 ? 6 : 2))
  )
  return line
})

const soon = { medianMs: 0, p95Ms: 0 }
/** Whoever is checked once more, or for the first time, takes as long as one in the middle, or in twenty, takes here. */
const later = { medianMs: 120_000, p95Ms: 360_000 }

it("says of each of ten who stands before it, what it waits for, when it will land, and for whom each earlier prediction fell", () =>
  run(
    Effect.gen(function* () {
      const line = yield* tenAfterAll
      const order = ["one", "two", "three", "bad", "four", "owing", "clash", "five", "late", "last"] as const
      const idOf = (name: keyof typeof line) => line[name].changeId
      const ahead = (name: keyof typeof line): LaneWait => ({ for: "ahead", changeId: idOf(name) as `chg_${string}` })
      const fell = (name: Name, code: string, reason: string) => ({
        code,
        changeId: idOf(name),
        title: `goal ${name}`,
        reason
      })
      const cancelled = fell("cancelled", "cancelled", "was cancelled")
      const withdrawn = fell("withdrawn", "withdrawn", "was taken out of the lane")
      const renewed = fell("renewed", "new_work", "left the lane for newer work")
      const failed = fell("bad", "failed", "failed")
      const clash = fell("four", "conflict", "could not be merged with it")
      const conflict = { for: "conflict", changeId: idOf("four"), paths: ["four.txt"] }
      const expected = [
        ["ready", 1, null, soon, [cancelled]],
        ["ready", 2, ahead("one"), soon, [cancelled, withdrawn]],
        ["ready", 3, ahead("two"), soon, [cancelled, withdrawn, renewed]],
        ["doubtful", null, ahead("three"), later, [cancelled, withdrawn, renewed]],
        ["ready", 4, ahead("bad"), later, [cancelled, withdrawn, renewed, failed]],
        ["aside", null, { for: "approval" }, null, []],
        ["waiting", null, conflict, later, [clash, clash, clash, clash]],
        ["ready", 5, ahead("clash"), later, [cancelled, withdrawn, renewed, failed]],
        ["running", 6, { for: "slot" }, later, []],
        ["waiting", 7, ahead("late"), later, []]
      ]
      const said = yield* Effect.forEach(order, (name) => laneWhy(line[name].id))
      const told = said.map((each) => [
        each?.state,
        each?.predictedGeneration,
        each?.waits,
        each?.expected,
        each?.predictions.map((prediction) => prediction.fell)
      ])
      expect(told).toEqual(expected)
      expect(said.map((each) => each?.position)).toEqual(order.map((_, index) => index + 1))
      const before = order.map((name, index) => ({
        entryId: line[name].id,
        changeId: idOf(name),
        title: `goal ${name}`,
        state: expected[index]?.[0],
        waits: expected[index]?.[2]
      }))
      expect(said.map((each) => each?.before)).toEqual(order.map((_, index) => before.slice(0, index)))
      // The oldest first; what each was made on is another Candidate, or canonical.
      const [first, ...others] = said[4]?.predictions ?? []
      expect((yield* demand("candidate", first?.ahead ?? "")).record.changeId).toBe(idOf("bad"))
      expect(others.map(({ generation }) => generation)).toEqual([7, 6, 5])
    }).pipe(Effect.provide(TestClock.layer()))
  ))
