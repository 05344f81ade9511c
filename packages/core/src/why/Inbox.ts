/**
 * What waits for a person: approvals that they may give, Changes that stand still, releases that failed, and commands that
 * were given up. Read anew each time; a viewer of a Project has nothing to do in it.
 */
import { Effect } from "effect"
import { roleOf, visibleProjects } from "../access/Access.ts"
import { authorsOf, approvalsOf } from "../approval/Standing.ts"
import { find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { Change } from "../model/Change.ts"
import { covers } from "../model/Membership.ts"
import type { Project } from "../model/Project.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { Commands } from "../work/Commands.ts"

/** Why something waits: the word for programs. */
export const inboxKinds = ["approval", "budget", "candidate", "release", "dead_letter", "change"] as const
/** One of them. */
export type InboxKind = (typeof inboxKinds)[number]

/** One thing that waits. */
export interface InboxItem {
  readonly kind: InboxKind
  readonly projectId: string
  /** The Project's host label. */
  readonly label: string
  /** Of what waits: a Change's, or a release's, or a dead letter's. */
  readonly id: string
  /** Null for what is of no Change. */
  readonly changeId: string | null
  /** The Candidate that it is about, where it is about one. */
  readonly candidateId: string | null
  readonly status: string
  /** The goal of the Change, or what was to be done. */
  readonly title: string
  /** Why it waits, as the record says it; null where its kind and status say all. */
  readonly reason: string | null
  readonly at: Time.Timestamp
}

type Of = Pick<InboxItem, "projectId" | "label">

const ofChange = (of: Of, kind: InboxKind, change: Change, candidate: Candidate | null): InboxItem => ({
  kind,
  ...of,
  id: change.id,
  changeId: change.id,
  candidateId: candidate?.id ?? null,
  status: kind === "candidate" && candidate !== null ? candidate.status : change.status,
  title: change.goal,
  reason: (kind === "candidate" ? candidate?.reason : change.reason) ?? null,
  at: change.updatedAt
})

const newestCandidate = Effect.fnUntraced(function* (changeId: string) {
  const { items } = yield* (yield* Records).list("candidate", { where: { changeId }, order: "newest", limit: 1 })
  return items[0]?.record ?? null
})

/** Whether a person may still decide on a Candidate: it is not theirs alone, and they have not said. */
const mayDecide = Effect.fnUntraced(function* (userId: string, candidate: Candidate, change: Change) {
  const policy = yield* find("policy", candidate.projectId)
  const said = yield* approvalsOf(candidate.id)
  if (said.some(({ record }) => record.approver === userId)) return false
  return policy?.record.allowSelfApproval !== false || !(yield* authorsOf(candidate, change)).has(userId)
})

/** What a Change waits for; null when it is for nobody, or not for this person. */
const waitsFor = Effect.fnUntraced(function* (userId: string, of: Of, change: Change, since: Time.Timestamp) {
  switch (change.status) {
    case "awaiting_approval": {
      const candidate = yield* newestCandidate(change.id)
      const mine = candidate !== null && (yield* mayDecide(userId, candidate, change))
      return mine ? ofChange(of, "approval", change, candidate) : null
    }
    case "budget_blocked":
      return ofChange(of, "budget", change, null)
    case "failed":
      return change.updatedAt >= since ? ofChange(of, "change", change, null) : null
    default: {
      const candidate = yield* newestCandidate(change.id)
      return candidate?.status === "rejected" || candidate?.status === "blocked"
        ? ofChange(of, "candidate", change, candidate)
        : null
    }
  }
})

/** Statuses in which a Change may wait for somebody. */
const waiting = ["awaiting_approval", "budget_blocked", "failed", "verifying", "created"]

const inProject = Effect.fnUntraced(function* (userId: string, project: Project, since: Time.Timestamp) {
  const role = yield* roleOf(userId, project)
  if (project.status === "archived" || role === null || !covers(role, "member")) return []
  const records = yield* Records
  const projectId = project.id
  const of = { projectId, label: project.label }
  const changes = yield* records.list("change", {
    projectId,
    where: { status: waiting },
    order: "newest",
    limit: Limits.inboxChanges
  })
  const found = yield* Effect.forEach(changes.items, ({ record }) => waitsFor(userId, of, record, since))
  const items = found.filter((each) => each !== null)
  const releases = yield* records.list("release", { projectId, order: "newest", limit: 1 })
  for (const { record } of releases.items)
    if (record.status === "failed")
      items.push({
        kind: "release",
        ...of,
        id: record.id,
        changeId: record.changeId,
        candidateId: record.candidateId,
        status: record.status,
        title: `Release of S${record.generation}`,
        reason: record.reason ?? null,
        at: record.updatedAt
      })
  if (!covers(role, "admin")) return items
  for (const letter of yield* (yield* Commands).deadLetters(projectId, { limit: Limits.inboxLetters }))
    items.push({
      kind: "dead_letter",
      ...of,
      id: letter.id,
      changeId: null,
      candidateId: null,
      status: "dead",
      title: letter.kind,
      reason: letter.lastProblem,
      at: letter.diedAt
    })
  return items
})

const urgency = (one: InboxItem, other: InboxItem): number =>
  inboxKinds.indexOf(one.kind) - inboxKinds.indexOf(other.kind) || (one.at < other.at ? 1 : one.at > other.at ? -1 : 0)

/**
 * What waits for a person, the most urgent first. `isPart` when there are Projects, or Changes of one, that were not looked
 * through: at most `Limits.inboxProjects`, and `Limits.inboxChanges` of each.
 */
export const inboxOf = Effect.fnUntraced(function* (userId: string) {
  const page = yield* visibleProjects(userId, { limit: Limits.inboxProjects })
  const since = Time.fromMillis((yield* Time.nowMillis) - Limits.inboxFailureMs)
  const found = yield* Effect.forEach(page.items, (project) => inProject(userId, project, since))
  return { items: found.flat().toSorted(urgency), isPart: page.nextCursor !== null }
}, Effect.withSpan("Inbox.inbox"))
