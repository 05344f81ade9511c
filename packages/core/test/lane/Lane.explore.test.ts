import { describe, expect, it } from "vitest"
import * as Staleness from "@pawl/core/candidate/Staleness"
import * as LanePlan from "@pawl/core/lane/LanePlan"
import * as Canonical from "@pawl/core/promotion/Canonical"
import { rounds } from "@pawl/testing/Depth"
import { explore } from "@pawl/testing/tools/Explorer"
import { broken, keyOf } from "./LaneInvariants.ts"
import { next } from "./LaneHappenings.ts"
import { begin, type Happenings, nothing, type Rules } from "./LaneWorld.ts"

const rules: Rules = { plan: LanePlan, staleness: Staleness, canonical: Canonical }

const walk = (happenings: Happenings, maxStates: number) => {
  const walked = explore(
    {
      initial: begin(happenings),
      next: (world) => next(world, happenings, rules),
      key: keyOf,
      broken: (world) => broken(world, happenings, rules)
    },
    maxStates
  )
  console.log(`explored ${walked.states} states, ${walked.steps} steps`)
  return walked
}

const everything = { policies: 1, freezes: 1, rollbacks: 1, cancels: 1 }
const most = rounds({ quick: 20_000, deep: 400_000, long: 2_000_000 })

describe("The lane keeps its promises in every state that can be reached", () => {
  it.each<readonly [string, Happenings]>([
    ["two entries, a Policy, a rollback, a cancel and a freeze", { ...nothing, entries: 2, ...everything }],
    ["two entries, promoted by hand too, and one moved", { ...nothing, entries: 2, byHand: true, moves: 1 }],
    ["two entries, one of which owes approvals", { ...nothing, entries: 2, approvals: true }],
    [
      "two entries, a pause, one taken out and a freeze",
      { ...nothing, entries: 2, pauses: 1, withdrawals: 1, freezes: 1 }
    ],
    ["two entries that do not merge", { ...nothing, entries: 2, conflicts: [["a", "b"]] }],
    [
      "two entries whose checks are retried, one of which is cancelled",
      { ...nothing, entries: 2, retries: true, cancels: 1 }
    ],
    ["three entries to which nothing else happens", { ...nothing, entries: 3 }],
    ["three entries of which two do not merge", { ...nothing, entries: 3, conflicts: [["a", "b"]] }],
    ["three entries, of which one may be paid for at a time", { ...nothing, entries: 3, affordable: 1 }]
  ])("with %s", (_name, happenings) => {
    const walked = walk(happenings, 2_000_000)
    expect(walked.violation).toBeNull()
    expect(walked.complete).toBe(true)
  })

  it.each<readonly [string, Happenings]>([
    ["three entries, one moved", { ...nothing, entries: 3, moves: 1 }],
    ["three entries, a pause, and one taken out", { ...nothing, entries: 3, pauses: 1, withdrawals: 1 }],
    ["three entries whose checks are retried", { ...nothing, entries: 3, retries: true }],
    ["three entries, a cancel, and promoted by hand too", { ...nothing, entries: 3, cancels: 1, byHand: true }],
    ["two entries and all that can happen", { ...nothing, ...everything, entries: 2, moves: 1, byHand: true }]
  ])("as far as it goes, with %s", (_name, happenings) => {
    const walked = walk(happenings, most)
    expect(walked.violation).toBeNull()
    expect(walked.states).toBeGreaterThan(1000)
  })
})
