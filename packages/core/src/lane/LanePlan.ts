/**
 * What the lane does next, decided purely from one reading. Steps are taken one by one, each by a commit of its own:
 * after any of them the rest may be decided anew.
 */
import { isClosed } from "../change/Changes.ts"
import type { Change } from "../model/Change.ts"
import type { Lane } from "../model/Lane.ts"
import type { LaneEntry, LaneOutcomeCode } from "../model/LaneEntry.ts"
import type { LanePolicy } from "../model/Policy.ts"
import { Limits } from "../primitives/Limits.ts"
import { depthOf } from "./Depth.ts"
import type { Leaving } from "./LaneEnds.ts"
import {
  type Base,
  basesThatStand,
  couldNotBeComposed,
  decidable,
  type End,
  inLine,
  isSameEnd,
  isUnderWay,
  isUnmergeable,
  type Member,
  type Seen,
  wantedBase,
  wantedBases
} from "./Line.ts"
import { passingIndex, type Placed, putAt, returnIndex, roomFor } from "./Places.ts"

/** All that the lane is decided by, as it was read at once. */
export interface Reading {
  readonly lane: Pick<Lane, "state" | "decided" | "heldAt">
  readonly head: End
  /** The active Policy. */
  readonly policy: { readonly version: number; readonly lane: LanePolicy }
  readonly archived: boolean
  /** Whether a rollback has landed, with the lane on, since it was held last. */
  readonly rolledBack: boolean
  /** The Change of a rollback that is under way on canonical: nobody lands before it. Null for none. */
  readonly rollback: Change["id"] | null
  /** How many Candidates today's builds and the month's sandbox time are enough for; 0 when nothing is left. */
  readonly affordable: number
  /** The open entries in the order of their places. */
  readonly line: ReadonlyArray<Member>
}

/** One thing that the lane does, about one entry but for `Hold`. */
export type LaneStep =
  | { readonly _tag: "Leave"; readonly entry: LaneEntry; readonly trigger: Leaving; readonly code: LaneOutcomeCode }
  /** `Replan`: its Candidate is checked anew where it stands, for the Policy has changed. */
  | { readonly _tag: "Pass" | "Aside" | "Replan"; readonly entry: LaneEntry }
  | { readonly _tag: "Return"; readonly entry: LaneEntry; readonly placed: Placed }
  | { readonly _tag: "Doubt"; readonly entry: LaneEntry; readonly reason: string }
  | {
      readonly _tag: "Reject"
      readonly entry: LaneEntry
      readonly trigger: "standsFirst" | "notMergeable"
      readonly code: LaneOutcomeCode
      readonly reason: string
    }
  /** A rollback has landed: the lane waits for a person. */
  | { readonly _tag: "Hold" }
  | { readonly _tag: "Land"; readonly entry: LaneEntry }
  /**
   * Its Candidate is to be made anew. `counts` when a prediction was wrong: what is in flight of it is stale. `before` is
   * the Candidate that stands before it now, where that is another one; `gone` when its own commit is.
   */
  | {
      readonly _tag: "Refute"
      readonly entry: LaneEntry
      readonly reason: string
      readonly counts: boolean
      readonly before?: Base["ahead"]
      readonly gone?: true
    }
  | { readonly _tag: "Compose"; readonly entry: LaneEntry; readonly base: Base; readonly place: number }

type Rule = (reading: Reading) => LaneStep | null

/** The first step that a rule finds along the line. */
const first = (
  line: ReadonlyArray<Member>,
  rule: (member: Member, index: number) => LaneStep | null
): LaneStep | null => {
  let index = 0
  for (const member of line) {
    const step = rule(member, index++)
    if (step !== null) return step
  }
  return null
}

const leave = (entry: LaneEntry, trigger: Leaving, code: LaneOutcomeCode): LaneStep => ({
  _tag: "Leave",
  entry,
  trigger,
  code
})

/** What takes an entry out without a verdict. */
const leaving: Rule = ({ archived, line, policy }) =>
  first(line, ({ candidate, change, entry }) => {
    if (archived) return leave(entry, "archived", "archived")
    if (policy.lane.mode === "off") return leave(entry, "laneOff", "lane_off")
    if (change.status === "cancelled") return leave(entry, "changeCancelled", "change_cancelled")
    if (isClosed(change.status) || change.status === "releasing")
      return leave(entry, "changeCancelled", "change_closed")
    if (change.laneEntryId !== entry.id) return leave(entry, "newWork", "new_work")
    if (candidate?.rejection === "rejected_by_person") return leave(entry, "withdrawn", "approval_rejected")
    return null
  })

const refute = (entry: LaneEntry, reason: string, counts: boolean): LaneStep => ({
  _tag: "Refute",
  entry,
  reason,
  counts
})

/** What became of the Candidate of an entry that runs. */
const verdictOf = ({ candidate, entry, owes, ranOut }: Member): LaneStep | null => {
  if (candidate === null) return null
  if (candidate.status === "verified") return { _tag: owes ? "Aside" : "Pass", entry }
  if (candidate.status === "stale" || candidate.status === "blocked")
    return refute(entry, candidate.reason ?? "its Candidate is stale", true)
  if (candidate.status !== "rejected") return null
  const reason = candidate.reason ?? "its Candidate was rejected"
  // Who came when nothing was left waits for more: that says nothing about the work.
  if (couldNotBeComposed(candidate) || candidate.rejection === "sandbox_budget_used_up" || ranOut === true)
    return refute(entry, reason, false)
  return { _tag: "Doubt", entry, reason }
}

/** Of one that was through: it may owe a decision by now, be checked anew, or be gone. */
const afterwardsOf = ({ candidate, entry, owes }: Member, version: number): LaneStep | null => {
  if (candidate === null || candidate.status === "promoted") return null
  if (candidate.status === "stale") return refute(entry, candidate.reason ?? "its Candidate is stale", true)
  if (candidate.status !== "verified" || candidate.policyVersion !== version) return { _tag: "Replan", entry }
  return owes ? { _tag: "Aside", entry } : null
}

/**
 * Where a Candidate is wanted as it is, when its approval counts for no other tree: anywhere else it would be made anew,
 * and owe it again. Null where it counts for others too, is of no use any more, or would pass who may not be passed.
 */
const indexAsIs = (others: ReadonlyArray<Member>, member: Member, { head, policy }: Reading): number | null => {
  const { candidate, entry } = member
  if (candidate?.asksApproval !== true || candidate.status !== "verified") return null
  if (candidate.policyVersion !== policy.version || policy.lane.carryApprovals === "same-blobs") return null
  const index = [...wantedBases(others, head), wantedBase(others, head)].findIndex(
    (base) => base !== null && isSameEnd(base, candidate.base)
  )
  // Who is promoting now is about to be canonical.
  if (index <= others.findLastIndex(({ change }) => change.status === "promoting")) return null
  const line = others.map((each) => each.entry)
  return passingIndex(line, index, entry.place) === index ? index : null
}

/**
 * Back into the line: who was decided keeps its number, and goes behind those that have begun; or to where the very tree
 * lands that was approved, where no other may.
 */
const returning = (reading: Reading, member: Member): LaneStep => {
  const { entry } = member
  const others = reading.line.filter((each) => each.entry.id !== entry.id)
  const line = others.map((each) => each.entry)
  const index = indexAsIs(others, member, reading) ?? returnIndex(line, entry.place)
  return { _tag: "Return", entry, placed: putAt(line, index, entry.place) }
}

/** Brings each entry to where its Candidate is. */
const verdicts: Rule = ({ head, line, policy }) => {
  const stands = basesThatStand(line, head)
  return first(line, (member, index) => {
    if (member.entry.status === "running") return verdictOf(member)
    const isThere = member.entry.status === "ready" && stands[index] === true
    return isThere ? afterwardsOf(member, policy.version) : null
  })
}

/** Brings back who was decided, or is to be made anew: the last one first, so that each comes to stand before those behind it. */
const returns: Rule = (reading) => {
  const member = reading.line.findLast(({ entry, owes }) => entry.status === "aside" && !owes)
  return member === undefined ? null : returning(reading, member)
}

/** What a Candidate that failed is called, where it counts. */
const codeOf = ({ rejection }: Seen): LaneOutcomeCode =>
  rejection === "checks_failed" || rejection === "no_checks" ? "checks_failed" : "checks_could_not_run"

/** Blame: only who failed on canonical itself, with nobody undecided before it. */
const rejections: Rule = ({ head, line }) => {
  const wanted = wantedBases(line, head)
  return first(decidable(line), (member, index) => {
    const [{ candidate, entry }, base] = [member, wanted[index] ?? null]
    if (candidate === null || base === null || !isSameEnd(base, head)) return null
    const reason = candidate.reason ?? "its Candidate was rejected"
    if (isUnmergeable(member, base))
      return { _tag: "Reject", entry, trigger: "notMergeable", code: "not_mergeable", reason }
    if (entry.status !== "doubtful" || !isSameEnd(candidate.base, head)) return null
    return { _tag: "Reject", entry, trigger: "standsFirst", code: codeOf(candidate), reason }
  })
}

/** Whether a rollback pauses it. One that lands while the lane is off holds nobody up. */
export const isHeldAfterRollback = ({ holdAfterRollback, mode }: LanePolicy): boolean =>
  mode === "on" && holdAfterRollback !== false

const holds: Rule = ({ head, lane, policy, rolledBack }) =>
  rolledBack && isHeldAfterRollback(policy.lane) && head.generation > (lane.heldAt ?? -1) ? { _tag: "Hold" } : null

/** The first that is ready on canonical, when none before it is still to be decided. A rollback goes before it. */
const landings: Rule = ({ head, lane, line, policy, rollback }) => {
  if (lane.state === "paused" || rollback !== null) return null
  const wanted = wantedBases(line, head)
  return first(decidable(line), ({ candidate, change, entry, owes }, index) => {
    const base = wanted[index] ?? null
    if (candidate === null || base === null || entry.status !== "ready" || owes) return null
    if (candidate.status !== "verified" || candidate.policyVersion !== policy.version) return null
    if (change.status === "promoting" || !isSameEnd(base, head) || !isSameEnd(candidate.base, head)) return null
    return { _tag: "Land", entry }
  })
}

const words = ({ ahead, generation }: Base): string =>
  ahead === null ? `canonical is S${generation} now` : `${ahead} stands before it now, as S${generation}`

const overtaken = (entry: LaneEntry, base: Base): LaneStep => ({
  _tag: "Refute",
  entry,
  reason: words(base),
  counts: true,
  before: base.ahead
})

/** Whose base will not be canonical any more, or not before another one. */
const refutations: Rule = ({ head, line }) => {
  const wanted = wantedBases(line, head)
  const stands = basesThatStand(line, head)
  return first(line, (member, index) => {
    const { candidate, entry } = member
    if (candidate === null || candidate.status === "promoted") return null
    if (!isUnderWay(member) && entry.status !== "doubtful") return null
    const base = wanted[index] ?? null
    if (stands[index] !== true) return refute(entry, "what it was made on will not be canonical", true)
    return base === null || isSameEnd(candidate.base, base) ? null : overtaken(entry, base)
  })
}

/** Whether its Candidate was verified on this base before: to have it again costs nothing. */
const isThrough = ({ candidate }: Member, base: Base): boolean =>
  candidate?.status === "verified" && isSameEnd(candidate.base, base)

const compositions: Rule = ({ affordable, head, lane, line, policy }) => {
  if (lane.state === "paused") return null
  const depth = depthOf(lane.decided, policy.lane, affordable)
  const wanted = wantedBases(line, head)
  let place = 0
  return first(line, (member, index) => {
    const { entry } = member
    if (entry.status === "aside") return null
    place += 1
    const base = wanted[index] ?? null
    if (entry.status !== "waiting" || base === null || isUnmergeable(member, base)) return null
    if (place > depth && !isThrough(member, base)) return null
    if (entry.predictions > Limits.lanePredictions && !isSameEnd(base, head)) return null
    if (base.generation - head.generation >= Limits.laneDepthMax) return null
    return { _tag: "Compose", entry, base, place }
  })
}

/**
 * What is done first. Rejecting comes before landing, or one behind would overtake who failed, who then is tried twice;
 * landing before predicting anew, for what lands is predicted on.
 */
const rules: ReadonlyArray<Rule> = [leaving, verdicts, returns, rejections, holds, landings, refutations, compositions]

/** Whether somebody waits for builds or sandbox time alone, of which nothing is left: nothing else may wake the line. */
export const isOutOfMeans = ({ affordable, lane, line }: Reading): boolean =>
  affordable === 0 && lane.state === "running" && line.some(({ entry }) => entry.status === "waiting")

/** The next step; null when nothing is to be done. */
export const nextStep = (reading: Reading): LaneStep | null => {
  for (const rule of rules) {
    const step = rule(reading)
    if (step !== null) return step
  }
  return null
}

/** What a step makes of an entry; null when it is not in the line any more. */
const entryAfter = (step: LaneStep, entry: LaneEntry): LaneEntry | null => {
  switch (step._tag) {
    case "Leave":
    case "Reject":
      return null
    case "Pass":
      return { ...entry, status: "ready" }
    case "Aside":
      return { ...entry, status: "aside" }
    case "Return":
      return { ...entry, status: "waiting", place: step.placed.place }
    case "Doubt":
      return { ...entry, status: "doubtful" }
    case "Refute":
      return { ...entry, status: "waiting", predictions: entry.predictions + (step.counts ? 1 : 0) }
    case "Compose":
    case "Replan":
      return { ...entry, status: "running" }
    default:
      return entry
  }
}

/** Another that made room for the one that the step is about, or was passed by it. */
const asideFor = (step: LaneStep, member: Member): Member =>
  step._tag === "Return" ? { ...member, entry: { ...member.entry, ...roomFor(step.placed, member.entry) } } : member

const memberAfter = (step: LaneStep, member: Member): ReadonlyArray<Member> => {
  if (step._tag === "Hold" || step.entry.id !== member.entry.id) return [asideFor(step, member)]
  const entry = entryAfter(step, member.entry)
  if (entry === null) return []
  if (step._tag === "Land") return [{ ...member, change: { ...member.change, status: "promoting" } }]
  // What it is made of is not known before it is composed: those behind it wait.
  if (step._tag === "Compose") return [{ ...member, entry, candidate: null }]
  if (step._tag === "Replan" && member.candidate?.status === "verified")
    return [{ ...member, entry, candidate: { ...member.candidate, status: "verifying" } }]
  return [{ ...member, entry }]
}

/** The reading as it is after a step. */
export const after = (reading: Reading, step: LaneStep): Reading => ({
  ...reading,
  lane: step._tag === "Hold" ? { ...reading.lane, state: "paused", heldAt: reading.head.generation } : reading.lane,
  line: inLine(reading.line.flatMap((member) => memberAfter(step, member)))
})

/** Every step that one reading leads to, in order. */
export const planLane = (reading: Reading): ReadonlyArray<LaneStep> => {
  const steps: Array<LaneStep> = []
  let now = reading
  for (let step = nextStep(now); step !== null; step = nextStep(now)) {
    steps.push(step)
    now = after(now, step)
  }
  return steps
}

/** Steps of one commit. */
export type Together = readonly [LaneStep, ...ReadonlyArray<LaneStep>]

/** These write their entry alone: what another step reads is the same before and after them. */
const writesItsEntry: ReadonlySet<LaneStep["_tag"]> = new Set(["Pass", "Aside", "Land"])

/**
 * Pure: the steps of a plan in turn, by the commits that take them. Those that write their entry alone go with the one
 * behind them, when that makes a Candidate or is such a one too; each other step has a commit of its own.
 */
export const together = (steps: ReadonlyArray<LaneStep>): ReadonlyArray<Together> => {
  const groups: Array<Together> = []
  let isOpen = false
  for (const step of steps) {
    const writesOne = writesItsEntry.has(step._tag)
    const last = groups.at(-1)
    if (isOpen && last !== undefined && (writesOne || step._tag === "Compose"))
      groups[groups.length - 1] = [...last, step]
    else groups.push([step])
    isOpen = writesOne
  }
  return groups
}
