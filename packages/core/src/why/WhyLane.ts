/**
 * Why a Change stands where it stands in the lane: who is before it, what it waits for, when it is likely to land, and why
 * each earlier prediction of it fell.
 */
import { Effect, Schema } from "effect"
import { frozenBy } from "../approval/Freezes.ts"
import { waitsOf } from "../candidate/Waits.ts"
import { demand, find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import { clashing } from "../lane/Clash.ts"
import { depthOf } from "../lane/Depth.ts"
import { nextStep } from "../lane/LanePlan.ts"
import { type EntryRows, type LaneRows, readLane } from "../lane/LaneReading.ts"
import { predictedGenerations } from "../lane/LaneView.ts"
import { isSameEnd, isUnderWay, isUnmergeable, type Member, wantedBases } from "../lane/Line.ts"
import type { Candidate } from "../model/Candidate.ts"
import { CommandKind, commandId, type DeadLetter } from "../model/Command.ts"
import { LaneEntryStatus } from "../model/LaneEntry.ts"
import { blocksOf } from "../promotion/Canonical.ts"
import { reasonOf } from "../promotion/HeldBack.ts"
import { snapshot } from "../promotion/Promotions.ts"
import { ChangeId, LaneEntryId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { Timestamp } from "../primitives/Time.ts"
import { short } from "../primitives/ShortText.ts"
import { Commands } from "../work/Commands.ts"
import { expectedOf, verificationTimes } from "./LaneTimes.ts"
import { predictionsOf, WhyPrediction } from "./WhyPrediction.ts"

/** What an entry waits for. */
export const LaneWait = Schema.Struct({
  for: Schema.Literals([
    /** A worker, or a sandbox. */
    "slot",
    /** Another entry, `changeId`, that is to be decided first. */
    "ahead",
    /** It cannot be merged with `changeId`, which is ahead: it is made anew when that has landed or left. */
    "conflict",
    /** People must decide on it. Nobody waits for it meanwhile. */
    "approval",
    /** Somebody is to have it land: it entered by itself, and the Policy does not let it out by itself. */
    "order",
    /** A freeze of the Policy, that ends `until` then. */
    "freeze",
    /** Somebody paused the lane. */
    "pause",
    /** A rollback, of the Change `changeId`, is checked or about to be promoted: it goes first. */
    "rollback",
    /** Its promotion would be refused, for the `reason`. */
    "blocked",
    /** Today's builds and the month's sandbox time are kept for those before it; of the first in the line: used up. */
    "budget",
    /** A command of it, or the lane's own, failed too often: a person retries or dismisses `deadLetter`. */
    "dead_letter"
  ]),
  changeId: Schema.optionalKey(ChangeId),
  /** Of a conflict: the first paths. */
  paths: Schema.optionalKey(Schema.Array(Schema.String)),
  until: Schema.optionalKey(Timestamp),
  deadLetter: Schema.optionalKey(
    Schema.Struct({ id: Schema.String, kind: CommandKind, problem: Schema.NullOr(Schema.String) })
  ),
  /** Whose words these are: of who paused it, of the Policy, or what could not be done yet. */
  reason: Schema.optionalKey(Schema.String)
})
export interface LaneWait extends Schema.Schema.Type<typeof LaneWait> {}

/** Where a Change stands in the lane, of one moment. */
export const WhyLane = Schema.Struct({
  entryId: LaneEntryId,
  state: LaneEntryStatus,
  /** From 1 on. */
  position: Schema.Finite,
  /** Null while it is passed over: aside, in doubt, or in conflict with those ahead. */
  predictedGeneration: Schema.NullOr(Schema.Finite),
  /** Null when it waits for nothing: its checks run, or it lands now. */
  waits: Schema.NullOr(LaneWait),
  /** Who stands before it, in order. */
  before: Schema.Array(
    Schema.Struct({
      entryId: LaneEntryId,
      changeId: ChangeId,
      /** The first words of its goal. */
      title: Schema.String,
      state: LaneEntryStatus,
      waits: Schema.NullOr(LaneWait)
    })
  ),
  /** Until it lands: the longest rest of those ahead and its own. Null below five known verifications, and while it or one before it waits for people. */
  expected: Schema.NullOr(Schema.Struct({ medianMs: Schema.Finite, p95Ms: Schema.Finite })),
  /** Its Candidates that came to nothing, the oldest first. */
  predictions: Schema.Array(WhyPrediction)
})
export interface WhyLane extends Schema.Schema.Type<typeof WhyLane> {}

/** What the waits of a line are judged by. */
interface Asked {
  readonly rows: Pick<LaneRows, "entries" | "reading" | "lane" | "policy" | "owing">
  /** The entry whose turn it is, where its promotion would be refused: for what, besides a freeze. */
  readonly refused: { readonly entryId: string; readonly reason: string } | null
  /** Those of the lane and of the Candidates under way in it. */
  readonly letters: ReadonlyArray<DeadLetter>
  readonly now: Timestamp
}

const changeOf = ({ entry }: Member) => ({ changeId: entry.changeId })

/** The nearest one ahead that is to be decided before this one: who stands aside holds nobody up. */
const aheadOf = (line: ReadonlyArray<Member>, index: number): LaneWait | null => {
  const before = line.slice(0, index).findLast(({ entry }) => entry.status !== "aside")
  return before === undefined ? null : { for: "ahead", ...changeOf(before) }
}

const pauseOf = ({ rows }: Asked): LaneWait | null => {
  const { reason, state } = rows.lane.record
  return state === "paused" ? { for: "pause", reason: reason ?? "" } : null
}

const rollbackOf = ({ rows }: Asked): LaneWait | null => {
  const { rollback } = rows.reading
  return rollback === null ? null : { for: "rollback", changeId: rollback }
}

const freezeOf = ({ now, rows }: Asked, { change, entry }: EntryRows): LaneWait | null => {
  const promoter = entry.record.trigger === "user" ? entry.record.enteredBy.id : undefined
  const frozen = frozenBy(rows.policy.record, { kind: change.record.kind, promoter, now })
  return frozen === null ? null : { for: "freeze", ...frozen }
}

/** What people are to do about one that owes a decision. */
const owedOf = ({ rows }: Asked, { candidate }: Member): LaneWait => ({
  for: rows.owing.get(candidate?.id ?? "") ?? "approval"
})

const verifiedBy: CommandKind = "candidate.create"
const landedBy: CommandKind = "candidate.promote"

/**
 * What died that was to take an entry on: of one that is checked its verification, of one that is ready its promotion,
 * of any other the lane's own step, while that has something to do.
 */
const deadOf = ({ letters, rows }: Asked, { candidate, entry, owes }: Member): LaneWait | null => {
  const isChecked = entry.status === "running" && ["composing", "verifying"].includes(candidate?.status ?? "")
  const kind = isChecked ? verifiedBy : landedBy
  const own = letters.find((each) => each.kind === kind && each.payload["candidateId"] === candidate?.id)
  const isDecided = isChecked || (entry.status === "aside" && owes)
  const ofLane = isDecided ? undefined : letters.find((each) => each.kind === "lane.step")
  const letter = own ?? (ofLane !== undefined && nextStep(rows.reading) !== null ? ofLane : undefined)
  if (letter === undefined) return null
  return { for: "dead_letter", deadLetter: { id: letter.id, kind: letter.kind, problem: letter.lastProblem } }
}

/** Of one that stands ready: decisions that no longer count are owed again, and nobody but a person may know of all else. */
const refusedOf = (asked: Asked, member: Member): LaneWait | null => {
  if (member.owes) return owedOf(asked, member)
  const { refused } = asked
  return refused?.entryId === member.entry.id ? { for: "blocked", reason: refused.reason } : null
}

/** Of one without a Candidate under way: why none is made. */
const waitingOf = (asked: Asked, index: number): LaneWait | null => {
  const { affordable, head, lane, line, policy } = asked.rows.reading
  const [member, base] = [line[index], wantedBases(line, head)[index] ?? null]
  if (member === undefined) return null
  if (base !== null && isUnmergeable(member, base)) {
    const own = asked.rows.entries.get(member.entry.id)?.candidate?.record
    const other = own === undefined ? undefined : clashing(own, line, base.ahead)
    return own === undefined || other === undefined
      ? null
      : { for: "conflict", ...changeOf(other), paths: own.conflicts }
  }
  const place = line.slice(0, index + 1).filter(({ entry }) => entry.status !== "aside").length
  const depth = depthOf(lane.decided, policy.lane, Limits.laneDepthMax)
  const isTooDeep = place > depth || (member.entry.predictions > Limits.lanePredictions && place > 1)
  if (isTooDeep || base === null) return aheadOf(line, index)
  return place > affordable ? { for: "budget" } : { for: "slot" }
}

/** Of one whose Candidate is composed and checked. */
const runningOf = (candidate: Candidate | undefined): LaneWait | null => {
  const wait = candidate === undefined ? undefined : waitsOf(candidate).at(-1)
  if (wait !== undefined) return { for: "slot", reason: short(wait.reason) }
  return candidate?.status === "composing" ? { for: "slot" } : null
}

/** Pure: what the entry at an index of the line waits for; null when it waits for nothing. */
const laneWaitOf = (asked: Asked, index: number): LaneWait | null => {
  const { line } = asked.rows.reading
  const member = line[index]
  const own = asked.rows.entries.get(member?.entry.id ?? "")
  if (own === undefined || member === undefined) return null
  const dead = deadOf(asked, member)
  if (dead !== null) return dead
  switch (own.entry.record.status) {
    case "waiting":
      return pauseOf(asked) ?? waitingOf(asked, index)
    case "running":
      return runningOf(own.candidate?.record)
    case "ready":
      return (
        pauseOf(asked) ?? rollbackOf(asked) ?? refusedOf(asked, member) ?? freezeOf(asked, own) ?? aheadOf(line, index)
      )
    case "doubtful":
      return aheadOf(line, index)
    case "aside":
      return owedOf(asked, member)
    default:
      return null
  }
}

/** Pure: the answer about the entry at an index of the line. */
const explain = (
  asked: Asked,
  index: number,
  own: EntryRows,
  read: { readonly predictions: WhyLane["predictions"]; readonly tookMs: ReadonlyArray<number> }
): WhyLane => {
  const { head, line } = asked.rows.reading
  const rowsOf = ({ entry }: Member) => asked.rows.entries.get(entry.id)
  const startedAt = (member: Member) => rowsOf(member)?.candidate?.record.createdAt ?? null
  const waits = laneWaitOf(asked, index)
  const before = line.slice(0, index).map(({ entry }, at) => ({
    entryId: entry.id,
    changeId: entry.changeId,
    title: short(asked.rows.entries.get(entry.id)?.change.record.goal ?? ""),
    state: entry.status,
    waits: laneWaitOf(asked, at)
  }))
  const isHeld =
    ["approval", "freeze", "order", "pause", "rollback"].some((held) => held === waits?.for) ||
    [waits, ...before.map((each) => each.waits)].some((each) => each?.for === "blocked" || each?.for === "dead_letter")
  return {
    entryId: own.entry.record.id,
    state: own.entry.record.status,
    position: index + 1,
    predictedGeneration: predictedGenerations(line, head)[index] ?? null,
    waits,
    before,
    expected: isHeld ? null : expectedOf(line.slice(0, index + 1), startedAt, read.tookMs, asked.now),
    predictions: read.predictions
  }
}

/**
 * The entry whose turn it is, by the question that the swap asks: what it is refused for. Not asked of one that is
 * promoting: what is written then is what it comes to.
 */
const refusedNow = Effect.fnUntraced(function* ({ reading: { head, line } }: LaneRows, now: Timestamp) {
  const { change, candidate, entry } = line.find(({ entry: { status } }) => status !== "aside") ?? {}
  if (entry?.status !== "ready" || change?.status === "promoting" || !candidate) return null
  if (candidate.status !== "verified" || !isSameEnd(candidate.base, head)) return null
  const read = yield* snapshot(candidate.id)
  const blocks = blocksOf(read, now).filter(({ code }) => code !== "frozen")
  return blocks.length === 0 ? null : { entryId: entry.id, reason: reasonOf(blocks) }
})

/** The dead letters of a lane's own step, and of what verifies and promotes the Candidates under way. */
const lettersOf = Effect.fnUntraced(function* ({ reading: { line } }: LaneRows, projectId: string) {
  const ids = line.flatMap((each) => (isUnderWay(each) && each.candidate !== null ? [each.candidate.id] : []))
  return yield* (yield* Commands).deadLetters(projectId, { naming: [commandId("lane.step", projectId), ...ids] })
})

/** Where an entry stands; null for one that has ended. Fails with `Unknown`. */
export const laneWhy = Effect.fnUntraced(function* (id: string) {
  const { changeId, id: entryId, projectId } = (yield* demand("laneEntry", id)).record
  const rows = yield* readLane(projectId)
  const own = rows?.entries.get(entryId)
  if (rows === null || own === undefined) return null
  const index = rows.reading.line.findIndex(({ entry }) => entry.id === entryId)
  const candidates = yield* (yield* Records).list("candidate", { where: { changeId }, limit: "all" })
  const read = {
    predictions: yield* predictionsOf(
      candidates.items.map(({ record }) => record),
      own
    ),
    tookMs: yield* verificationTimes(projectId)
  }
  const now = yield* Time.now
  const asked = { rows, now, refused: yield* refusedNow(rows, now), letters: yield* lettersOf(rows, projectId) }
  return explain(asked, index, own, read)
}, Effect.withSpan("Why.lane"))

/** The same of the Change; null for one that is not in the lane. */
export const changeInLane = Effect.fnUntraced(function* (changeId: string) {
  const entryId = (yield* find("change", changeId))?.record.laneEntryId ?? null
  return entryId === null ? null : yield* laneWhy(entryId)
})
