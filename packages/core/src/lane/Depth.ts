/** How many entries are predicted at once: the more often Changes fail here, the fewer. */
import type { Lane } from "../model/Lane.ts"
import type { LanePolicy } from "../model/Policy.ts"
import { Limits } from "../primitives/Limits.ts"

/** Of 20 Changes that nobody has seen one is taken to have failed. */
const prior = { failed: 1, seen: 20 }

/** Predictions that hold less often than this are not made (decision: half the wait of a quarter more work). */
const leastChance = 0.25

/** How likely a Change of this Project fails, by the last ones that were decided. */
export const failureRate = (decided: Lane["decided"]): number =>
  (decided.filter(({ failed }) => failed).length + prior.failed) / (decided.length + prior.seen)

/** As deep as the chance that all before the last one land is at least a quarter: 1 to `Limits.laneDepth`. */
export const learnedDepth = (decided: Lane["decided"]): number => {
  const deep = 1 + Math.floor(Math.log(leastChance) / Math.log(1 - failureRate(decided)))
  return Math.min(Limits.laneDepth, Math.max(1, deep))
}

/** What the Policy says, or what was learned, and no more than may be paid for: 0 when nothing may. */
export const depthOf = (decided: Lane["decided"], policy: Pick<LanePolicy, "depth">, affordable: number): number =>
  Math.max(0, Math.min(policy.depth ?? learnedDepth(decided), affordable))

/** The decided Changes with one more: each Change once, the last of them. */
export const withDecided = (decided: Lane["decided"], one: Lane["decided"][number]): Lane["decided"] =>
  [...decided.filter(({ changeId }) => changeId !== one.changeId), one].slice(-Limits.laneOutcomes)
