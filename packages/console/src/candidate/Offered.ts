/** Which actions a Change offers to who looks at it, which is the first, and why one may not. The server judges again. */
import { holdsAll } from "../change/Next.ts"
import { archived, type MayNot, type Operation } from "../project/May.ts"
import { shortHashes } from "./WhatToDo.ts"
import { isWorkedOn } from "./WorkedOn.ts"
import type { SignedIn } from "../api/Session.ts"
import type { Candidate, Change, Policy, Why } from "../change/Records.ts"

/** One for each component that acts. */
export type Verb = "approve" | "reject" | "promote" | "land" | "request" | "send" | "cancel"

/** One action: `why` is in words why it cannot be taken now, null where it can. At most one of all `isMain`. */
export interface Offered {
  readonly verb: Verb
  readonly why: string | null
  readonly isMain: boolean
}

/** All that this is judged by. What is null was not answered yet. */
export interface Standing {
  readonly change: Change
  readonly candidate: Candidate | null
  readonly why: Why | null
  readonly policy: Policy | null
  readonly me: Pick<SignedIn, "user"> | null
  readonly mayNot: MayNot | null
  readonly isArchived: boolean
  /** Ids. */
  readonly changeSets: ReadonlyArray<string>
}

/** The operation behind each verb. */
export const operationOf = {
  approve: "approvals.approve",
  reject: "approvals.approve",
  promote: "candidates.promote",
  land: "lane.land",
  request: "candidates.create",
  send: "changesets.create",
  cancel: "changes.cancel"
} as const satisfies Readonly<Record<Verb, Operation>>

const cancellable = new Set<Change["status"]>([
  "created",
  "compiling",
  "running",
  "verifying",
  "awaiting_approval",
  "budget_blocked"
])
const over = new Set<Change["status"]>(["completed", "failed", "cancelled"])

const deciding = ({ change, me, policy, why }: Standing): string | null => {
  if (why === null || me === null) return null
  const mine = why.approval.decisions.find(({ approver, counts }) => approver === me.user.id && counts)
  if (mine !== undefined) return `You decided already: ${mine.decision}. ${why.approval.missing} more must decide.`
  return policy?.allowSelfApproval === false && change.createdBy.id === me.user.id
    ? "You opened this Change. Its Policy wants somebody else to decide."
    : null
}

const promoting = ({ why }: Standing): string | null => {
  if (why === null || why.canPromote) return null
  const [first] = why.blocks
  if (first === undefined) return "It cannot be promoted now."
  return why.blocks.length === 1
    ? `${shortHashes(first.detail)}.`
    : `${shortHashes(first.detail)}, and ${why.blocks.length - 1} more.`
}

/** No Candidate is asked for again that would be the same one and do nothing. */
const requesting = ({ candidate, changeSets, why }: Standing): "hidden" | { readonly why: string | null } => {
  const may = { why: null }
  if (changeSets.length === 0) return "hidden"
  if (candidate === null || !holdsAll(candidate, changeSets)) return may
  if (candidate.status === "stale" || candidate.status === "blocked") return may
  if (why?.blocks.some(({ code }) => code === "policy_version_mismatch") === true) return may
  if (candidate.status !== "rejected") return "hidden"
  return isGap(candidate)
    ? may
    : { why: "The same ChangeSets would be the same Candidate. Send another ChangeSet first." }
}

/** Whether it was rejected though no check of it failed: then it may be asked for again as it is. */
export const isGap = ({ score_json, status }: Candidate): boolean =>
  status === "rejected" &&
  score_json !== null &&
  score_json.checks.some(({ required, verdict }) => required && verdict === "gap") &&
  score_json.checks.every(({ required, verdict }) => !required || verdict !== "fail")

/** Whether it stands in no lane, or waits there for somebody to have it land. */
const mayLand = (why: Why | null): boolean => why?.lane == null || why.lane.waits?.for === "order"

/** What the lane does by itself: nobody is led to do it for a Change that stands there. */
const byTheLane: ReadonlySet<Verb> = new Set(["promote", "request", "send"])

const offers = (at: Standing): ReadonlyArray<readonly [Verb, why: string | null]> => {
  const { candidate, change, policy, why } = at
  const isAsked = candidate === null || why !== null
  const isVerified = candidate?.status === "verified" && isAsked
  const owes = isVerified && why !== null && why.approval.owed && why.approval.decision === null
  const isLaned = policy?.lane?.mode === "on"
  const asked = requesting(at)
  const all: ReadonlyArray<readonly [Verb, why: string | null] | null> = [
    owes ? ["approve", deciding(at)] : null,
    owes ? ["reject", deciding(at)] : null,
    isLaned && isAsked && at.changeSets.length > 0 && mayLand(why) ? ["land", null] : null,
    isVerified ? ["promote", promoting(at)] : null,
    asked === "hidden" ? null : ["request", asked.why],
    change.kind === "goal" && change.status !== "promoting" && change.status !== "releasing" ? ["send", null] : null,
    cancellable.has(change.status) ? ["cancel", null] : null
  ]
  return all.filter((each) => each !== null)
}

const order: ReadonlyArray<Verb> = ["approve", "land", "promote", "request", "send"]

/** What is offered, the most useful first; nothing once a Change is over. */
export const offered = (at: Standing): ReadonlyArray<Offered> => {
  if (over.has(at.change.status)) return []
  const all = offers(at).map(([verb, why]) => ({
    verb,
    why: at.isArchived ? archived : (at.mayNot?.(operationOf[verb]) ?? why)
  }))
  const waits = at.candidate !== null && isWorkedOn(at.candidate.status)
  const mustPlan = at.why?.blocks.some(({ code }) => code === "policy_version_mismatch") === true
  const main = (mustPlan ? ["request" as const] : order).find((verb) =>
    all.some((each) => each.verb === verb && each.why === null)
  )
  const isInLane = at.why?.lane != null
  const isMain = (verb: Verb) =>
    verb === main && !(waits && (verb === "send" || verb === "land")) && !(isInLane && byTheLane.has(verb))
  return all.map((each) => ({ ...each, isMain: isMain(each.verb) }))
}
