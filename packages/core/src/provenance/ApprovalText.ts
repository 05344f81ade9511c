/**
 * What a passkey signs: the SHA-256 of a canonical text that names all that the decision is bound to. The text is made
 * anew from records by whoever verifies, so that no signature can be shown for another decision.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import type { Approval } from "../model/Approval.ts"
import type { Approver } from "../model/Approver.ts"
import type { Plan } from "../model/Plan.ts"
import { canonicalJson, sha256AtOnce, utf8 } from "../primitives/Digest.ts"

/** All that a decision is bound to. */
export interface ApprovalClaim {
  readonly project: string
  readonly change: string
  readonly candidate: string
  /** Of git. */
  readonly tree: string
  /** `dirHash` of the Candidate. */
  readonly source: string
  /** `planDigest` of its plan. */
  readonly plan: string
  readonly decision: Approval["decision"]
  /** The person. */
  readonly approver: string
}

/** The text of a decision: canonical JSON (RFC 8785) with the domain `pawl-approval-v1`. */
export const approvalText = (claim: ApprovalClaim): string => {
  const { approver, candidate, change, decision, plan, project, source, tree } = claim
  return canonicalJson({
    domain: "pawl-approval-v1",
    project,
    change,
    candidate,
    tree,
    source,
    plan,
    decision,
    approver
  })
}

/** What a stored decision says that was signed; null for one that was not. */
export const claimOf = (approval: Approval): ApprovalClaim | null => {
  const { approver, candidateId, changeId, decision, plan, projectId, source, tree } = approval
  if (source === undefined || plan === undefined) return null
  return { project: projectId, change: changeId, candidate: candidateId, tree, source, plan, decision, approver }
}

/** The text with which an owner's passkey endorses another one: domain `pawl-approver-v1`. */
export const enrolmentText = (
  enrolled: Pick<Approver, "credential" | "spki" | "rpId"> & { readonly user: string; readonly owner?: boolean }
): string => {
  const { credential, owner, rpId, spki, user } = enrolled
  return canonicalJson({ domain: "pawl-approver-v1", credential, spki, user, rpId, owner: owner === true })
}

/** The challenge of a text. */
export const challengeOf = (text: string): Uint8Array => sha256(utf8(text))

/** SHA-256 of the canonical JSON of a verification plan, in hex. */
export const planDigest = (plan: Plan): string => sha256AtOnce(canonicalJson(plan))
