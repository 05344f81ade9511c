import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import { pause } from "@pawl/core/lane/LaneControl"
import { enter } from "@pawl/core/lane/LaneEntries"
import { laneView } from "@pawl/core/lane/LaneView"
import { step } from "@pawl/core/lane/LaneSteps"
import { demand } from "@pawl/core/ledger/Decision"
import { generationKey } from "@pawl/core/model/Entities"
import { Limits } from "@pawl/core/primitives/Limits"
import { expectedOf } from "@pawl/core/why/LaneTimes"
import { laneWhy } from "@pawl/core/why/WhyLane"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { askedFor } from "../kit/Scenes.ts"
import { carriedOn, entered, laneProject, lasted } from "./LaneScenes.ts"

describe("Why, of an entry of the lane", () => {
  beforeEach(() => {
    answers.clear()
    answers.set("/", page(200))
  })

  it("says that it waits for people, for those ahead, for a conflict with them, and for who paused the lane", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject({ approvalRiskTiers: ["high"] })
        const first = yield* entered(projectId, "r1", { "same.txt": "one" })
        const owing = yield* entered(projectId, "r2", { "migrations/2.sql": "two" })
        const conflict = yield* entered(projectId, "r3", { "same.txt": "three" })
        yield* carriedOn(projectId)
        expect((yield* laneWhy(owing.id))?.waits).toEqual({ for: "approval" })
        expect((yield* laneWhy(owing.id))?.predictedGeneration).toBeNull()
        expect((yield* laneWhy(conflict.id))?.waits).toEqual({
          for: "conflict",
          changeId: first.changeId,
          paths: ["same.txt"]
        })
        yield* pause(person, projectId, "looking at it")
        expect((yield* laneWhy(first.id))?.waits).toEqual({ for: "pause", reason: "looking at it" })
        const { entries, lane } = yield* laneView(projectId)
        expect(lane).toEqual({ state: "paused", depth: 20, reason: "looking at it", pausedBy: person.id })
        expect(entries.map(({ position, state }) => [position, state])).toEqual([
          [1, "ready"],
          [2, "aside"],
          [3, "waiting"]
        ])
      })
    ))

  it("names of all those before it the one that changes what it is in conflict about, and of several the nearest", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject({ approvalRiskTiers: [] })
        const enter = (name: string, files: Readonly<Record<string, string>>) => entered(projectId, name, files)
        const first = yield* enter("r1", { "same.txt": "one", "other.txt": "one" })
        const second = yield* enter("r2", { "other.txt": "one", "third.txt": "two" })
        yield* enter("r3", { "apart.txt": "three" })
        const [early, late] = [yield* enter("r4", { "same.txt": "4" }), yield* enter("r5", { "third.txt": "5" })]
        yield* carriedOn(projectId)
        const saidOf = Effect.fnUntraced(function* (id: string) {
          const { candidateId } = (yield* demand("laneEntry", id)).record
          const { fell } = (yield* demand("candidate", candidateId ?? "")).record
          return [(yield* laneWhy(id))?.waits, fell?.code, fell?.changeId]
        })
        const conflict = ({ changeId }: { readonly changeId: string }, path: string) => [
          { for: "conflict", changeId, paths: [path] },
          "conflict",
          changeId
        ]
        expect(yield* saidOf(early.id)).toEqual(conflict(first, "same.txt"))
        expect(yield* saidOf(late.id)).toEqual(conflict(second, "third.txt"))
      })
    ))

  it("says that somebody is to have it land who entered by itself and may not go out by itself; then it lands for them", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject({ autoPromoteRiskTiers: ["low"], approvalRiskTiers: [] })
        const { changeId } = yield* askedFor(projectId, "r1", { "src/a.js": "export default 1" })
        yield* settle
        const [entry] = (yield* laneView(projectId)).entries
        expect(entry).toMatchObject({ changeId, state: "aside" })
        expect((yield* laneWhy(entry!.id))?.waits).toEqual({ for: "order" })
        const { created, entry: ordered } = yield* enter(person, { changeId })
        expect([created, ordered.id, ordered.trigger, ordered.enteredBy]).toEqual([false, entry!.id, "user", person])
        yield* settle
        expect((yield* demand("generation", generationKey(projectId, 1))).record).toMatchObject({
          changeId,
          actor: person,
          trigger: "user"
        })
      })
    ))

  it("says of one that is composed that it waits for a slot, and how long those before it and it still take", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject()
        for (let n = 1; n <= 5; n++) yield* entered(projectId, `landed-${n}`, { [`landed-${n}.txt`]: String(n) })
        yield* settle
        yield* lasted(projectId, [1, 1, 1, 2, 4])
        yield* TestClock.adjust("1 hour")
        const first = yield* entered(projectId, "first", { "first.txt": "1" })
        expect((yield* laneWhy(first.id))?.waits).toEqual({ for: "slot" })
        yield* step(projectId)
        yield* TestClock.adjust("30 seconds")
        const behind = yield* entered(projectId, "behind", { "behind.txt": "2" })
        expect(yield* laneWhy(first.id)).toMatchObject({
          state: "running",
          waits: { for: "slot" },
          expected: { medianMs: 30_000, p95Ms: 210_000 }
        })
        expect((yield* laneWhy(behind.id))?.expected).toEqual({ medianMs: 60_000, p95Ms: 240_000 })
      }).pipe(Effect.provide(TestClock.layer()))
    ))

  it("knows of no time below five verifications, and of the longest rest among those ahead beyond that", () => {
    const member = (status: string) => ({ entry: { status } }) as never
    const at = (ms: number) => new Date(ms).toISOString()
    const running = [member("ready"), member("running"), member("aside")]
    const expected = (tookMs: ReadonlyArray<number>, upTo = running) => expectedOf(upTo, () => at(0), tookMs, at(40))
    expect(expected([100, 100, 100, 100])).toBeNull()
    expect(expected([100, 100, 100, 100, 200])).toEqual({ medianMs: 60, p95Ms: 160 })
    expect(expected([100, 100, 100, 100, 200], [...running, member("doubtful")])).toEqual({ medianMs: 100, p95Ms: 200 })
    expect(expected(Array.from({ length: Limits.laneOutcomes }, () => 10))).toEqual({ medianMs: 0, p95Ms: 0 })
  })
})
