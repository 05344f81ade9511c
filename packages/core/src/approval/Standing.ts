/** What the decisions on a Candidate come to under a Policy: whose count, and how many are still owed. */
import { Effect } from "effect"
import { hasLeft, roleOf } from "../access/Access.ts"
import { covers, type Role } from "../model/Membership.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { Change } from "../model/Change.ts"
import type { Stored } from "../ledger/Commit.ts"
import { demand, find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import { type Approval, approvalKey } from "../model/Approval.ts"
import type { Policy } from "../model/Policy.ts"
import { type Grounds, groundsOf } from "./Grounds.ts"
import { mustSign, unsignedOf } from "./SignedDecision.ts"

/** The role that may approve. */
const approverRole: Role = "member"

/** All that the decisions on a Candidate are judged by. */
export interface Decisions {
  /** Oldest first. */
  readonly approvals: ReadonlyArray<Stored<Approval>>
  /** Ids of those whose work it is: they opened the Change, or are authors of a composed ChangeSet. */
  readonly authors: ReadonlySet<string>
  /** Ids of those approvers who may still approve in this Project. */
  readonly here: ReadonlySet<string>
  /** Whether a grant must be signed by a passkey to count. */
  readonly signed: boolean
  /** Ids of the grants that do not count for want of a signature. */
  readonly unsigned: ReadonlySet<string>
  /** What those stand on that were carried over. */
  readonly grounds: Grounds
}

/** Read together with the Policy's number of approvals. */
export interface Standing {
  /** One rejection is enough, whoever has left since. */
  readonly rejected: Approval | null
  /** What was granted and counts, one for each person, oldest first. */
  readonly granted: ReadonlyArray<Approval>
  /** How many more people must grant. */
  readonly owed: number
}

/** Whether a decision counts: what an author granted does not where the Policy forbids it, nor what someone granted who has left, nor what lacks its signature, nor what was carried over and stands on nothing any more. */
export const counts = (
  approval: Approval,
  decisions: Pick<Decisions, "authors" | "grounds" | "here" | "unsigned">,
  policy: Pick<Policy, "allowSelfApproval">
): boolean =>
  approval.decision === "rejected" ||
  (!decisions.unsigned.has(approval.id) && stands(approval, decisions) && isEntitled(approval, decisions, policy))

const stands = ({ derivedFrom, id }: Approval, { grounds }: Pick<Decisions, "grounds">): boolean =>
  derivedFrom === undefined || grounds.of.has(id)

const isEntitled = (
  approval: Approval,
  { authors, here }: Pick<Decisions, "authors" | "here">,
  policy: Pick<Policy, "allowSelfApproval">
): boolean => here.has(approval.approver) && (policy.allowSelfApproval || !authors.has(approval.approver))

/** Pure: what the decisions come to for this tree. */
export const standingOf = (
  decisions: Decisions,
  tree: string | null,
  policy: Pick<Policy, "allowSelfApproval" | "approvalsRequired">
): Standing => {
  const counting = decisions.approvals.map(({ record }) => record).filter((each) => counts(each, decisions, policy))
  const granted = counting.filter((each) => each.decision === "granted" && each.tree === tree)
  const people = granted.map(({ approver }) => approver)
  const distinct = granted.filter(({ approver }, index) => people.indexOf(approver) === index)
  return {
    rejected: counting.find((each) => each.decision === "rejected") ?? null,
    granted: distinct,
    owed: Math.max(0, policy.approvalsRequired - distinct.length)
  }
}

/** All decisions on a Candidate, oldest first. One read for a Candidate without any. */
export const approvalsOf = Effect.fnUntraced(function* (candidateId: string) {
  const found: Array<Stored<Approval>> = []
  for (;;) {
    const next = yield* find("approval", approvalKey(candidateId, found.length + 1))
    if (next === null) return found
    found.push(next)
  }
})

/**
 * Those whose work a Candidate is. Whoever opened a Change asked for the agents that worked on it, and so did who wrote
 * one of them a note, and who had their own agent work.
 */
export const authorsOf = Effect.fnUntraced(function* (candidate: Candidate, change: Pick<Change, "createdBy">) {
  const found = yield* Effect.forEach(candidate.changeSets, (id) => find("changeSet", id))
  const changeSets = found.flatMap((each) => (each === null ? [] : [each.record]))
  const worked = changeSets.filter(({ author }) => author.type === "agent").map(({ taskId }) => taskId)
  const notes =
    worked.length === 0
      ? []
      : (yield* (yield* Records).list("note", { where: { taskId: worked }, limit: "all" })).items.map(
          (each) => each.record
        )
  const people = [change.createdBy, ...changeSets.map(({ author }) => author), ...notes.map(({ author }) => author)]
  const byAgents = changeSets.filter(({ author }) => author.type === "agent")
  const runs = yield* Effect.forEach(byAgents, ({ runId }) => find("taskRun", runId))
  const claimants = runs.flatMap((run) => run?.record.outside?.claimedBy ?? [])
  return new Set([...people.map(({ id }) => id), ...claimants]) as ReadonlySet<string>
})

/** Those of some people who may approve in a Project today. */
const stillHere = Effect.fnUntraced(function* (projectId: string, people: ReadonlyArray<string>) {
  const here = new Set<string>()
  if (people.length === 0) return here
  const project = (yield* demand("project", projectId)).record
  for (const id of new Set(people)) {
    if (yield* hasLeft(id, project)) continue
    const role = yield* roleOf(id, project)
    if (role !== null && covers(role, approverRole)) here.add(id)
  }
  return here
})

/** Reads the decisions on a Candidate, and who they are judged against. */
export const decisionsOn = Effect.fnUntraced(function* (
  candidate: Candidate,
  change: Pick<Change, "createdBy">,
  policy: Pick<Policy, "allowSelfApproval" | "approvalsSigned">
) {
  const approvals = yield* approvalsOf(candidate.id)
  const grounds = yield* groundsOf(approvals, candidate)
  const signed = yield* mustSign(candidate, policy)
  const people = approvals.map(({ record }) => record.approver)
  const asked = approvals.length > 0 && !policy.allowSelfApproval
  return {
    approvals,
    // Whose work it is is only asked where that matters.
    authors: asked ? yield* authorsOf(candidate, change) : new Set<string>(),
    here: yield* stillHere(candidate.projectId, people),
    signed,
    unsigned: signed ? yield* unsignedOf(approvals, candidate) : new Set<string>(),
    grounds
  } satisfies Decisions
})
