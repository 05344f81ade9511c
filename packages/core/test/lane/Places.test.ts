/** Who stands before whom once somebody is urgent, or comes back: what goes before an entry is what runs, not who came by itself. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import * as Policies from "@pawl/core/approval/Policies"
import { enter } from "@pawl/core/lane/LaneEntries"
import { laneView } from "@pawl/core/lane/LaneView"
import { demand } from "@pawl/core/ledger/Decision"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { clean, frozenFor, racing, worked } from "../kit/LaneScenes.ts"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { carriedOn, entered, laneProject } from "../why/LaneScenes.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

const play = (story: Parameters<typeof run>[0]) => run(Effect.provide(story, TestClock.layer()))

/** A lane of two that are predicted at once. */
const two = { mode: "on", depth: 2 } as const

/** Has the one at an index of the line land, and the lane look. */
const landing = (projectId: string, index: number) =>
  Effect.gen(function* () {
    const { entries } = yield* laneView(projectId)
    yield* Promotions.promote(person, entries[index]?.candidateId ?? "")
    yield* carriedOn(projectId)
  })

/** The open entries by their Changes, in the order of the line. */
const line = (projectId: string) =>
  Effect.map(laneView(projectId), ({ entries }) => entries.map(({ changeId, state }) => [changeId, state]))

describe("An urgent Change", () => {
  it("goes behind those that run, and before those that entered by themselves and only wait", () =>
    play(
      Effect.gen(function* () {
        const projectId = yield* frozenFor(1, { lane: two })
        const [a, b, ...rest] = yield* racing(projectId, clean(6))
        yield* settle
        const urgent = yield* worked(projectId, "urgent", { "urgent.txt": "now" })
        yield* enter(person, { changeId: urgent, priority: "urgent" })
        expect(yield* line(projectId)).toEqual([
          [a, "ready"],
          [b, "ready"],
          [urgent, "waiting"],
          ...rest.map((changeId) => [changeId, "waiting"])
        ])
      })
    ))
})

describe("A Change on which people must decide", () => {
  it("stands before those that wait each time others land, and is asked for anew", () =>
    play(
      Effect.gen(function* () {
        const projectId = yield* laneProject({ approvalRiskTiers: ["high"], lane: two })
        const owing = yield* entered(projectId, "owing", { "migrations/1.sql": "select 1" })
        yield* Policies.change(person, projectId, {
          approvalRiskTiers: ["high"],
          autoPromoteRiskTiers: ["low", "medium"],
          lane: two
        })
        const [a, b, c, d, e] = yield* racing(projectId, clean(5))
        yield* carriedOn(projectId)
        const waits = [c, d, e].map((changeId) => [changeId, "waiting"])
        expect(yield* line(projectId)).toEqual([[owing.changeId, "aside"], [a, "ready"], [b, "ready"], ...waits])
        const first = (yield* demand("laneEntry", owing.id)).record.candidateId
        yield* landing(projectId, 1)
        // It waits for a place among those that run, and nobody who waited goes before it.
        expect((yield* line(projectId)).slice(2)).toEqual([[owing.changeId, "waiting"], ...waits.slice(1)])
        yield* landing(projectId, 0)
        expect(yield* line(projectId)).toEqual([
          [c, "ready"],
          [owing.changeId, "aside"],
          [d, "ready"],
          [e, "waiting"]
        ])
        const { candidateId, ticket } = (yield* demand("laneEntry", owing.id)).record
        expect([ticket, candidateId === first]).toEqual([owing.ticket, false])
        expect((yield* demand("candidate", candidateId ?? "")).record.status).toBe("verified")
        // It stands on who lands next: that makes nothing of it stale.
        yield* landing(projectId, 0)
        expect((yield* demand("laneEntry", owing.id)).record).toMatchObject({ status: "aside", candidateId })
      })
    ))
})
