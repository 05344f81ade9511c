/**
 * What an approval stands on that was carried over: a person's own grant for an earlier Candidate that does the same, file
 * by file. A row for the exact new tree is written, and what it stands on is asked again whenever it counts.
 */
import { Effect } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { Records } from "../ledger/Records.ts"
import { type Approval, approvalKey } from "../model/Approval.ts"
import type { Candidate } from "../model/Candidate.ts"
import { canonicalJson } from "../primitives/Digest.ts"

/** By what two Candidates are told apart. */
export type Apart = "ChangeSets" | "Policy" | "checks" | "risk" | "difference"

/** What a Candidate is compared by. */
type Compared = Pick<Candidate, "changeSets" | "diff" | "plan">

const isOfSame = (one: Pick<Candidate, "changeSets">, other: Pick<Candidate, "changeSets">): boolean =>
  one.changeSets.join() === other.changeSets.join()

/** Pure: the first thing by which one Candidate is another to who approves it; null where both are the same. */
export const apartBy = (one: Compared, other: Compared): Apart | null => {
  if (!isOfSame(one, other)) return "ChangeSets"
  if (one.plan === null || one.plan.policyVersion !== other.plan?.policyVersion) return "Policy"
  if (canonicalJson(one.plan.checks) !== canonicalJson(other.plan.checks)) return "checks"
  if (one.plan.riskTier !== other.plan.riskTier) return "risk"
  return one.diff === undefined || one.diff !== other.diff ? "difference" : null
}

/** The other Candidates of the same ChangeSets, and all decisions on them. */
export interface Kin {
  readonly candidates: ReadonlyArray<Candidate>
  readonly approvals: ReadonlyArray<Commit.Stored<Approval>>
}

/** No others. */
export const noKin: Kin = { candidates: [], approvals: [] }

/** Reads what decisions on a Candidate may be carried over from. */
export const kinOf = Effect.fnUntraced(function* (candidate: Candidate) {
  const records = yield* Records
  const all = { where: { changeId: candidate.changeId }, limit: "all" as const }
  const candidates = (yield* records.list("candidate", all)).items
    .map(({ record }) => record)
    .filter((each) => each.id !== candidate.id && isOfSame(each, candidate))
  const ids = new Set<string>(candidates.map(({ id }) => id))
  const approvals = (yield* records.list("approval", all)).items.filter(({ record }) => ids.has(record.candidateId))
  return { candidates, approvals } satisfies Kin
})

/** Whether a person refused one of them: then nothing that others granted of the same work is carried over. */
export const isRefused = ({ approvals }: Kin): boolean => approvals.some(({ record }) => record.decision === "rejected")

/** Pure: the grant that a derived approval stands on, and for what; null where it stands on none. */
export const groundOf = (derived: Approval, candidate: Candidate, kin: Kin) => {
  const original = kin.approvals.find(({ record }) => record.id === derived.derivedFrom)?.record
  const granted = kin.candidates.find(({ id }) => id === original?.candidateId)
  if (original === undefined || granted === undefined || isRefused(kin)) return null
  const isOwn = original.decision === "granted" && original.derivedFrom === undefined && original.tree === granted.tree
  const isSame = original.approver === derived.approver && derived.basis === candidate.diff
  return isOwn && isSame && apartBy(granted, candidate) === null ? { original, granted } : null
}

/** What a derived approval stands on. */
export type Ground = NonNullable<ReturnType<typeof groundOf>>

/** What stands on others of a Candidate's decisions. */
export interface Grounds {
  /** By the id of the derived approval. One that is not there stands on nothing. */
  readonly of: ReadonlyMap<string, Ground>
  /** That the decisions on the other Candidates are as they were read, and that there are no others. */
  readonly expects: ReadonlyArray<Commit.Expectation>
}

/** Nothing was carried over. */
export const noGrounds: Grounds = { of: new Map(), expects: [] }

/** Every decision on those Candidates is as it was read, and there is no other. */
export const unchangedKin = ({ approvals, candidates }: Kin): ReadonlyArray<Commit.Expectation> => [
  ...approvals.map((each) =>
    Commit.unchanged("approval", approvalKey(each.record.candidateId, each.record.nth ?? 1), each)
  ),
  ...candidates.map(({ id }) => {
    const known = approvals.filter(({ record }) => record.candidateId === id).length
    return Commit.absent("approval", approvalKey(id, known + 1))
  })
]

/** What the derived ones among some decisions stand on. Without any, nothing is read. */
export const groundsOf = Effect.fnUntraced(function* (
  approvals: ReadonlyArray<Commit.Stored<Approval>>,
  candidate: Candidate
) {
  const derived = approvals.filter(({ record }) => record.derivedFrom !== undefined)
  if (derived.length === 0) return noGrounds
  const kin = yield* kinOf(candidate)
  const found = derived.flatMap(({ record }) => {
    const ground = groundOf(record, candidate, kin)
    return ground === null ? [] : [[record.id, ground] as const]
  })
  return { of: new Map(found), expects: unchangedKin(kin) } satisfies Grounds
})
