import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import * as Policies from "@pawl/core/approval/Policies"
import * as Changes from "@pawl/core/change/Changes"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import * as Cancellation from "@pawl/core/change/Cancellation"
import { pause, resume } from "@pawl/core/lane/LaneControl"
import { landed } from "@pawl/core/lane/LaneEnds"
import { enter, type EntryRequest, leave, move } from "@pawl/core/lane/LaneEntries"
import { laneView } from "@pawl/core/lane/LaneView"
import { EventLog } from "@pawl/core/event/EventLog"
import { demand, find } from "@pawl/core/ledger/Decision"
import * as Draft from "@pawl/core/ledger/Draft"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import * as Time from "@pawl/core/primitives/Time"
import { isInLane, laneStepOf } from "@pawl/core/work/LaneWork"
import { person } from "../kit/MemoryPawl.ts"
import { inWorld, newProject } from "../kit/WorkWorld.ts"

const laneOn = { lane: { mode: "on" as const } }

/** Changes with a ChangeSet each, in a Project whose lane is on. */
const changes = (count: number) =>
  Effect.gen(function* () {
    const { id } = yield* newProject
    yield* Policies.change(person, id, laneOn)
    const ids: Array<string> = []
    for (let n = 1; n <= count; n++) {
      const opened = yield* Changes.open(person, { projectId: id, clientRequestId: `r${n}`, goal: "g", budgetUsd: 1 })
      yield* ChangeSets.record(person, { changeId: opened.change.id, files: { [`f${n}.txt`]: `${n}` }, message: "m" })
      ids.push(opened.change.id)
    }
    return { projectId: id, ids }
  })

const line = (projectId: string) =>
  Effect.gen(function* () {
    const page = yield* (yield* Records).list("laneEntry", { projectId, limit: "all" })
    const open = page.items.map(({ record }) => record).filter(({ endedAt }) => endedAt === null)
    return open.toSorted((a, b) => a.place - b.place).map(({ changeId }) => changeId)
  })

const entered = (changeId: string, more: Partial<EntryRequest> = {}) => enter(person, { changeId, ...more })

const told = (projectId: string) =>
  Effect.gen(function* () {
    const events = yield* (yield* EventLog).read(projectId, 0, 500)
    return events
      .filter(({ type }) => type.startsWith("lane."))
      .map(({ data, type }) => [type, data["code"] ?? data["passed"]])
  })

it("enters nobody where the lane is off, and tells nothing", () =>
  inWorld(() =>
    Effect.gen(function* () {
      const { ids, projectId } = yield* changes(1)
      yield* Policies.change(person, projectId, {})
      expect(yield* Effect.flip(entered(ids[0]!))).toMatchObject({ _tag: "LaneOff" })
      expect(yield* Effect.flip(pause(person, projectId, "because"))).toMatchObject({ _tag: "LaneOff" })
      expect(yield* find("lane", projectId)).toBe(null)
    })
  ))

it("is not held or let go where it is off, used or not", () =>
  inWorld(() =>
    Effect.gen(function* () {
      const { ids, projectId } = yield* changes(1)
      yield* entered(ids[0]!)
      yield* Policies.change(person, projectId, {})
      for (const asked of [pause(person, projectId, "because"), resume(person, projectId)])
        expect(yield* Effect.flip(asked)).toMatchObject({ _tag: "LaneOff" })
    })
  ))

it("tells those that ended by their end, the last one first", () =>
  inWorld(() =>
    Effect.gen(function* () {
      const { ids, projectId } = yield* changes(3)
      for (const id of ids) yield* entered(id)
      for (const n of [1, 2, 0]) {
        yield* TestClock.adjust("1 second")
        yield* leave(person, ids[n]!)
      }
      const { ended } = yield* laneView(projectId)
      expect(ended.map(({ changeId }) => changeId)).toEqual([ids[0], ids[2], ids[1]])
    })
  ))

it("enters a Change once, in the order of coming, and says whether it is there already", () =>
  inWorld(() =>
    Effect.gen(function* () {
      const { ids, projectId } = yield* changes(2)
      const first = yield* entered(ids[0]!)
      yield* entered(ids[1]!)
      expect(yield* entered(ids[0]!)).toEqual({ entry: first.entry, created: false })
      expect([first.created, first.entry.ticket, yield* line(projectId)]).toEqual([true, 1, ids])
      const change = (yield* demand("change", ids[0]!)).record
      expect([isInLane(change), laneStepOf(change)[0]?.id]).toEqual([true, `lane.step:${projectId}`])
    })
  ))

it("lets an urgent one before those that wait, an interrupting one before all, and counts who was passed", () =>
  inWorld(() =>
    Effect.gen(function* () {
      const { ids, projectId } = yield* changes(4)
      const [a, b, urgent, front] = ids as [string, string, string, string]
      yield* entered(a)
      yield* entered(b)
      yield* entered(urgent, { priority: "urgent" })
      yield* entered(front, { interrupt: true })
      expect(yield* line(projectId)).toEqual([front, urgent, a, b])
      const passed = (yield* (yield* Records).list("laneEntry", { projectId, limit: "all" })).items
      expect(passed.map(({ record }) => record.passedBy)).toEqual([2, 2, 1, 0])
      expect((yield* told(projectId)).filter(([type]) => type === "lane.reordered")).toEqual([
        ["lane.reordered", 2],
        ["lane.reordered", 3]
      ])
    })
  ))

it("moves an entry before another one, or to the end", () =>
  inWorld(() =>
    Effect.gen(function* () {
      const { ids, projectId } = yield* changes(3)
      const entries = yield* Effect.forEach(ids, (id) => entered(id))
      yield* move(person, entries[2]!.entry.id, entries[0]!.entry.id)
      expect(yield* line(projectId)).toEqual([ids[2], ids[0], ids[1]])
      yield* move(person, entries[0]!.entry.id)
      expect(yield* line(projectId)).toEqual([ids[2], ids[1], ids[0]])
      expect(yield* Effect.flip(move(person, entries[0]!.entry.id, "ent_none"))).toMatchObject({ _tag: "Unknown" })
    })
  ))

it("lets nobody more before one that was passed three times, neither an interrupting one nor one that is moved", () =>
  inWorld(() =>
    Effect.gen(function* () {
      const { ids, projectId } = yield* changes(5)
      const [often, first, second, third, last] = ids as [string, string, string, string, string]
      yield* entered(often)
      for (const id of [first, second, third]) yield* entered(id, { interrupt: true })
      expect(yield* line(projectId)).toEqual([third, second, first, often])
      const { entry } = yield* entered(last, { interrupt: true })
      expect(yield* line(projectId)).toEqual([third, second, first, often, last])
      const front = (yield* demand("change", third)).record.laneEntryId!
      yield* move(person, entry.id, front)
      expect(yield* line(projectId)).toEqual([third, second, first, often, last])
      const of = (yield* demand("laneEntry", (yield* demand("change", often)).record.laneEntryId!)).record
      expect(of.passedBy).toBe(3)
    })
  ))

it("takes a Change out when a person says so, who may enter it anew", () =>
  inWorld(() =>
    Effect.gen(function* () {
      const { ids, projectId } = yield* changes(1)
      const { entry } = yield* entered(ids[0]!)
      expect(yield* leave(person, ids[0]!)).toMatchObject({
        status: "left",
        outcome: { code: "withdrawn", by: person }
      })
      expect(yield* leave(person, ids[0]!)).toBe(null)
      expect(yield* Effect.flip(move(person, entry.id))).toMatchObject({ _tag: "ChangeClosed" })
      expect((yield* entered(ids[0]!)).entry.ticket).toBe(2)
      expect(yield* told(projectId)).toEqual([
        ["lane.entered", undefined],
        ["lane.left", "withdrawn"],
        ["lane.entered", undefined]
      ])
    })
  ))

it("takes no Change that has ended", () =>
  inWorld(() =>
    Effect.gen(function* () {
      const { ids } = yield* changes(1)
      yield* Cancellation.cancel(person, ids[0]!)
      expect(yield* Effect.flip(entered(ids[0]!))).toMatchObject({ _tag: "ChangeClosed", status: "cancelled" })
    })
  ))

it("is paused and resumed by people, once each", () =>
  inWorld(() =>
    Effect.gen(function* () {
      const { ids, projectId } = yield* changes(1)
      yield* pause(person, projectId, "nobody has come yet")
      expect(yield* resume(person, projectId)).toMatchObject({ state: "running" })
      yield* entered(ids[0]!)
      expect(yield* pause(person, projectId, "a look")).toMatchObject({
        state: "paused",
        pausedBy: person,
        reason: "a look"
      })
      yield* pause(person, projectId, "another look")
      expect(yield* resume(person, projectId)).toMatchObject({ state: "running", pausedBy: null, reason: null })
      expect((yield* told(projectId)).map(([type]) => type)).toEqual([
        "lane.paused",
        "lane.resumed",
        "lane.entered",
        "lane.paused",
        "lane.resumed"
      ])
    })
  ))

it("ends the entry of a Change that is promoted by another Candidate, as ended without it", () =>
  inWorld(() =>
    Effect.gen(function* () {
      const { ids, projectId } = yield* changes(1)
      const { entry } = yield* entered(ids[0]!)
      const draft = Draft.begin(projectId, person, yield* Time.now)
      const rows = {
        lane: yield* demand("lane", projectId),
        entry: yield* demand("laneEntry", entry.id),
        change: yield* demand("change", ids[0]!)
      }
      landed(draft, rows, "cand_another", 1)
      yield* (yield* Ledger).commit(Draft.end(draft, { name: "test" }))
      expect((yield* demand("laneEntry", entry.id)).record).toMatchObject({
        status: "left",
        outcome: { code: "change_closed" }
      })
      expect((yield* demand("change", ids[0]!)).record.laneEntryId).toBe(null)
    })
  ))
