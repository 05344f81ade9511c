/** A promotion that the lane ordered: in whose name it is, and whether its turn stands when it comes to the swap. */
import { Effect } from "effect"
import { landsAs } from "../candidate/AutoPromotion.ts"
import type { Ending } from "../lane/LaneEnds.ts"
import { isHeldAfterRollback } from "../lane/LanePlan.ts"
import { rollbackInFront } from "../lane/RollbackInFront.ts"
import { demand, find } from "../ledger/Decision.ts"
import type { Change } from "../model/Change.ts"
import type { Head } from "../model/Generation.ts"
import type { Policy } from "../model/Policy.ts"
import type { Ask, Snapshot } from "./Canonical.ts"

/** What a swap is decided by of the lane. */
export interface InLane extends Pick<Ending, "lane" | "entry"> {
  /** The Change of the rollback that goes in front of what the lane orders; null for none. */
  readonly rollback: string | null
}

/** What a swap is decided by of the lane. Of a Change that is in no lane nothing is read. */
export const inLaneOf = Effect.fnUntraced(function* (
  { laneEntryId = null, projectId }: Change,
  head: Head,
  policy: Policy
) {
  if (laneEntryId === null) return {}
  const lane = yield* demand("lane", projectId)
  const rollback = yield* rollbackInFront(lane.record, head, policy)
  return { inLane: { lane, entry: yield* demand("laneEntry", laneEntryId), rollback } satisfies InLane }
})

/** The lane that a rollback pauses until somebody has looked. Where there is none to pause nothing is read. */
export const heldLaneOf = Effect.fnUntraced(function* ({ kind, projectId }: Change, { lane }: Policy) {
  if (kind !== "rollback" || lane === undefined || !isHeldAfterRollback(lane)) return {}
  const held = yield* find("lane", projectId)
  return held === null ? {} : { held }
})

/**
 * Who asks, and how, as it is told. What the lane ordered is in the name that its entry has by now. A rollback is called one
 * in the history, also when nobody had to ask for its promotion.
 */
export const asNamed = (ask: Ask, { change, inLane }: Pick<Snapshot, "change" | "inLane">): Ask => {
  const entry = inLane?.entry.record
  const named = entry !== undefined && entry.id === ask.entryId ? { ...ask, ...landsAs(entry) } : ask
  return change.record.kind === "rollback" ? { ...named, trigger: "rollback" } : named
}

/**
 * Whether what the lane ordered may still be done: its entry stands ready with this very Candidate, the lane is not paused,
 * and no rollback goes in front. An order waits for a thaw, and people may do much meanwhile. What a person asked for needs
 * no turn.
 */
export const hasItsTurn = (
  { candidate, inLane }: Pick<Snapshot, "candidate" | "inLane">,
  { entryId }: Ask
): boolean => {
  if (entryId === undefined) return true
  if (inLane === undefined || inLane.lane.record.state === "paused" || inLane.rollback !== null) return false
  const { candidateId, id, status } = inLane.entry.record
  return id === entryId && status === "ready" && candidateId === candidate.record.id
}

/** The turn that the lane gave has passed: nothing is promoted, and the lane orders anew what it still wants. */
export class OutOfTurn {
  readonly _tag = "OutOfTurn"
}
