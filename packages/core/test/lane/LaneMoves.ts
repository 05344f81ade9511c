/** What each step of the lane makes of a world. */
import type * as LanePlan from "@pawl/core/lane/LanePlan"
import type { Base, End, Seen } from "@pawl/core/lane/Line"
import { ended, inFlight, moving, nameOf, withCandidate, withMember, type World } from "./LaneWorld.ts"

const composed = (world: World, index: number, base: Base): World => {
  const { candidate } = world.members[index]!
  const { ahead: _, ...end } = base
  const next = moving(world, index, "composed", "running")
  const isThere =
    candidate !== null &&
    candidate.status !== "stale" &&
    candidate.base.commit === end.commit &&
    candidate.base.generation === end.generation
  if (isThere) return next
  const id = `cand_${nameOf(index)}${end.generation}${end.commit}` as Seen["id"]
  const made: Seen = {
    id,
    status: "composing",
    rejection: null,
    reason: null,
    base: end,
    made: null,
    policyVersion: null
  }
  return withMember(next, index, { candidate: made, retried: false })
}

const isCanonicalBase = (world: World, base: End | undefined): boolean =>
  base !== undefined && world.line.some(({ end }) => end.generation === base.generation && end.commit === base.commit)

/** Takes the step that the lane wants. */
export const taken = (world: World, step: LanePlan.LaneStep): World => {
  if (step._tag === "Hold") return { ...world, paused: true, rolledBack: false, heldAt: world.head.generation }
  const index = world.members.findIndex(({ entry }) => entry.id === step.entry.id)
  const { candidate } = world.members[index]!
  switch (step._tag) {
    case "Leave":
      return moving(world, index, step.trigger, "left", { outcome: { code: step.code } })
    case "Pass":
      return moving(world, index, "checksPassed", "ready")
    case "Aside":
      return moving(world, index, "decisionOwed", "aside")
    case "Return":
      return moving(world, index, "decided", "waiting", { place: step.placed.place })
    case "Doubt":
      return moving(world, index, "checksFailed", "doubtful")
    case "Reject": {
      const next = moving(world, index, step.trigger, "rejected", { outcome: { code: step.code } })
      const fault = isCanonicalBase(world, candidate?.base)
        ? null
        : `${step.entry.id} was rejected on what never was canonical`
      return { ...ended(next, index, "verifying"), fault: fault ?? next.fault }
    }
    case "Land":
      return withMember(world, index, { change: { ...world.members[index]!.change, status: "promoting" } })
    case "Replan": {
      const waiting = moving(world, index, "predictionRefuted", "waiting")
      const again = moving(waiting, index, "composed", "running")
      return candidate?.status === "verified" ? withCandidate(again, index, { status: "verifying" }) : again
    }
    case "Refute": {
      const next = moving(world, index, "predictionRefuted", "waiting")
      if (!step.counts || candidate === null || !inFlight(candidate.status)) return next
      return { ...notPromoting(withCandidate(next, index, { status: "stale" }), index) }
    }
    case "Compose":
      return composed(world, index, step.base)
  }
}

export const notPromoting = (world: World, index: number): World => {
  const { change } = world.members[index]!
  return change.status === "promoting"
    ? withMember(world, index, { change: { ...change, status: "verifying" } })
    : world
}
