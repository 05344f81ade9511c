/** What can happen in a world of the lane: its own steps, what its Candidates come to, and what people do. */
import type { Commit } from "@pawl/core/ledger/Commit"
import type { LaneStep } from "@pawl/core/lane/LanePlan"
import { taken } from "./LaneMoves.ts"
import { ask, snapshotOf } from "./LaneRecords.ts"
import {
  ended,
  type Happenings,
  inFlight,
  isOpen,
  isRetried,
  moving,
  nameOf,
  owes,
  readingOf,
  type Rules,
  treeOf,
  withCandidate,
  withMember,
  type World
} from "./LaneWorld.ts"

const clashes = (commit: string, name: string, { conflicts = [] }: Happenings): boolean =>
  conflicts.some(([a, b]) => (name === a && commit.includes(b)) || (name === b && commit.includes(a)))

type Option = { readonly label: string; readonly state: World }

/** What a Candidate may come to next, by its verification. */
const verifications = (world: World, happenings: Happenings, index: number): ReadonlyArray<Option> => {
  const { candidate } = world.members[index]!
  const name = nameOf(index)
  if (candidate === null) return []
  const commit = candidate.base.commit + name
  if (candidate.status === "composing") {
    if (clashes(candidate.base.commit, name, happenings)) {
      const rejection = { status: "rejected", rejection: "merge_conflict" } as const
      return [{ label: `${name} does not merge`, state: withCandidate(world, index, rejection) }]
    }
    const made = { commit, tree: treeOf(commit) }
    const now = { status: "verifying", made, policyVersion: world.policyVersion } as const
    return [{ label: `${name} is composed`, state: withCandidate(world, index, now) }]
  }
  if (candidate.status !== "verifying") return []
  if (candidate.policyVersion !== world.policyVersion)
    return [
      { label: `${name} is planned anew`, state: withCandidate(world, index, { policyVersion: world.policyVersion }) }
    ]
  const tree = treeOf(commit)
  const known = world.known[tree]
  const verdicts = (known === undefined ? [true, false] : [known]).map((passes) => ({
    label: `${name} ${passes ? "passes" : "fails"} on ${tree}`,
    state: withCandidate({ ...world, known: { ...world.known, [tree]: passes } }, index, {
      status: passes ? "verified" : "rejected",
      rejection: passes ? null : "checks_failed"
    })
  }))
  // What a first run says is not yet what the tree comes to.
  const isFirst = happenings.retries === true && world.members[index]!.retried !== true
  const again = {
    label: `${name} fails on ${tree}, and is retried`,
    state: withMember(world, index, { retried: true })
  }
  return isFirst ? [...verdicts, again] : verdicts
}

/** What a commit of the program makes of the entry, the Candidate and the Change of a world. */
const written = (world: World, index: number, { writes = [] }: Commit): World => {
  let next = world
  for (const write of writes) {
    if (write._tag !== "Update") continue
    const member = next.members[index]!
    if (write.kind === "laneEntry")
      next = withMember(next, index, {
        entry: { ...member.entry, status: write.record.status, outcome: write.record.outcome }
      })
    if (write.kind === "candidate") next = withCandidate(next, index, { status: write.record.status })
    if (write.kind === "change") {
      const { laneEntryId, status } = write.record
      const held = laneEntryId === undefined || laneEntryId === null ? {} : { laneEntryId }
      next = withMember(next, index, { change: { status, ...held } })
    }
  }
  return next
}

/** The real swap, by the line's own command or by hand. */
const swaps = (world: World, happenings: Happenings, rules: Rules, index: number): ReadonlyArray<Option> => {
  const { candidate, change, entry } = world.members[index]!
  if (candidate?.status !== "verified" || candidate.made === null) return []
  const byHand = happenings.byHand && change.status === "verifying"
  // The order of one that was taken out may wait for a thaw yet.
  const isOrdered = change.status === "promoting" || (entry.status === "left" && !byHand)
  if (!isOrdered && !byHand) return []
  const name = nameOf(index)
  const asked = isOrdered ? { ...ask, entryId: entry.id } : ask
  const decision = rules.canonical.swapDecision(snapshotOf(world, happenings, index), asked)
  if (decision._tag === "OutOfTurn" && decision.commit !== null)
    return [{ label: `${name} waits for its turn`, state: written(world, index, decision.commit) }]
  if (decision._tag === "Blocked" && !byHand && decision.commit !== null && !world.frozen)
    return [{ label: `${name} is blocked`, state: written(world, index, decision.commit) }]
  if (decision._tag !== "Swap") return []
  const { commit, generation, policyVersion, tree } = decision.step
  const end = { generation, commit, tree }
  const step = { end, on: candidate.base.commit, policyVersion, planned: candidate.policyVersion ?? 0, name }
  const now = written(world, index, decision.commit)
  const fault = isOrdered && (world.paused || entry.status === "left") ? `${name} lands out of turn` : now.fault
  return [{ label: `${name} lands`, state: { ...now, head: end, line: [...world.line, step], fault } }]
}

/** The real mark of who is behind. */
const staleOnes = (world: World, happenings: Happenings, rules: Rules, index: number): ReadonlyArray<Option> => {
  if (!inFlight(world.members[index]!.candidate?.status ?? "")) return []
  const { candidate, change, head } = snapshotOf(world, happenings, index, world.members[index]!.change.status)
  const commit = rules.staleness.staleCommit(candidate, change, head, false, ask.now)
  return commit === null ? [] : [{ label: `${nameOf(index)} is stale`, state: written(world, index, commit) }]
}

const approvals = (world: World, happenings: Happenings, index: number): ReadonlyArray<Option> => {
  const tree = world.members[index]!.candidate?.made?.tree
  if (tree === undefined || !isOpen(world.members[index]!) || !owes(world, happenings, index)) return []
  return [{ label: `${nameOf(index)} is approved`, state: { ...world, approved: [...world.approved, tree] } }]
}

/** A step of the line, which decides nobody while one before them is run once more. */
const stepped = (world: World, step: LaneStep): World => {
  const next = taken(world, step)
  if (step._tag !== "Land" && step._tag !== "Reject") return next
  const { id, place } = step.entry
  const open = world.members.find((each) => isOpen(each) && isRetried(each) && each.entry.place < place)
  return open === undefined ? next : { ...next, fault: `${id} is decided while ${open.entry.id} is retried` }
}

/** What moves the line on: without any of it, open entries are stuck. */
export const progress = (world: World, happenings: Happenings, rules: Rules): ReadonlyArray<Option> => {
  const step = rules.plan.nextStep(readingOf(world, happenings))
  const own =
    step === null
      ? []
      : [{ label: `${step._tag} ${"entry" in step ? step.entry.id : ""}`, state: stepped(world, step) }]
  return [
    ...own,
    ...world.members.flatMap((_, index) => [
      ...verifications(world, happenings, index),
      ...swaps(world, happenings, rules, index),
      ...staleOnes(world, happenings, rules, index)
    ])
  ]
}

const once = (world: World, what: keyof World["left"]): World => ({
  ...world,
  left: { ...world.left, [what]: world.left[what] - 1 }
})

/** Out of the lane it is stale where it was made on others; a landing that has begun ends. */
const takenOut = (world: World, index: number): World => {
  const { candidate } = world.members[index]!
  const next = moving(once(world, "withdrawals"), index, "withdrawn", "left", { outcome: { code: "withdrawn" } })
  const alone = ended(next, index, "verifying")
  const isPredicted = candidate !== null && candidate.base.generation > world.head.generation
  return isPredicted && inFlight(candidate.status) ? withCandidate(alone, index, { status: "stale" }) : alone
}

/** What people do. */
const wishes = (world: World, happenings: Happenings): ReadonlyArray<Option> => {
  const found: Array<Option> = world.members.flatMap((_, index) => approvals(world, happenings, index))
  const { left, members } = world
  if (left.policies > 0)
    found.push({ label: "a Policy", state: { ...once(world, "policies"), policyVersion: world.policyVersion + 1 } })
  if (left.freezes > 0 && !world.frozen)
    found.push({ label: "a freeze", state: { ...once(world, "freezes"), frozen: true } })
  if (world.frozen) found.push({ label: "the thaw", state: { ...world, frozen: false } })
  if (left.pauses > 0 && !world.paused)
    found.push({ label: "somebody pauses it", state: { ...once(world, "pauses"), paused: true } })
  if (left.withdrawals > 0)
    for (const [index, member] of members.entries())
      if (isOpen(member)) found.push({ label: `${nameOf(index)} is taken out`, state: takenOut(world, index) })
  if (world.paused) found.push({ label: "somebody resumes", state: { ...world, paused: false } })
  if (left.rollbacks > 0 && world.head.generation > 0) {
    const commit = `${world.head.commit}R`
    const end = { generation: world.head.generation + 1, commit, tree: treeOf(commit) }
    const step = { end, on: world.head.commit, policyVersion: 0, planned: 0, name: "R" }
    const next = once(world, "rollbacks")
    found.push({
      label: "a rollback lands",
      state: { ...next, head: end, line: [...world.line, step], rolledBack: true }
    })
  }
  if (left.moves > 0 && isOpen(members.at(-1)!)) {
    const place = Math.min(...members.map(({ entry }) => entry.place)) - 1
    const entry = { ...members.at(-1)!.entry, place }
    found.push({
      label: "the last one is moved to the front",
      state: withMember(once(world, "moves"), members.length - 1, { entry })
    })
  }
  if (left.cancels > 0)
    for (const [index, member] of members.entries())
      if (isOpen(member) && member.change.status !== "promoting") {
        const gone = withMember(once(world, "cancels"), index, { change: { ...member.change, status: "cancelled" } })
        const state = inFlight(member.candidate?.status ?? "")
          ? withCandidate(gone, index, { status: "rejected", rejection: "change_cancelled" })
          : gone
        found.push({ label: `${nameOf(index)} is cancelled`, state })
      }
  return found
}

/** All that can happen next. */
export const next = (world: World, happenings: Happenings, rules: Rules): ReadonlyArray<Option> => [
  ...progress(world, happenings, rules),
  ...wishes(world, happenings)
]
