/** Who stands before whom in the lane, and on what each is to be made. Pure: plain values in, plain values out. */
import type { Candidate, CandidateStatus, RejectionCode } from "../model/Candidate.ts"
import type { Change } from "../model/Change.ts"
import type { Head } from "../model/Generation.ts"
import type { LaneEntry } from "../model/LaneEntry.ts"
import { rejectionOf } from "../model/StoredReasons.ts"
import type { CandidateId } from "../primitives/Ids.ts"

/** The end of a line of generations: canonical, or what that is predicted to be. */
export type End = Pick<Head, "generation" | "commit" | "tree">

/** What a Candidate is to be made on. */
export interface Base extends End {
  /** The Candidate that makes it when it lands; null for canonical. */
  readonly ahead: CandidateId | null
}

/** What the lane looks at of a Candidate. */
export interface Seen {
  readonly id: CandidateId
  readonly status: CandidateStatus
  /** Why it was rejected; null when it was not. */
  readonly rejection: RejectionCode | null
  /** In words. */
  readonly reason: string | null
  readonly base: End
  /** What was composed; null until then. */
  readonly made: Omit<End, "generation"> | null
  /** The Policy that it was planned under; null until it is planned. */
  readonly policyVersion: number | null
  /** Whether its plan asks for approvals. Not there when not. */
  readonly asksApproval?: boolean
}

/** One open entry, with what says where it stands. */
export interface InLine {
  readonly entry: LaneEntry
  /** The entry's newest Candidate; null before the first. */
  readonly candidate: Seen | null
  /** Whether a check of that Candidate has failed that is being run once more. Not there when none has. */
  readonly retried?: boolean
}

/** One open entry, with all that is looked at beside it. */
export interface Member extends InLine {
  /** Whether its Candidate could not be checked because builds or sandbox time were used up. Not there when not. */
  readonly ranOut?: boolean
  readonly change: Pick<Change, "status" | "laneEntryId">
  /** Whether people must decide on that Candidate before it may land. */
  readonly owes: boolean
}

/** What the lane looks at of a stored Candidate. */
export const seen = (candidate: Candidate): Seen => {
  const { baseCommit, baseGeneration, baseTree, commit, id, plan, reason, status, tree } = candidate
  return {
    id,
    status,
    rejection: rejectionOf(candidate),
    reason,
    base: { generation: baseGeneration, commit: baseCommit, tree: baseTree },
    made: commit === null || tree === null ? null : { commit, tree },
    policyVersion: plan?.policyVersion ?? null,
    ...(plan?.approvalRequired === true ? { asksApproval: true } : {})
  }
}

/** In the order in which they stand. */
export const inLine = <A extends InLine>(members: ReadonlyArray<A>): ReadonlyArray<A> =>
  members.toSorted((a, b) => a.entry.place - b.entry.place)

/** Whether two ends are one. Equal trees may be made by two commits, and only one of them is what a Candidate follows. */
export const isSameEnd = (a: End, b: End): boolean =>
  a.generation === b.generation && a.commit === b.commit && a.tree === b.tree

const notComposable: ReadonlySet<RejectionCode> = new Set([
  "merge_conflict",
  "invalid_path",
  "tree_too_large",
  "invalid_definitions",
  "packages_refused"
])

/** Whether a Candidate ended before anything was checked: it could not be composed on its base. */
export const couldNotBeComposed = ({ made, rejection }: Seen): boolean =>
  rejection !== null && made === null && notComposable.has(rejection)

/** Whether an entry waits because it could not be composed on what it is to be made on. */
export const isUnmergeable = ({ candidate, entry }: InLine, wanted: Base): boolean =>
  entry.status === "waiting" && candidate !== null && couldNotBeComposed(candidate) && isSameEnd(candidate.base, wanted)

/** Whether a Candidate of it is under way, or through. */
export const isUnderWay = ({ entry }: InLine): boolean => entry.status === "running" || entry.status === "ready"

/** Whether it is likely to fail: its retry will say so. Until then nobody behind it is decided. */
export const isRetried = ({ entry, retried }: InLine): boolean => entry.status === "running" && retried === true

/** Whether its checks failed, as far as is known. */
const hasFailed = (member: InLine): boolean => member.entry.status === "doubtful" || isRetried(member)

/** Whether those behind it are made as if it were not there. */
const isPassed = (member: InLine, wanted: Base): boolean =>
  member.entry.status === "aside" ||
  isUnmergeable(member, wanted) ||
  (hasFailed(member) && member.candidate !== null && isSameEnd(member.candidate.base, wanted))

/** Those of a line who may be decided: none behind one that is retried, which may still land. */
export const decidable = (line: ReadonlyArray<Member>): ReadonlyArray<Member> => {
  const open = line.findIndex(isRetried)
  return open === -1 ? line : line.slice(0, open)
}

/** What canonical is when this Candidate has landed; null while it is not composed. */
const endOf = ({ base, id, made }: Seen): Base | null =>
  made === null ? null : { ...made, generation: base.generation + 1, ahead: id }

/** What the next one is to be made on, behind a member that is to be made on `wanted`; null while that is not decided. */
const behind = (member: InLine, wanted: Base | null): Base | null => {
  if (wanted === null || isPassed(member, wanted)) return wanted
  const { candidate } = member
  if (candidate === null || !isUnderWay(member) || !isSameEnd(candidate.base, wanted)) return null
  return endOf(candidate)
}

/**
 * On what the next entry behind `before` is to be made: the nearest of them that is not doubtful, aside or unmergeable,
 * else canonical. Null while that one has no commit, or is to be made anew itself.
 */
export const wantedBase = (before: ReadonlyArray<InLine>, head: End): Base | null =>
  before.reduce<Base | null>((wanted, member) => behind(member, wanted), { ...endOnly(head), ahead: null })

const endOnly = ({ commit, generation, tree }: End): End => ({ generation, commit, tree })

/** The same of each entry of a line, in its order. */
export const wantedBases = (line: ReadonlyArray<InLine>, head: End): ReadonlyArray<Base | null> => {
  let wanted: Base | null = { ...endOnly(head), ahead: null }
  return line.map((member) => {
    const own = wanted
    wanted = behind(member, own)
    return own
  })
}

/**
 * Of each entry of a line, whether what its Candidate was made on may still become canonical: it is, or the Candidate of
 * one before it makes it, whose own base may. True where there is nothing that could be lost.
 */
export const basesThatStand = (line: ReadonlyArray<InLine>, head: End): ReadonlyArray<boolean> => {
  const ends: Array<End> = [endOnly(head)]
  return line.map((member) => {
    const { candidate } = member
    if (candidate === null || !["running", "ready", "doubtful"].includes(member.entry.status)) return true
    const stands = ends.some((end) => isSameEnd(end, candidate.base))
    const end = endOf(candidate)
    if (stands && end !== null && isUnderWay(member)) ends.push(end)
    return stands
  })
}
