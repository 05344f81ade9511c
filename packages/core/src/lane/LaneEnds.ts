/** How an entry of the lane ends, or makes room for another, in the draft of whoever does that. */
import type * as Commit from "../ledger/Commit.ts"
import * as Draft from "../ledger/Draft.ts"
import type { Change } from "../model/Change.ts"
import type { Lane } from "../model/Lane.ts"
import type { LaneEntry, LaneOutcomeCode } from "../model/LaneEntry.ts"
import { withDecided } from "./Depth.ts"
import { type Placed, roomFor } from "./Places.ts"

/** The rows that an end writes. */
export interface Ending {
  readonly lane: Commit.Stored<Lane>
  readonly entry: Commit.Stored<LaneEntry>
  readonly change: Commit.Stored<Change>
}

/** The ends of an entry that are no verdict, as triggers of its life. */
export type Leaving = "withdrawn" | "changeCancelled" | "archived" | "laneOff" | "newWork"

/** What an end says. */
interface End {
  readonly code: LaneOutcomeCode
  readonly reason: string | null
  readonly generation?: number
}

const outcomeOf = (draft: Draft.Draft, { code, generation }: End): LaneEntry["outcome"] => ({
  code,
  ...(generation === undefined ? {} : { generation }),
  ...(draft.actor.type === "user" ? { by: draft.actor } : {})
})

const fieldsOf = (draft: Draft.Draft, end: End) => ({
  endedAt: draft.now,
  reason: end.reason,
  outcome: outcomeOf(draft, end)
})

const told = (draft: Draft.Draft, { changeId }: LaneEntry, outcome: "landed" | "rejected" | "left", end: End) => ({
  "lane.left": {
    changeId,
    outcome,
    code: end.code,
    by: draft.actor.type === "user" ? draft.actor.id : null,
    ...(end.generation === undefined ? {} : { generation: end.generation })
  }
})

/** The Change is in no lane any more, unless it has entered anew already. */
const letGo = (draft: Draft.Draft, { change, entry }: Ending): void => {
  const { laneEntryId } = Draft.newest(draft, "change", change).record
  const fields = laneEntryId === entry.record.id ? { laneEntryId: null } : {}
  Draft.update(draft, "change", change, { ...fields, updatedAt: draft.now })
}

/** Each write of an entry writes its lane: its revision guards the set. */
export const touchLane = (draft: Draft.Draft, lane: Commit.Stored<Lane>, fields: Partial<Lane> = {}): void => {
  Draft.update(draft, "lane", lane, { ...fields, updatedAt: draft.now })
}

/** Writes the places of those that make room for one that is put somewhere, and counts who was passed. */
export const makeRoom = (draft: Draft.Draft, entries: Iterable<Commit.Stored<LaneEntry>>, placed: Placed): void => {
  for (const each of entries) {
    const { id } = each.record
    if (!placed.moved.has(id) && !placed.passed.includes(id)) continue
    Draft.update(draft, "laneEntry", each, { ...roomFor(placed, each.record), updatedAt: draft.now })
  }
}

const decided = (draft: Draft.Draft, { change, lane }: Ending, failed: boolean): void => {
  const before = Draft.newest(draft, "lane", lane).record
  const one = { changeId: change.record.id, failed }
  touchLane(draft, lane, { seen: before.seen + 1, decided: withDecided(before.decided, one) })
}

/** Takes an entry out without a verdict. */
export const leave = (draft: Draft.Draft, ending: Ending, trigger: Leaving, end: End): void => {
  const { entry } = ending
  Draft.step(draft, "laneEntry", entry, trigger, fieldsOf(draft, end), told(draft, entry.record, "left", end))
  touchLane(draft, ending.lane)
  letGo(draft, ending)
}

/** Rejects an entry that stood first. */
export const reject = (draft: Draft.Draft, ending: Ending, trigger: "standsFirst" | "notMergeable", end: End): void => {
  const { entry } = ending
  Draft.step(draft, "laneEntry", entry, trigger, fieldsOf(draft, end), told(draft, entry.record, "rejected", end))
  // What could not be checked says nothing of how often Changes fail here.
  if (end.code === "checks_could_not_run") touchLane(draft, ending.lane)
  else decided(draft, ending, true)
  letGo(draft, ending)
}

/**
 * What the swap of a Candidate makes of the entry of its Change: it has landed, whoever asked for the swap. One whose
 * Candidate is another has ended without the lane.
 */
export const landed = (draft: Draft.Draft, ending: Ending, candidateId: string, generation: number): void => {
  const { entry } = ending
  const end = { code: "landed" as const, reason: null, generation }
  if (entry.record.candidateId !== candidateId || !["running", "ready"].includes(entry.record.status)) {
    const past = { code: "change_closed" as const, reason: `its Change became S${generation} without the lane` }
    return leave(draft, ending, "changeCancelled", past)
  }
  if (entry.record.status === "running") Draft.step(draft, "laneEntry", entry, "checksPassed", {})
  Draft.step(draft, "laneEntry", entry, "swapWon", fieldsOf(draft, end), told(draft, entry.record, "landed", end))
  decided(draft, ending, false)
  letGo(draft, ending)
}
