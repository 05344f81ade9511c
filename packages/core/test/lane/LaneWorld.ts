/**
 * A lane as a plain value, walked over the real decisions: every step may come at any time, or never. Trees are the sets
 * of Changes that they hold, commits the order in which these were merged, so that equal trees may be unequal commits.
 */
import type * as LanePlan from "@pawl/core/lane/LanePlan"
import type * as Canonical from "@pawl/core/promotion/Canonical"
import type * as Staleness from "@pawl/core/candidate/Staleness"
import type { End, Member, Seen } from "@pawl/core/lane/Line"
import type { LaneEntry } from "@pawl/core/model/LaneEntry"
import { LaneEntryLifecycle } from "@pawl/core/model/LaneEntryLifecycle"
import { allows, isFinal } from "@pawl/core/model/Lifecycle"

/** What is judged. */
export interface Rules {
  readonly plan: Pick<typeof LanePlan, "nextStep">
  readonly staleness: Pick<typeof Staleness, "staleCommit">
  readonly canonical: Pick<typeof Canonical, "swapDecision">
}

/** How often each of these may happen. */
export interface Happenings {
  readonly entries: number
  readonly policies: number
  readonly freezes: number
  readonly rollbacks: number
  readonly cancels: number
  readonly moves: number
  /** Somebody pauses it. */
  readonly pauses: number
  /** Somebody takes an entry out whose Change goes on. */
  readonly withdrawals: number
  /** A person promotes a verified Candidate, whatever its place. */
  readonly byHand: boolean
  /** The first entry owes an approval of each tree. */
  readonly approvals: boolean
  /** Changes that do not merge with each other. */
  readonly conflicts?: ReadonlyArray<readonly [string, string]>
  /** How many Candidates may be paid for at once. */
  readonly affordable?: number
  /** A check that fails is run once more, and may pass then. Not there when none is. */
  readonly retries?: true
}

/** A line to which nothing happens but its own steps. */
export const nothing = {
  policies: 0,
  freezes: 0,
  rollbacks: 0,
  cancels: 0,
  moves: 0,
  pauses: 0,
  withdrawals: 0,
  byHand: false,
  approvals: false
} as const satisfies Omit<Happenings, "entries">

export interface Step {
  readonly end: End
  readonly on: string
  readonly policyVersion: number
  readonly planned: number
  readonly name: string
}

export interface World {
  readonly head: End
  readonly line: ReadonlyArray<Step>
  readonly policyVersion: number
  readonly paused: boolean
  readonly heldAt: number
  readonly frozen: boolean
  readonly rolledBack: boolean
  readonly members: ReadonlyArray<Member>
  /** What each tree's checks come to, once it is known. */
  readonly known: Readonly<Record<string, boolean>>
  readonly approved: ReadonlyArray<string>
  /** Bases on which somebody was rejected. */
  readonly blamed: ReadonlyArray<string>
  readonly left: Omit<Happenings, "entries" | "byHand" | "approvals" | "conflicts" | "affordable" | "retries">
  /** What broke in the step that led here. */
  readonly fault: string | null
}

export const nameOf = (index: number): string => String.fromCharCode(97 + index)
export const treeOf = (commit: string): string =>
  `t${Array.from(commit.slice(commit.lastIndexOf("R") + 1))
    .toSorted()
    .join("")}`
export const isOpen = ({ entry }: Member): boolean => !isFinal(LaneEntryLifecycle, entry.status)
export const inFlight = (status: string): boolean => ["composing", "verifying", "verified"].includes(status)
export const projectId = "proj_00000000-0000-4000-8000-000000000000" as const

const memberOf = (index: number): Member => ({
  entry: {
    id: `ent_${nameOf(index)}` as LaneEntry["id"],
    place: index + 1,
    ticket: index + 1,
    priority: "normal",
    status: "waiting",
    candidateId: null,
    predictions: 0,
    passedBy: 0,
    outcome: null
  } as unknown as LaneEntry,
  change: { status: "verifying", laneEntryId: `ent_${nameOf(index)}` as LaneEntry["id"] },
  candidate: null,
  owes: false
})

/** A line of entries on the first generation. */
export const begin = ({ entries, ...left }: Happenings): World => {
  const head = { generation: 0, commit: "", tree: "t" }
  return {
    head,
    line: [{ end: head, on: "", policyVersion: 1, planned: 1, name: "" }],
    policyVersion: 1,
    paused: false,
    heldAt: 0,
    frozen: false,
    rolledBack: false,
    members: Array.from({ length: entries }, (_, index) => memberOf(index)),
    known: {},
    approved: [],
    blamed: [],
    left,
    fault: null
  }
}

export const withMember = (world: World, index: number, change: Partial<Member>): World => ({
  ...world,
  members: world.members.map((each, at) => (at === index ? { ...each, ...change } : each))
})

export const moving = (world: World, index: number, trigger: string, status: LaneEntry["status"], more = {}): World => {
  const member = world.members[index]!
  const allowed = allows<string, string>(LaneEntryLifecycle, member.entry.status, trigger)
  const next = withMember(world, index, { entry: { ...member.entry, status, ...more } })
  return allowed ? next : { ...next, fault: `${trigger} in ${member.entry.status}` }
}

export const ended = (world: World, index: number, change: Member["change"]["status"]): World => {
  const { laneEntryId: _, ...rest } = world.members[index]!.change
  return withMember(world, index, { change: { ...rest, status: change } })
}

export const withCandidate = (world: World, index: number, candidate: Partial<Seen>): World => {
  const before = world.members[index]!.candidate
  return before === null ? world : withMember(world, index, { candidate: { ...before, ...candidate } })
}

export const owes = (world: World, happenings: Happenings, index: number): boolean => {
  const { candidate } = world.members[index]!
  return (
    happenings.approvals &&
    index === 0 &&
    candidate?.status === "verified" &&
    !world.approved.includes(candidate.made?.tree ?? "")
  )
}

/** Whether a check of its Candidate has failed that is being run once more. */
export const isRetried = ({ candidate, retried }: Member): boolean =>
  retried === true && candidate?.status === "verifying"

/** A member as the lane reads it. */
const asked = (world: World, happenings: Happenings, member: Member, index: number): Member => ({
  ...member,
  retried: isRetried(member),
  owes: owes(world, happenings, index),
  ...(happenings.approvals && index === 0 && member.candidate !== null
    ? { candidate: { ...member.candidate, asksApproval: true } }
    : {})
})

export const readingOf = (world: World, happenings: Happenings): LanePlan.Reading => ({
  lane: { state: world.paused ? "paused" : "running", decided: [], heldAt: world.heldAt },
  head: world.head,
  policy: { version: world.policyVersion, lane: { mode: "on" } },
  archived: false,
  rolledBack: world.rolledBack,
  rollback: null,
  affordable: happenings.affordable ?? 9,
  line: world.members
    .map((member, index) => asked(world, happenings, member, index))
    .filter(isOpen)
    .toSorted((a, b) => a.entry.place - b.entry.place)
})
