/**
 * What there is to do about a Candidate that its Change's entry in the lane stands with: nothing while the lane goes on by
 * itself, else what a person can do. Pure.
 */
import { standingOf } from "../approval/Standing.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { LaneEntry, LaneEntryStatus } from "../model/LaneEntry.ts"
import type { Block } from "../promotion/Canonical.ts"
import { stepFor } from "../promotion/HeldBack.ts"
import type { Reading } from "./Why.ts"
import type { LaneWait } from "./WhyLane.ts"

/** `granted` people have decided, `owed` more must. */
export interface ToDecide {
  readonly code: "decide"
  readonly changeId: string
  readonly granted: number
  readonly owed: number
}

/** What there is to do where the lane decides what becomes of it. */
export type Turn =
  /** Nothing but waiting: it lands, is made anew or is rejected by itself. `waits` is null when that is about to be. */
  | {
      readonly code: "in_lane"
      readonly state: LaneEntryStatus
      readonly position: number
      readonly waits: LaneWait | null
    }
  /** Somebody paused it, for this `reason`: whoever may promote can have it go on. */
  | { readonly code: "lane_paused"; readonly projectId: string; readonly reason: string | null }
  /** Nobody has asked for its landing, and the Policy does not let it out by itself. */
  | { readonly code: "land"; readonly changeId: string }
  | ToDecide
  | { readonly code: "replaced"; readonly candidateId: string }

const isSameWork = (candidate: Candidate, entry: LaneEntry): boolean =>
  candidate.changeSets.join() === entry.changeSets.join()

/** How many people have decided, and how many more must. */
export const toDecide = ({ candidate, change, decisions, policy }: Reading["snapshot"]): ToDecide => {
  const { granted, owed } = standingOf(decisions, candidate.record.tree, policy.record)
  return { code: "decide", changeId: change.record.id, granted: granted.length, owed }
}

const ended: ReadonlySet<Candidate["status"]> = new Set(["rejected", "stale", "blocked"])

/** Null for a Candidate that the lane does not decide on, and for what is to be said of it as of any other. */
export const turnOf = ({ entry, lane, snapshot }: Reading, blocks: ReadonlyArray<Block>): Turn | null => {
  const candidate = snapshot.candidate.record
  if (entry === null || lane === null || !isSameWork(candidate, entry)) return null
  const newest = entry.candidateId ?? candidate.id
  if (newest !== candidate.id) return ended.has(candidate.status) ? { code: "replaced", candidateId: newest } : null
  // One that is taken up by the lane before it is composed waits for its turn, too.
  const isChecked = candidate.status === "composing" || candidate.status === "verifying"
  if (isChecked && lane.state === "running") return null
  const { position, state, waits } = lane
  switch (waits?.for) {
    case "pause":
      return { code: "lane_paused", projectId: entry.projectId, reason: waits.reason ?? null }
    case "order":
      return { code: "land", changeId: entry.changeId }
    case "approval":
      if (blocks.some(({ code }) => code === "approval_missing")) return toDecide(snapshot)
      break
    case "blocked":
      // What the lane cannot make good itself is for people.
      if (stepFor(entry, blocks) === null) return null
  }
  return { code: "in_lane", state, position, waits }
}
