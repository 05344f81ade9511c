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
import type { Change, ChangeStatus } from "../model/Change.ts"
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

/** What of a Project waits. */
interface Found {
  readonly items: ReadonlyArray<InboxItem>
  /** There is more that may wait, and was not looked at. */
  readonly isCut: boolean
}

const isThere = (item: InboxItem | null): item is InboxItem => item !== null

/** The newest Changes in these statuses. Who waits is asked for apart from who may not: the bound is of each question. */
const newestIn = (projectId: string, status: ReadonlyArray<ChangeStatus>) =>
  Effect.gen(function* () {
    const listing = { projectId, where: { status }, order: "newest", limit: Limits.inboxChanges } as const
    const { items, nextCursor } = yield* (yield* Records).list("change", listing)
    return { changes: items.map(({ record }) => record), isCut: nextCursor !== null }
  })

/** An approval that this person may give; null where it is for others. */
const approvalIn = Effect.fnUntraced(function* (userId: string, of: Of, change: Change) {
  const candidate = yield* newestCandidate(change.id)
  const isMine = candidate !== null && (yield* mayDecide(userId, candidate, change))
  return isMine ? ofChange(of, "approval", change, candidate) : null
})

/** Changes that go on when somebody decides. */
const owedIn = Effect.fnUntraced(function* (userId: string, of: Of) {
  const { changes, isCut } = yield* newestIn(of.projectId, ["awaiting_approval", "budget_blocked"])
  const found = yield* Effect.forEach(changes, (change) =>
    change.status === "budget_blocked"
      ? Effect.succeed(ofChange(of, "budget", change, null))
      : approvalIn(userId, of, change)
  )
  return { items: found.filter(isThere), isCut } satisfies Found
})

/** Statuses of a Candidate that no longer moves, and leaves its Change where it is. */
const fallen: ReadonlyArray<Candidate["status"]> = ["rejected", "blocked"]

/** Changes whose newest Candidate came to nothing. The status of a Change does not tell them from those that are checked. */
const fallenIn = Effect.fnUntraced(function* (of: Of) {
  const { changes, isCut } = yield* newestIn(of.projectId, ["verifying"])
  if (changes.length === 0) return { items: [], isCut } satisfies Found
  const { items } = yield* (yield* Records).list("candidate", {
    where: { changeId: changes.map(({ id }) => id), status: fallen },
    limit: "all"
  })
  const ids = new Set(items.map(({ record }) => record.changeId))
  const found = yield* Effect.forEach(
    changes.filter(({ id }) => ids.has(id)),
    (change) =>
      Effect.map(newestCandidate(change.id), (candidate) =>
        candidate !== null && fallen.includes(candidate.status) ? ofChange(of, "candidate", change, candidate) : null
      )
  )
  return { items: found.filter(isThere), isCut } satisfies Found
})

/** Changes that failed of late. They are read by when they were opened: what is cut counts while all that was read is of late. */
const failedIn = Effect.fnUntraced(function* (of: Of, since: Time.Timestamp) {
  const { changes, isCut } = yield* newestIn(of.projectId, ["failed"])
  return {
    items: changes.filter(({ updatedAt }) => updatedAt >= since).map((change) => ofChange(of, "change", change, null)),
    isCut: isCut && changes.every(({ createdAt }) => createdAt >= since)
  } satisfies Found
})

/** The newest release, where it did not end as it should. */
const releaseIn = Effect.fnUntraced(function* (of: Of) {
  const { projectId } = of
  const { items } = yield* (yield* Records).list("release", { projectId, order: "newest", limit: 1 })
  return {
    items: items
      .map(({ record }) => record)
      .filter(({ status }) => status === "failed" || status === "smoke_failed")
      .map(({ candidateId, changeId, generation, id, reason, status, updatedAt }) => ({
        kind: "release",
        ...of,
        id,
        changeId,
        candidateId,
        status,
        title: `Release of S${generation}`,
        reason,
        at: updatedAt
      })),
    isCut: false
  } satisfies Found
})

const lettersIn = Effect.fnUntraced(function* (of: Of) {
  const most = Limits.inboxLetters
  const letters = yield* (yield* Commands).deadLetters(of.projectId, { limit: most + 1 })
  return {
    items: letters.slice(0, most).map(({ diedAt, id, kind, lastProblem }) => ({
      kind: "dead_letter",
      ...of,
      id,
      changeId: null,
      candidateId: null,
      status: "dead",
      title: kind,
      reason: lastProblem,
      at: diedAt
    })),
    isCut: letters.length > most
  } satisfies Found
})

/** Statuses in which a Change may wait for somebody. Nobody has worked on one that was only opened. */
const waiting: ReadonlyArray<ChangeStatus> = ["awaiting_approval", "budget_blocked", "verifying", "failed"]

/** What of a Project waits for a person. `mayWait` says whether any Change of it is in one of the statuses of `waiting`. */
const inProject = Effect.fnUntraced(function* (
  userId: string,
  project: Project,
  { mayWait, since }: { readonly mayWait: boolean; readonly since: Time.Timestamp }
) {
  const role = yield* roleOf(userId, project)
  if (role === null || !covers(role, "member")) return []
  const of = { projectId: project.id, label: project.label }
  const changes = mayWait ? [yield* owedIn(userId, of), yield* fallenIn(of), yield* failedIn(of, since)] : []
  const release = yield* releaseIn(of)
  return [...changes, release, ...(covers(role, "admin") ? [yield* lettersIn(of)] : [])]
})

const urgency = (one: InboxItem, other: InboxItem): number =>
  inboxKinds.indexOf(one.kind) - inboxKinds.indexOf(other.kind) || (one.at < other.at ? 1 : one.at > other.at ? -1 : 0)

/**
 * What waits for a person, the most urgent first. `isPart` when more may wait that was not looked at: there are at most
 * `Limits.inboxProjects` Projects, and of each at most `Limits.inboxChanges` Changes that wait for a decision, as many that
 * are verified and as many that failed of late, and `Limits.inboxLetters` dead letters.
 */
export const inboxOf = Effect.fnUntraced(function* (userId: string) {
  const page = yield* visibleProjects(userId, { limit: Limits.inboxProjects })
  const projects = page.items.filter(({ status }) => status !== "archived")
  const since = Time.fromMillis((yield* Time.nowMillis) - Limits.inboxFailureMs)
  // One question for all of them spares those of each Project where no Change waits.
  const ids = projects.map(({ id }) => id)
  const counts = yield* (yield* Records).counts("change", ids, { status: waiting })
  const found = yield* Effect.forEach(projects, (project) =>
    inProject(userId, project, { mayWait: counts.has(project.id), since })
  )
  const parts: ReadonlyArray<Found> = found.flat()
  return {
    items: parts.flatMap(({ items }) => items).toSorted(urgency),
    isPart: page.nextCursor !== null || parts.some(({ isCut }) => isCut)
  }
}, Effect.withSpan("Inbox.inbox"))
