/**
 * Approvals that are carried over: what people granted of one Candidate counts for the next of the same ChangeSets, where
 * that does the same to the same files. Each is a row of its own for the exact new tree, and says what it is derived from.
 */
import { Effect } from "effect"
import { type Carried, type Carry, noneCarried } from "../candidate/Carrying.ts"
import { isCarrying } from "../candidate/Difference.ts"
import type { Approval } from "../model/Approval.ts"
import { makeUlid } from "../primitives/Ids.ts"
import { apartBy, isRefused, kinOf, unchangedKin } from "./Grounds.ts"
import { decisionsOn, standingOf } from "./Standing.ts"

const sameNames = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  [...one].sort().join() === [...other].sort().join()

/**
 * What is carried over to a Candidate whose checks have passed: each grant that counts, of the newest Candidate that is the
 * same and whose old promises were seen to hold or not to hold as here. Nothing of a work that anybody refused, and
 * nothing where a passkey must sign.
 */
export const carry = Effect.fnUntraced(function* ({ broken, candidate, change, now, policy }: Carry) {
  if (!isCarrying(policy) || candidate.diff === undefined) return noneCarried
  const kin = yield* kinOf(candidate)
  const alike = kin.candidates.filter((each) => each.status !== "rejected" && apartBy(each, candidate) === null)
  if (alike.length === 0 || isRefused(kin)) return noneCarried
  const here = yield* decisionsOn(candidate, change, policy)
  // A passkey has signed what stood there. That this is the same, nobody could see who has the signature alone.
  if (here.signed) return noneCarried
  const before = standingOf(here, candidate.tree, policy)
  const people = new Set(before.granted.map(({ approver }) => approver))
  const approvals: Array<Approval> = []
  for (const granted of alike.toReversed()) {
    const { granted: grants } = standingOf(yield* decisionsOn(granted, change, policy), granted.tree, policy)
    for (const grant of grants) {
      const isOwn = grant.derivedFrom === undefined && sameNames(grant.brokenPromises ?? [], broken)
      if (!isOwn || people.has(grant.approver) || candidate.tree === null) continue
      people.add(grant.approver)
      const nth = here.approvals.length + approvals.length + 1
      approvals.push({
        id: `apr_${yield* makeUlid}`,
        projectId: candidate.projectId,
        candidateId: candidate.id,
        changeId: candidate.changeId,
        tree: candidate.tree,
        decision: "granted",
        approver: grant.approver,
        decidedAt: now,
        ...(nth === 1 ? {} : { nth }),
        ...(broken.length === 0 ? {} : { brokenPromises: broken }),
        derivedFrom: grant.id,
        basis: candidate.diff
      })
    }
  }
  if (approvals.length === 0) return noneCarried
  const owed = Math.max(0, policy.approvalsRequired - people.size)
  return { approvals, expects: unchangedKin(kin), owed } satisfies Carried
})
