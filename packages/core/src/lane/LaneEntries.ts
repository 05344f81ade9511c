/** Who enters the lane, who leaves it, and who is let before others. */
import { Effect, Schema } from "effect"
import { refuseAgents } from "../access/Access.ts"
import { CandidateLimit, isFirstOfLineage, ofSame } from "../candidate/Candidates.ts"
import { ChangeClosed, isClosed } from "../change/Changes.ts"
import { compositionOrder } from "../change/WorkGraph.ts"
import type { Stored } from "../ledger/Commit.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { Records } from "../ledger/Records.ts"
import { InvalidField, Unknown } from "../ledger/Refusals.ts"
import type { Actor } from "../model/Actor.ts"
import type { Change } from "../model/Change.ts"
import type { ChangeSet } from "../model/ChangeSet.ts"
import type { Lane } from "../model/Lane.ts"
import type { LaneEntry } from "../model/LaneEntry.ts"
import * as Lifecycle from "../model/Lifecycle.ts"
import { LaneEntryLifecycle } from "../model/LaneEntryLifecycle.ts"
import { makeUlid } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { demandActive, unchangedProject } from "../project/ArchivedProject.ts"
import { laneStep } from "../work/LaneWork.ts"
import { departing } from "./LaneDepartures.ts"
import { makeRoom, touchLane } from "./LaneEnds.ts"
import { openEntries } from "./LaneReading.ts"
import { passingIndex, putAt, urgentIndex } from "./Places.ts"

/** The Policy has no lane. Turn it on, or promote without it. */
export class LaneOff extends Schema.TaggedError<LaneOff>()("LaneOff", { projectId: Schema.String }) {
  override get message() {
    return `The Policy of ${this.projectId} has the lane turned off. Set lane.mode to "on", or promote the Candidate itself.`
  }
}

/** What is asked of the lane. */
export interface EntryRequest {
  readonly changeId: string
  /** The Candidate whose ChangeSets are to land. Default: all ChangeSets of the Change. */
  readonly candidateId?: string
  readonly priority?: LaneEntry["priority"]
  /** In front of all, also of those that have begun, but for those that were passed too often. */
  readonly interrupt?: boolean
  /** Default `user`. */
  readonly trigger?: LaneEntry["trigger"]
}

const refuseClosed = ({ record }: Stored<Change>) =>
  isClosed(record.status) || record.status === "releasing"
    ? Effect.fail(new ChangeClosed({ changeId: record.id, status: record.status }))
    : Effect.void

/** The Policy, whose lane is on; else it fails with `LaneOff`. */
export const demandOn = Effect.fnUntraced(function* (projectId: string) {
  const policy = yield* demand("policy", projectId)
  if (policy.record.lane?.mode !== "on") return yield* new LaneOff({ projectId })
  return policy
})

const isEnded = ({ record }: Stored<LaneEntry>): boolean => Lifecycle.isFinal(LaneEntryLifecycle, record.status)

const refuseRollback = ({ record }: Stored<Change>) =>
  record.kind === "rollback"
    ? Effect.fail(
        new InvalidField({
          code: "rollback_goes_first",
          field: "id",
          reason: "a rollback stands in no line: promote its Candidate"
        })
      )
    : Effect.void

const inOrder = (entries: ReadonlyArray<Stored<LaneEntry>>) =>
  entries.map(({ record }) => record).toSorted((a, b) => a.place - b.place)

/** What is to land: what a Candidate is composed of, or all of the Change. */
const wanted = Effect.fnUntraced(function* ({ candidateId, changeId }: EntryRequest) {
  if (candidateId !== undefined) {
    const { record } = yield* demand("candidate", candidateId)
    if (record.changeId !== changeId) return yield* new Unknown({ kind: "candidate", id: candidateId })
    return record.changeSets
  }
  const changeSets = yield* allOf(changeId)
  const { items } = yield* (yield* Records).list("candidate", { where: { changeId }, limit: "all" })
  const made = items.map(({ record }) => record)
  // What was never composed is one Candidate more; what was, goes on as that.
  const isOneMore = ofSame(made, changeSets) === undefined
  if (isOneMore && made.filter(isFirstOfLineage).length >= Limits.candidatesPerChange)
    return yield* new CandidateLimit({ max: Limits.candidatesPerChange })
  return changeSets
})

/** All ChangeSets of a Change, in the order of the merges. */
const allOf = Effect.fnUntraced(function* (changeId: string) {
  const records = yield* Records
  const all = yield* records.list("changeSet", { where: { changeId }, limit: "all" })
  const tasks = yield* records.list("task", { where: { changeId }, limit: "all" })
  const sets: ReadonlyArray<ChangeSet> = all.items.map(({ record }) => record)
  const ordered = compositionOrder(
    sets,
    tasks.items.map(({ record }) => record)
  )
  if (ordered.length > 0 && ordered.length <= Limits.changeSetsPerCandidate) return ordered.map(({ id }) => id)
  const reason =
    ordered.length === 0
      ? "the Change has no ChangeSet yet; record one first"
      : `more than ${Limits.changeSetsPerCandidate} ChangeSets: name a Candidate of fewer`
  return yield* new InvalidField({ code: "nothing_to_compose", field: "changeSetIds", reason })
})

const newLane = (projectId: Lane["projectId"], heldAt: number, now: Time.Timestamp): Lane => ({
  projectId,
  state: "running",
  pausedBy: null,
  reason: null,
  nextTicket: 1,
  seen: 0,
  decided: [],
  // A rollback of before there was a lane holds nothing.
  heldAt,
  updatedAt: now
})

/** The lane as it is, or as who comes first makes it. */
export const laneIn = Effect.fnUntraced(function* (draft: Draft.Draft, projectId: Lane["projectId"]) {
  const found = yield* find("lane", projectId)
  if (found !== null) return found
  const head = yield* find("head", projectId)
  return Draft.insert(draft, "lane", newLane(projectId, head?.record.generation ?? 0, draft.now))
})

/** What an entry stands with, and on: its Candidate, and the head, which is guarded. */
const standing = Effect.fnUntraced(function* (draft: Draft.Draft, { record }: Stored<LaneEntry>) {
  const { candidateId, projectId } = record
  const head = yield* demand("head", projectId)
  Draft.expect(draft, Commit.unchanged("head", projectId, head))
  return { head, candidate: candidateId === null ? null : yield* demand("candidate", candidateId) }
})

const indexOf = (line: ReadonlyArray<LaneEntry>, { interrupt, priority }: EntryRequest): number => {
  if (interrupt === true) return passingIndex(line, 0)
  return priority === "urgent" ? urgentIndex(line) : line.length
}

/**
 * Has a Change wait for its turn to land, and answers its entry; `created` is false when it waits already, as asked or
 * otherwise: one that the Policy had enter is the asker's then, and a priority counts for it. Fails with `LaneOff`, `ChangeClosed`, `CandidateLimit`,
 * `InvalidField`, `ProjectArchived` or `Unknown`, and for an agent with `InsufficientScope`.
 */
export const enter = (actor: Actor, asked: EntryRequest) =>
  decideAndCommit(entering(actor, asked)).pipe(Effect.withSpan("Lane.enter"))

const entering = Effect.fnUntraced(function* (actor: Actor, asked: EntryRequest) {
  yield* refuseAgents(actor, "promote")
  const change = yield* demand("change", asked.changeId)
  const { id: changeId, laneEntryId = null, projectId } = change.record
  const project = yield* demandActive(projectId)
  if (laneEntryId !== null) {
    return yield* ordering(actor, change, asked)
  }
  yield* refuseClosed(change)
  const policy = yield* demandOn(projectId)
  yield* refuseRollback(change)
  const changeSets = yield* wanted(asked)
  const draft = Draft.begin(projectId, actor, yield* Time.now)
  const lane = yield* laneIn(draft, projectId)
  const open = yield* openEntries(projectId)
  // One that new work has taken out, and that the lane has not looked at since.
  for (const entry of open)
    if (entry.record.changeId === changeId) {
      const stood = yield* standing(draft, entry)
      yield* departing(draft, { lane, entry, change, ...stood }, "newWork", "new_work")
    }
  const others = open.filter(({ record }) => record.changeId !== changeId)
  const line = inOrder(others)
  const ticket = Draft.newest(draft, "lane", lane).record.nextTicket
  const placed = putAt(line, indexOf(line, asked), ticket)
  const { priority = "normal", trigger = "user" } = asked
  const entry: LaneEntry = {
    id: `ent_${yield* makeUlid}`,
    projectId,
    changeId,
    changeSets,
    ticket,
    place: placed.place,
    priority,
    status: "waiting",
    candidateId: (asked.candidateId ?? null) as LaneEntry["candidateId"],
    trigger,
    enteredBy: actor,
    enteredAt: draft.now,
    predictions: 0,
    passedBy: 0,
    reason: null,
    endedAt: null,
    outcome: null,
    updatedAt: draft.now
  }
  Draft.expect(draft, unchangedProject(project), Commit.unchanged("policy", projectId, policy))
  Draft.insert(draft, "laneEntry", entry)
  makeRoom(draft, others, placed)
  touchLane(draft, lane, { nextTicket: ticket + 1 })
  Draft.update(draft, "change", change, { laneEntryId: entry.id, updatedAt: draft.now })
  Draft.tell(draft, entry.id, { "lane.entered": { changeId, ticket, priority, trigger } })
  if (placed.passed.length > 0)
    Draft.emit(draft, "lane.reordered", entry.id, { changeId, passed: placed.passed.length, priority })
  Draft.send(draft, laneStep(projectId))
  return { answer: { entry, created: true }, commit: Draft.end(draft, { name: "Lane.enter" }) }
})

/** What `land` makes of an entry that waits already, and those that make room for it; null for nothing. */
const raised = (actor: Actor, there: LaneEntry, line: ReadonlyArray<LaneEntry>, asked: EntryRequest) => {
  if (asked.trigger === "auto") return null
  const before = line.filter(({ place }) => place < there.place)
  const index = indexOf(before, asked)
  const placed = index < before.length ? putAt(line, index, there.place) : null
  const isUrgent = asked.priority === "urgent" && there.priority !== "urgent"
  if (there.trigger === "user" && placed === null && !isUrgent) return null
  const fields: Partial<LaneEntry> = {
    // Whom the Policy had enter lands now as a person's wish, whether the Policy lets it out by itself or not.
    ...(there.trigger === "user" ? {} : { trigger: "user", enteredBy: actor }),
    ...(placed === null ? {} : { place: placed.place }),
    ...(isUrgent ? { priority: "urgent" } : {})
  }
  return { fields, placed }
}

/** One that waits already: it is the asker's now, and goes before others as one that enters so, but never back. */
const ordering = Effect.fnUntraced(function* (actor: Actor, change: Stored<Change>, asked: EntryRequest) {
  const { id: changeId, laneEntryId, projectId } = change.record
  const there = yield* demand("laneEntry", laneEntryId ?? "")
  const lane = yield* demand("lane", projectId)
  const others = (yield* openEntries(projectId)).filter(({ record }) => record.id !== there.record.id)
  const order = raised(actor, there.record, inOrder(others), asked)
  if (order === null) return { answer: { entry: there.record, created: false } }
  const draft = Draft.begin(projectId, actor, yield* Time.now)
  Draft.expect(draft, Commit.unchanged("change", changeId, change))
  const { record: entry } = Draft.update(draft, "laneEntry", there, { ...order.fields, updatedAt: draft.now })
  if (order.placed !== null) {
    makeRoom(draft, others, order.placed)
    const { priority } = entry
    Draft.emit(draft, "lane.reordered", entry.id, { changeId, passed: order.placed.passed.length, priority })
  }
  touchLane(draft, lane)
  Draft.send(draft, laneStep(projectId))
  return { answer: { entry, created: false }, commit: Draft.end(draft, { name: "Lane.order" }) }
})

/** Takes a Change out of the lane, and answers its entry as it ended; null when it is in none. Fails with `Unknown`. */
export const leave = (actor: Actor, changeId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      yield* refuseAgents(actor, "promote")
      const change = yield* demand("change", changeId)
      const { laneEntryId = null, projectId } = change.record
      if (laneEntryId === null) return { answer: null }
      const entry = yield* demand("laneEntry", laneEntryId)
      // It ended after the Change was read.
      if (isEnded(entry)) return { answer: null }
      const lane = yield* demand("lane", projectId)
      const draft = Draft.begin(projectId, actor, yield* Time.now)
      const stood = yield* standing(draft, entry)
      yield* departing(draft, { lane, entry, change, ...stood }, "withdrawn", "withdrawn")
      Draft.send(draft, laneStep(projectId))
      const answer = Draft.newest(draft, "laneEntry", entry).record
      return { answer, commit: Draft.end(draft, { name: "Lane.leave" }) }
    })
  ).pipe(Effect.withSpan("Lane.leave", { attributes: { changeId } }))

/**
 * Puts an open entry before another one, or at the end, and answers it. Those before which it is put count that they
 * were passed; it stays behind those that were passed too often. Fails with `ProjectArchived` or `Unknown`, and for one
 * that has ended with `ChangeClosed`.
 */
export const move = (actor: Actor, entryId: string, before?: string) =>
  decideAndCommit(moving(actor, entryId, before)).pipe(Effect.withSpan("Lane.move", { attributes: { entryId } }))

const moving = Effect.fnUntraced(function* (actor: Actor, entryId: string, before: string | undefined) {
  yield* refuseAgents(actor, "admin")
  const entry = yield* demand("laneEntry", entryId)
  const { changeId, place, priority, projectId, status } = entry.record
  const project = yield* demandActive(projectId)
  if (isEnded(entry)) return yield* new ChangeClosed({ changeId, status })
  const lane = yield* demand("lane", projectId)
  const others = (yield* openEntries(projectId)).filter(({ record }) => record.id !== entryId)
  const line = inOrder(others)
  const index = before === undefined ? line.length : line.findIndex(({ id }) => id === before)
  if (index < 0) return yield* new Unknown({ kind: "laneEntry", id: before ?? "" })
  const placed = putAt(line, passingIndex(line, index, place), place)
  const draft = Draft.begin(projectId, actor, yield* Time.now)
  Draft.expect(draft, unchangedProject(project))
  const moved = Draft.update(draft, "laneEntry", entry, { place: placed.place, updatedAt: draft.now })
  makeRoom(draft, others, placed)
  touchLane(draft, lane)
  Draft.emit(draft, "lane.reordered", entryId, { changeId, passed: placed.passed.length, priority })
  Draft.send(draft, laneStep(projectId))
  return { answer: moved.record, commit: Draft.end(draft, { name: "Lane.move" }) }
})
