import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import * as Cancellation from "@pawl/core/change/Cancellation"
import { pause } from "@pawl/core/lane/LaneControl"
import { enter } from "@pawl/core/lane/LaneEntries"
import { laneView } from "@pawl/core/lane/LaneView"
import { step } from "@pawl/core/lane/LaneSteps"
import * as Commit from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { generationKey } from "@pawl/core/model/Entities"
import { Records } from "@pawl/core/ledger/Records"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Time from "@pawl/core/primitives/Time"
import { expectedOf } from "@pawl/core/why/LaneTimes"
import { why } from "@pawl/core/why/Why"
import { laneWhy } from "@pawl/core/why/WhyLane"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { askedFor } from "../kit/Scenes.ts"
import { carriedOn, entered, laneProject } from "./LaneScenes.ts"

/** Has the verifications of a Project have taken so many minutes each, in the order in which they were asked for. */
const lasted = Effect.fnUntraced(function* (projectId: string, minutes: ReadonlyArray<number>) {
  const records = yield* Records
  const candidates = (yield* records.list("candidate", { projectId, limit: "all" })).items
  const rows = (yield* records.list("evidence", { projectId, limit: "all" })).items
  const writes = rows.flatMap((row) => {
    const nth = candidates.findIndex(({ record }) => record.id === row.record.subject.candidateId)
    const startedAt = Time.toMillis(row.record.startedAt)
    return minutes[nth] === undefined
      ? []
      : [Commit.update("evidence", row, { finishedAt: Time.fromMillis(startedAt + minutes[nth] * 60_000) })]
  })
  yield* (yield* Ledger).commit({ name: "test", projectId, writes })
})

const ten = (projectId: string) =>
  Effect.forEach(
    Array.from({ length: 10 }, (_, index) => index + 1),
    (n) => entered(projectId, `r${n}`, { [`file-${n}.txt`]: String(n) })
  )

describe("Why, of an entry of the lane", () => {
  beforeEach(() => {
    answers.clear()
    answers.set("/", page(200))
  })

  it("says of each in a line of ten who stands before it, what it waits for, what it becomes, and why each earlier prediction fell", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject()
        const line = yield* ten(projectId)
        yield* carriedOn(projectId)
        const before = yield* Effect.forEach(line, ({ id }) => laneWhy(id))
        expect(before.map((each) => [each?.state, each?.position, each?.predictedGeneration])).toEqual(
          line.map((_, index) => ["ready", index + 1, index + 1])
        )
        expect(before.map((each) => each?.before.map(({ changeId }) => changeId))).toEqual(
          line.map((_, index) => line.slice(0, index).map(({ changeId }) => changeId))
        )
        expect(before.map((each) => each?.waits)).toEqual(
          line.map((_, index) => (index === 0 ? null : { for: "ahead", changeId: line[index - 1]?.changeId }))
        )
        expect(before[9]?.before[4]).toMatchObject({ title: "a goal", state: "ready", waits: { for: "ahead" } })
        expect(before[9]?.expected).toEqual({ medianMs: 0, p95Ms: 0 })
        expect(before.flatMap((each) => each?.predictions ?? [])).toEqual([])

        const fallen = (yield* demand("laneEntry", line[3]!.id)).record.candidateId!
        yield* Cancellation.cancel(person, line[2]!.changeId)
        yield* carriedOn(projectId)
        expect(yield* laneWhy(line[2]!.id)).toBeNull()
        const fourth = (yield* demand("laneEntry", line[3]!.id)).record.candidateId!
        const after = (yield* why(fourth)).lane
        expect(after).toMatchObject({ position: 3, predictedGeneration: 3, state: "ready" })
        expect(after?.predictions).toMatchObject([{ candidateId: fallen, generation: 4 }])
        expect(after?.predictions[0]?.reason).toBe("what it was made on will not be canonical")
        expect(after?.predictions[0]?.ahead).not.toBeNull()
      })
    ))

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
