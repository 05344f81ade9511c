/** Reads a lane: every open entry with its Change and its Candidate, and all else that it is decided by. */
import { Effect } from "effect"
import { promotesItself } from "../candidate/AutoPromotion.ts"
import { decisionsOn, standingOf } from "../approval/Standing.ts"
import type { Stored } from "../ledger/Commit.ts"
import { demand, find } from "../ledger/Decision.ts"
import { readOnce } from "../ledger/ReadOnce.ts"
import { Records } from "../ledger/Records.ts"
import { Unknown } from "../ledger/Refusals.ts"
import { approvalKey } from "../model/Approval.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { Change } from "../model/Change.ts"
import type { Kind } from "../model/Entities.ts"
import type { Evidence } from "../model/Evidence.ts"
import type { Head } from "../model/Generation.ts"
import type { Lane } from "../model/Lane.ts"
import { type LaneEntry, openStatuses } from "../model/LaneEntry.ts"
import type { Policy } from "../model/Policy.ts"
import * as Time from "../primitives/Time.ts"
import { judge } from "../verification/Gate.ts"
import { affordableDepth, meansOf, ranOut } from "./Affordable.ts"
import { inLine, type InLine, type Member, seen } from "./Line.ts"
import type { Reading } from "./LanePlan.ts"
import { needsApprovals, rollbackInFront } from "./RollbackInFront.ts"

/** The stored rows of one entry. */
export interface EntryRows {
  readonly entry: Stored<LaneEntry>
  readonly change: Stored<Change>
  readonly candidate: Stored<Candidate> | null
}

/** What was read of a lane: the rows that commits guard, and the reading that they are decided by. */
export interface LaneRows {
  readonly lane: Stored<Lane>
  readonly head: Stored<Head>
  readonly policy: Stored<Policy>
  /** By id of the entry. */
  readonly entries: ReadonlyMap<string, EntryRows>
  readonly reading: Reading
  /** What people owe the Candidates that wait for them, by id. */
  readonly owing: ReadonlyMap<string, Owed>
}

/** The open entries of a Project. */
export const openEntries = Effect.fnUntraced(function* (projectId: string) {
  const listing = { projectId, where: { status: openStatuses }, limit: "all" } as const
  return (yield* (yield* Records).list("laneEntry", listing)).items
})

/** Whether nobody has asked for its landing, and the Policy does not let it out by itself. */
const isUnasked = ({ trigger }: LaneEntry, candidate: Candidate, change: Change, policy: Policy): boolean =>
  trigger === "auto" && candidate.plan?.policyVersion === policy.version && !promotesItself(candidate, change, policy)

/** An entry whose verified Candidate is decided on by people. */
interface Asked {
  readonly candidate: Candidate
  readonly change: Change
}

/** Reads the decisions on all of them in a few questions, with whose work they are. */
const decisionsAhead = Effect.fnUntraced(function* (asked: ReadonlyArray<Asked>, policy: Policy) {
  const records = yield* Records
  let left = asked
  const decided: Array<Asked> = []
  for (let nth = 1; left.length > 0; nth++) {
    const keyOf = ({ candidate }: Asked) => approvalKey(candidate.id, nth)
    const found = yield* records.many("approval", left.map(keyOf))
    left = left.filter((each) => found.has(keyOf(each)))
    if (nth === 1) decided.push(...left)
  }
  if (!policy.allowSelfApproval)
    yield* records.many(
      "changeSet",
      decided.flatMap(({ candidate }) => candidate.changeSets)
    )
})

/** What people must still do about a Candidate: approve it, or ask for its landing, which nobody has done. */
export type Owed = "approval" | "order"

/** By id, what is owed of the Candidates on which people must still decide; an approval comes first. */
const owingDecisions = Effect.fnUntraced(function* (entries: ReadonlyArray<EntryRows>, policy: Policy) {
  const owing = new Map<string, Owed>()
  const asked: Array<Asked> = []
  for (const { candidate: stored, change, entry } of entries) {
    if (stored?.record.status !== "verified" || stored.record.plan === null) continue
    const candidate = stored.record
    if (isUnasked(entry.record, candidate, change.record, policy)) owing.set(candidate.id, "order")
    if (needsApprovals(candidate, policy)) asked.push({ candidate, change: change.record })
  }
  yield* decisionsAhead(asked, policy)
  for (const { candidate, change } of asked)
    if (standingOf(yield* decisionsOn(candidate, change, policy), candidate.tree, policy).owed > 0)
      owing.set(candidate.id, "approval")
  return owing as ReadonlyMap<string, Owed>
})

/** The records of many keys, each of which must be there. */
const demandMany = <K extends Kind>(kind: K, ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const found = yield* (yield* Records).many(kind, ids)
    const missing = ids.find((id) => !found.has(id))
    if (missing !== undefined) return yield* new Unknown({ kind, id: missing })
    return found
  })

/** The open entries of a Project, each with its newest Candidate. */
const readEntries = Effect.fnUntraced(function* (projectId: string) {
  const entries = yield* openEntries(projectId)
  const ids = entries.flatMap(({ record: { candidateId } }) => (candidateId === null ? [] : [candidateId]))
  const candidates = yield* demandMany("candidate", ids)
  return entries.map((entry) => ({ entry, candidate: candidates.get(entry.record.candidateId ?? "") ?? null }))
})

type EntryRead = Pick<EntryRows, "candidate" | "entry">

/** Whether its checks would not pass by these rows, while what failed is to be run once more. */
const failsSoFar = ({ commit, plan, tree }: Candidate, rows: ReadonlyArray<Evidence>, now: Time.Timestamp): boolean =>
  plan !== null &&
  commit !== null &&
  tree !== null &&
  judge(plan, { commit, tree }, rows, now).checks.some(({ required, verdict }) => required && verdict === "fail")

/** Ids of the Candidates of which a check has failed that is run once more. Where nothing is retried nothing is read. */
const retriedOnes = Effect.fnUntraced(function* (entries: ReadonlyArray<EntryRead>) {
  const open = entries.flatMap(({ candidate }) =>
    candidate?.record.status === "verifying" && candidate.record.plan?.flakeRetries === 1 ? [candidate.record] : []
  )
  if (open.length === 0) return new Set<string>()
  const records = yield* Records
  const { items } = yield* records.list("evidence", { where: { subject: open.map(({ id }) => id) }, limit: "all" })
  const now = yield* Time.now
  const rowsOf = (id: string) => items.flatMap(({ record }) => (record.subject.candidateId === id ? [record] : []))
  return new Set<string>(open.flatMap((each) => (failsSoFar(each, rowsOf(each.id), now) ? [each.id] : [])))
})

const inLineOf = ({ candidate, entry }: EntryRead, retried: ReadonlySet<string>): InLine => ({
  entry: entry.record,
  candidate: candidate === null ? null : seen(candidate.record),
  ...(candidate !== null && retried.has(candidate.record.id) ? { retried: true } : {})
})

/** Where each open entry of a Project stands, and the head that the first of them stands on. For who only looks. */
export const readLine = Effect.fnUntraced(function* (projectId: string) {
  const head = yield* demand("head", projectId)
  const entries = yield* readEntries(projectId)
  const retried = yield* retriedOnes(entries)
  const line = inLine(entries.map((each) => inLineOf(each, retried)))
  return { head: head.record, line }
})

/** How many entries may be predicted at once with what is left, while some wait. */
export const affordableFor = Effect.fnUntraced(function* (projectId: string, line: ReadonlyArray<InLine>) {
  const waiting = line.filter(({ entry }) => entry.status === "waiting").length
  return affordableDepth(yield* meansOf(projectId), waiting)
})

/** Ids of Candidates, by what is so of them. */
interface Marks {
  readonly owing: LaneRows["owing"]
  readonly retried: ReadonlySet<string>
  readonly short: ReadonlySet<string>
}

const memberOf = (rows: EntryRows, { owing, retried, short }: Marks): Member => {
  const { laneEntryId, status } = rows.change.record
  const id = rows.candidate?.record.id ?? ""
  return {
    ...inLineOf(rows, retried),
    change: laneEntryId === undefined ? { status } : { status, laneEntryId },
    owes: owing.has(id),
    ...(short.has(id) ? { ranOut: true } : {})
  }
}

/** The Candidates of those that run. */
const runningOnes = (entries: ReadonlyArray<EntryRead>): ReadonlyArray<Candidate> =>
  entries.flatMap(({ candidate, entry }) =>
    entry.record.status === "running" && candidate !== null ? [candidate.record] : []
  )

const reading = Effect.fnUntraced(function* (projectId: string) {
  const lane = yield* find("lane", projectId)
  if (lane === null) return null
  const head = yield* demand("head", projectId)
  const policy = yield* demand("policy", projectId)
  const project = yield* demand("project", projectId)
  const read = yield* readEntries(projectId)
  const idOf = ({ entry }: Pick<EntryRows, "entry">) => entry.record.changeId
  const changes = yield* demandMany("change", read.map(idOf))
  const entries = read.flatMap((each): ReadonlyArray<EntryRows> => {
    const change = changes.get(idOf(each))
    return change === undefined ? [] : [{ ...each, change }]
  })
  const owing = yield* owingDecisions(entries, policy.record)
  const marks = { owing, retried: yield* retriedOnes(entries), short: yield* ranOut(runningOnes(entries)) }
  const line = inLine(entries.map((rows) => memberOf(rows, marks)))
  return {
    lane,
    head,
    policy,
    entries: new Map(entries.map((rows) => [rows.entry.record.id, rows])),
    owing,
    reading: {
      lane: lane.record,
      head: head.record,
      policy: { version: policy.record.version, lane: policy.record.lane ?? { mode: "off" } },
      archived: project.record.status === "archived",
      rolledBack: (lane.record.rolledBackAt ?? -1) > (lane.record.heldAt ?? -1),
      rollback: yield* rollbackInFront(lane.record, head.record, policy.record),
      affordable: yield* affordableFor(projectId, line),
      line
    }
  } satisfies LaneRows
})

/** All of a Project's lane; null where it never had one. However long the line, it is read in a few questions. */
export const readLane = (projectId: string) => readOnce(reading(projectId))
