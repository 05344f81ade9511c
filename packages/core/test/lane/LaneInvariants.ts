/** What must hold in every state of a lane, and that it never stands still by itself. */
import type { Member } from "@pawl/core/lane/Line"
import { progress } from "./LaneHappenings.ts"
import { type Happenings, isOpen, isRetried, nameOf, owes, type Rules, type Step, type World } from "./LaneWorld.ts"

/** Equal worlds give equal text. How often an entry was predicted decides nothing here. */
export const keyOf = (world: World): string =>
  JSON.stringify([
    world.line.map(({ end, on }) => [end.commit, on]),
    world.policyVersion,
    world.paused,
    world.heldAt,
    world.frozen,
    world.rolledBack,
    world.members.map(({ candidate, change, entry }, index) => [
      entry.status,
      entry.place,
      change.status,
      candidate?.status,
      isRetried(world.members[index]!),
      candidate?.base.commit,
      candidate?.base.generation,
      candidate?.policyVersion,
      candidate?.rejection
    ]),
    world.known,
    world.approved,
    world.left,
    world.fault
  ])

const brokenGeneration = (
  { end, name, on, planned, policyVersion }: Step,
  before: Step,
  known: World["known"]
): string | null => {
  if (name === "R") return null
  if (on !== before.end.commit || end.commit !== before.end.commit + name)
    return `S${end.generation} is not made on S${before.end.generation}`
  if (known[end.tree] !== true) return `S${end.generation} has no evidence for its tree`
  return planned === policyVersion ? null : `S${end.generation} landed under an old Policy`
}

const brokenEntry = (world: World, member: Member, index: number): string | null => {
  const name = nameOf(index)
  const isIn = world.head.commit.slice(world.head.commit.lastIndexOf("R") + 1).includes(name)
  const { candidate, entry } = member
  if (isIn && candidate?.status !== "promoted")
    return `${name} is in canonical and its Candidate is ${candidate?.status}`
  if (entry.status === "landed" && !world.line.some((step) => step.name === name)) return `${name} landed nowhere`
  if (!isOpen(member) && entry.outcome === null) return `${name} is ${entry.status} without a code`
  const twice = world.line.filter((step) => step.name === name).length
  return twice > 1 ? `${name} landed twice` : null
}

/** No more is composed and checked at once than may be paid for. */
const overpaid = ({ members }: World, { affordable }: Happenings): string | null => {
  const busy = members.filter(
    ({ candidate, entry }) =>
      entry.status === "running" && (candidate?.status === "composing" || candidate?.status === "verifying")
  )
  return affordable !== undefined && busy.length > affordable
    ? `${busy.length} are verified at once, and ${affordable} may be paid for`
    : null
}

/** What is wrong with a world; null when nothing is. */
export const broken = (world: World, happenings: Happenings, rules: Rules): string | null => {
  if (world.fault !== null) return world.fault
  for (const [index, step] of world.line.entries()) {
    const problem = index === 0 ? null : brokenGeneration(step, world.line[index - 1]!, world.known)
    if (problem !== null) return problem
  }
  const spent = overpaid(world, happenings)
  if (spent !== null) return spent
  for (const [index, member] of world.members.entries()) {
    const problem = brokenEntry(world, member, index)
    if (problem !== null) return problem
  }
  const isWaited = world.members.some((_, index) => owes(world, happenings, index))
  const isHeld = world.paused || world.frozen || isWaited
  if (isHeld || !world.members.some(isOpen)) return null
  return progress(world, happenings, rules).length > 0 ? null : "entries are open, and nothing can happen"
}
