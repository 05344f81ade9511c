/** Entries that stand ready and whose promotion is refused for what the lane does not look at. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import * as LaneSteps from "@pawl/core/lane/LaneSteps"
import { demand } from "@pawl/core/ledger/Decision"
import { candidateFork } from "@pawl/core/primitives/Ids"
import { Repositories } from "@pawl/core/project/Repositories"
import { heldBack, stepFor } from "@pawl/core/promotion/HeldBack"
import { laneWhy } from "@pawl/core/why/WhyLane"
import { answers, page, run, settle } from "../kit/MemoryPawl.ts"
import { clean, frozenFor, hour, outcome, racing } from "../kit/LaneScenes.ts"

const landed = "landed landed"

const play = (story: Parameters<typeof run>[0]) => run(Effect.provide(story, TestClock.layer()))

describe("An entry that stands ready and may not be promoted", () => {
  beforeEach(() => {
    answers.clear()
    answers.set("/", page(200))
  })

  it("is judged again where it stands when the waiver of its check has ended, and those behind it land", () =>
    play(
      Effect.gen(function* () {
        const waivedChecks = [{ id: "test", reason: "known", until: hour(1) }]
        const projectId = yield* frozenFor(2, { waivedChecks })
        yield* racing(projectId, [{ "result.txt": "broken" }, { "z.txt": "z" }])
        yield* settle
        expect((yield* outcome(projectId)).ends[0]).toBe("ready")
        yield* TestClock.adjust("2 hours")
        yield* settle
        expect((yield* outcome(projectId)).ends).toEqual(["rejected checks_failed", landed])
      })
    ))

  it("is judged again although a freeze holds it too, for nobody may come at the thaw", () =>
    play(
      Effect.gen(function* () {
        const waivedChecks = [{ id: "test", reason: "known", until: hour(1) }]
        const projectId = yield* frozenFor(5, { waivedChecks })
        yield* racing(projectId, [{ "result.txt": "broken" }, { "z.txt": "z" }])
        yield* settle
        yield* TestClock.adjust("2 hours")
        // Whatever moves in the line sends who stands first to land once more.
        yield* LaneSteps.step(projectId)
        yield* settle
        expect((yield* outcome(projectId)).ends).toEqual(["rejected checks_failed", "ready"])
        yield* TestClock.adjust("3 hours")
        yield* settle
        expect((yield* outcome(projectId)).ends).toEqual(["rejected checks_failed", landed])
      })
    ))

  it("is made anew when what was composed of it is gone; until then why says what it is refused for", () =>
    play(
      Effect.gen(function* () {
        const projectId = yield* frozenFor(1)
        yield* racing(projectId, clean(2))
        yield* settle
        const [first, second] = (yield* outcome(projectId)).entries
        expect([first?.status, second?.status]).toEqual(["ready", "ready"])
        expect((yield* laneWhy(first!.id))?.waits).toMatchObject({ for: "freeze" })
        const fork = { project: first!.projectId, fork: candidateFork(first!.candidateId!) }
        yield* (yield* Repositories).remove(fork)
        const reason = expect.stringContaining("composed_commit_missing")
        expect((yield* laneWhy(first!.id))?.waits).toMatchObject({ for: "blocked", reason })
        expect((yield* laneWhy(second!.id))?.before[0]?.waits).toMatchObject({ for: "blocked", reason })
        yield* TestClock.adjust("1 hour")
        yield* settle
        const { ends, entries } = yield* outcome(projectId)
        expect(ends).toEqual([landed, landed])
        expect(entries[0]?.predictions).toBe(1)
        expect(entries[0]?.candidateId).not.toBe(first?.candidateId)
      })
    ))

  it("says what it waits for where nobody but a person can do anything, once", () =>
    play(
      Effect.gen(function* () {
        const projectId = yield* frozenFor(1)
        yield* racing(projectId, clean(1))
        yield* settle
        const [entry] = (yield* outcome(projectId)).entries
        const blocks = [{ code: "candidate_not_verified", detail: "the Change is planned" }]
        yield* heldBack(entry!.candidateId!, blocks)
        const { record, revision } = yield* demand("laneEntry", entry!.id)
        expect([record.status, record.reason]).toEqual(["ready", "candidate_not_verified: the Change is planned"])
        yield* heldBack(entry!.candidateId!, blocks)
        expect((yield* demand("laneEntry", entry!.id)).revision).toBe(revision)
      })
    ))

  it("stands aside when decisions on it count no longer, whatever else stands in its way but the commit", () => {
    const entry = { id: "ent_0" } as never
    const tagOf = (...codes: ReadonlyArray<string>) =>
      stepFor(
        entry,
        codes.map((code) => ({ code, detail: "" }))
      )?._tag ?? null
    expect(tagOf("approval_missing")).toBe("Aside")
    expect(tagOf("check_gap", "approval_missing")).toBe("Aside")
    expect(tagOf("approval_missing", "composed_commit_missing")).toBe("Refute")
    expect(tagOf("check_gap", "check_gap")).toBe("Replan")
    expect(tagOf("check_gap", "frozen")).toBe("Replan")
    expect(tagOf("candidate_not_verified", "frozen")).toBe(null)
    expect(tagOf("frozen")).toBe(null)
    expect(tagOf("candidate_not_verified")).toBe(null)
    expect(tagOf()).toBe(null)
  })
})
