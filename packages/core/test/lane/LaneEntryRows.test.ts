import { Effect } from "effect"
import { expect } from "vitest"
import * as Approvals from "@pawl/core/approval/Approvals"
import * as Policies from "@pawl/core/approval/Policies"
import * as Cancellation from "@pawl/core/change/Cancellation"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { enter, leave } from "@pawl/core/lane/LaneEntries"
import { step } from "@pawl/core/lane/LaneSteps"
import type * as Commit from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { type LaneEntry, openStatuses } from "@pawl/core/model/LaneEntry"
import { LaneEntryLifecycle } from "@pawl/core/model/LaneEntryLifecycle"
import type { PolicyFields } from "@pawl/core/model/Policy"
import * as Archival from "@pawl/core/project/Archival"
import { laneOn, unplanned } from "../kit/LaneScenes.ts"
import { person, settle } from "../kit/MemoryPawl.ts"
import { type Case, eachRow, newProject, turn } from "../kit/WorkWorld.ts"

const byHand = { ...laneOn, autoPromoteRiskTiers: [] }
const approved = { ...byHand, approvalRiskTiers: ["low", "medium", "high", "unknown"] } as const
const good = { "src/a.txt": "a" }
const bad = { "result.txt": "broken" }

/** A Project with an entry of each edit, in their order; the lane has not looked at them yet. */
const entered = (edits: ReadonlyArray<Record<string, string>>, policy: Partial<PolicyFields> = byHand) =>
  Effect.gen(function* () {
    const { id: projectId } = yield* newProject
    yield* Policies.change(person, projectId, policy)
    yield* settle
    const entries: Array<LaneEntry> = []
    for (const [n, files] of edits.entries())
      entries.push((yield* enter(person, { changeId: yield* unplanned(projectId, `r${n}`, files) })).entry)
    return { projectId, entry: entries.at(-1)!, first: entries[0]! }
  })

type Place = Effect.Success<ReturnType<typeof entered>>

/** Composes and checks the Candidate that was asked for, and lets the lane look at it. */
const checked = ({ projectId }: Place) => Effect.andThen(turn("candidate.create"), step(projectId))
const stepped = (place: Place) => step(place.projectId)

/** Two entries: the first is ready, and the second runs on it. */
const second = (files: Record<string, string>) =>
  Effect.gen(function* () {
    const place = yield* entered([good, files])
    yield* stepped(place)
    yield* checked(place)
    yield* stepped(place)
    return place
  })

/** A place once these have been done in it. */
const brought = <E, R>(made: Effect.Effect<Place, E, R>, ...steps: ReadonlyArray<typeof stepped | typeof checked>) =>
  Effect.gen(function* () {
    const place = yield* made
    for (const each of steps) yield* each(place)
    return place
  })

/** An entry in each open state, as a lane brings it there. */
const inState = {
  waiting: brought(entered([good])),
  running: brought(entered([good]), stepped),
  ready: brought(entered([good]), stepped, checked),
  doubtful: brought(second(bad), checked),
  aside: brought(entered([good], approved), stepped, checked)
}

const statusOf = ({ entry }: Place) => Effect.map(demand("laneEntry", entry.id), ({ record }) => record)

/** What takes an entry out of any open state, and the code that it leaves with. */
const ways = {
  withdrawn: [({ entry }: Place) => leave(person, entry.changeId), "withdrawn"],
  changeCancelled: [({ entry }: Place) => Cancellation.cancel(person, entry.changeId), "change_cancelled"],
  archived: [({ projectId }: Place) => Archival.archive(person, projectId), "archived"],
  laneOff: [({ projectId }: Place) => Policies.change(person, projectId, { lane: { mode: "off" } }), "lane_off"],
  newWork: [
    ({ entry }: Place) =>
      ChangeSets.record(person, { changeId: entry.changeId, message: "more", files: { "src/more.txt": "more" } }),
    "new_work"
  ]
} as const

const leavings = Object.fromEntries(
  openStatuses.flatMap((from) =>
    Object.entries(ways).map(([trigger, [take, code]]): [`${string} × ${string} → ${string}: ${string}`, Case] => [
      `${from} × ${trigger} → left: it says ${code}, and its Change is in no lane`,
      () =>
        Effect.gen(function* () {
          const place = yield* inState[from]
          expect((yield* statusOf(place)).status).toBe(from)
          yield* take(place)
          yield* stepped(place)
          expect(yield* statusOf(place)).toMatchObject({ status: "left", outcome: { code } })
          expect((yield* demand("change", place.entry.changeId)).record.laneEntryId ?? null).toBe(null)
        })
    ])
  )
)

/** The one before it is withdrawn: what it was made on will not be canonical. */
const refuted = (place: Place) =>
  Effect.gen(function* () {
    yield* leave(person, place.first.changeId)
    yield* stepped(place)
    expect(yield* statusOf(place)).toMatchObject({ status: "running", predictions: 1 })
  })

const granted = (place: Place) =>
  Effect.gen(function* () {
    const { candidateId, changeId } = yield* statusOf(place)
    yield* Approvals.decide(person, { changeId, candidateId: candidateId!, decision: "granted" })
    yield* stepped(place)
  })

eachRow(LaneEntryLifecycle, "laneEntry", {
  "waiting × composed → running: the first is composed on canonical": () =>
    Effect.gen(function* () {
      const { candidateId, status } = yield* statusOf(yield* inState.running)
      expect([status, (yield* demand("candidate", candidateId!)).record.status]).toEqual(["running", "composing"])
    }),
  "running × checksPassed → ready: its Candidate is verified": () =>
    Effect.gen(function* () {
      expect((yield* statusOf(yield* inState.ready)).status).toBe("ready")
    }),
  "running × checksFailed → doubtful: its Candidate failed on the one before it": () =>
    Effect.gen(function* () {
      expect((yield* statusOf(yield* inState.doubtful)).status).toBe("doubtful")
    }),
  "running × predictionRefuted → waiting: the one before it is gone": () => Effect.flatMap(second(good), refuted),
  "ready × predictionRefuted → waiting: the one before it is gone": () =>
    Effect.flatMap(brought(second({ "src/b.txt": "b" }), checked), refuted),
  "doubtful × predictionRefuted → waiting: the one before it is gone": () => Effect.flatMap(inState.doubtful, refuted),
  "running × decisionOwed → aside: its risk needs an approval": () =>
    Effect.gen(function* () {
      expect((yield* statusOf(yield* inState.aside)).status).toBe("aside")
    }),
  "ready × decisionOwed → aside: who approved it has left": () =>
    Effect.gen(function* () {
      const place = yield* inState.aside
      yield* granted(place)
      yield* stepped(place)
      expect((yield* statusOf(place)).status).toBe("ready")
      const role = yield* demand("membership", `${place.projectId}/${person.id}`)
      const writes: ReadonlyArray<Commit.Write> = [
        { _tag: "Delete", kind: "membership", id: `${place.projectId}/${person.id}`, revision: role.revision }
      ]
      yield* (yield* Ledger).commit({ name: "test.leave", projectId: null, writes })
      yield* stepped(place)
      expect((yield* statusOf(place)).status).toBe("aside")
    }),
  "aside × decided → waiting: it was granted, and is composed at once": () =>
    Effect.gen(function* () {
      const place = yield* inState.aside
      yield* granted(place)
      expect(["running", "ready"]).toContain((yield* statusOf(place)).status)
    }),
  "ready × swapWon → landed: it is canonical, and its Change is in no lane": () =>
    Effect.gen(function* () {
      const place = yield* inState.ready
      yield* settle
      expect(yield* statusOf(place)).toMatchObject({ status: "landed", outcome: { code: "landed", generation: 1 } })
      expect((yield* demand("lane", place.projectId)).record).toMatchObject({ seen: 1 })
    }),
  "doubtful × standsFirst → rejected: it failed on canonical": () =>
    Effect.gen(function* () {
      const place = yield* brought(entered([bad]), stepped, checked)
      expect(yield* statusOf(place)).toMatchObject({ status: "rejected", outcome: { code: "checks_failed" } })
      expect((yield* demand("lane", place.projectId)).record.decided).toMatchObject([{ failed: true }])
    }),
  "waiting × notMergeable → rejected: it does not merge with canonical": () =>
    Effect.gen(function* () {
      const place = yield* entered([{ "result.txt": "one" }, { "result.txt": "two" }])
      yield* stepped(place)
      yield* checked(place)
      yield* checked(place)
      expect(yield* statusOf(place)).toMatchObject({ status: "waiting", predictions: 0 })
      yield* settle
      expect(yield* statusOf(place)).toMatchObject({ status: "rejected", outcome: { code: "not_mergeable" } })
    }),
  ...leavings
})
