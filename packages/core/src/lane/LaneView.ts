/** The lane as people see it: each entry with its position, and the generation that it is predicted to become. */
import { Effect } from "effect"
import { demand, find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import type { LaneEntry, LaneOutcomeCode, LanePriority, LaneEntryStatus } from "../model/LaneEntry.ts"
import type { LaneState } from "../model/Lane.ts"
import * as Lifecycle from "../model/Lifecycle.ts"
import { LaneEntryLifecycle } from "../model/LaneEntryLifecycle.ts"
import { Limits } from "../primitives/Limits.ts"
import { short } from "../primitives/ShortText.ts"
import { depthOf } from "./Depth.ts"
import { affordableFor, readLine } from "./LaneReading.ts"
import { type End, type InLine, isUnmergeable, wantedBases } from "./Line.ts"

/** An entry as it stands in the line, or as it ended. */
export interface EntryView {
  readonly id: LaneEntry["id"]
  readonly changeId: LaneEntry["changeId"]
  /** The first words of its Change's goal. */
  readonly title: string
  readonly candidateId?: NonNullable<LaneEntry["candidateId"]>
  readonly state: LaneEntryStatus
  /** From 1 on; null for one that has ended. */
  readonly position: number | null
  readonly predictedGeneration?: number
  readonly predictions: number
  readonly priority: LanePriority
  /** Why it is where it is, in words; null when nothing is to be said. */
  readonly reason: string | null
  readonly enteredAt: string
  readonly endedAt?: string
  readonly outcome?: { readonly code: LaneOutcomeCode; readonly by?: string; readonly generation?: number }
}

/** The lane of a Project. One that nobody has used runs, and holds nothing. */
export interface LaneView {
  readonly lane: {
    readonly state: LaneState
    /** How many entries are predicted at once; 0 when nothing is left of builds or sandbox time. */
    readonly depth: number
    /** Why it is paused, and by whom; null while it runs. */
    readonly reason: string | null
    readonly pausedBy: string | null
  }
  /** Those that wait, in the order of the line. */
  readonly entries: ReadonlyArray<EntryView>
  /** The newest that have ended, the last end first. */
  readonly ended: ReadonlyArray<EntryView>
}

/** An entry as it is before its Change is read. */
type Untitled = Omit<EntryView, "title">

/** An entry that has ended, or whose place in the line is known. */
const viewOf = (entry: LaneEntry, position: number | null, predictedGeneration: number | null): Untitled => {
  const { candidateId, changeId, endedAt, enteredAt, id, outcome, predictions, priority, reason, status } = entry
  const by = outcome?.by === undefined ? {} : { by: outcome.by.id }
  const generation = outcome?.generation === undefined ? {} : { generation: outcome.generation }
  return {
    id,
    changeId,
    ...(candidateId === null ? {} : { candidateId }),
    state: status,
    position,
    ...(predictedGeneration === null ? {} : { predictedGeneration }),
    predictions,
    priority,
    reason,
    enteredAt,
    ...(endedAt === null ? {} : { endedAt }),
    ...(outcome === null ? {} : { outcome: { code: outcome.code, ...by, ...generation } })
  }
}

/**
 * Of each entry of a line, the generation that it becomes when all before it land; null for one that is passed over:
 * who stands aside, is in doubt, or cannot be merged with those ahead.
 */
export const predictedGenerations = (line: ReadonlyArray<InLine>, head: End): ReadonlyArray<number | null> => {
  const bases = wantedBases(line, head)
  let generation = head.generation
  return line.map((member, index) => {
    const base = bases[index] ?? null
    const { status } = member.entry
    const isOut = status === "aside" || status === "doubtful" || (base !== null && isUnmergeable(member, base))
    return isOut ? null : ++generation
  })
}

/** Each open entry of a Project as it stands, in the order of the line. */
const standing = Effect.fnUntraced(function* (projectId: string) {
  const { head, line } = yield* readLine(projectId)
  const predicted = predictedGenerations(line, head)
  return { line, entries: line.map(({ entry }, index) => viewOf(entry, index + 1, predicted[index] ?? null)) }
})

/** What these are about, in one question for all of them. */
const titlesOf = Effect.fnUntraced(function* (entries: ReadonlyArray<Untitled>) {
  const changes = yield* (yield* Records).many(
    "change",
    entries.map(({ changeId }) => changeId)
  )
  return (entry: Untitled): EntryView => {
    const { changeId, id, ...rest } = entry
    return { id, changeId, title: short(changes.get(changeId)?.record.goal ?? ""), ...rest }
  }
})

const endOf = ({ endedAt = "" }: Untitled): string => endedAt

const byEnd = (one: Untitled, other: Untitled): number =>
  Number(endOf(one) < endOf(other)) - Number(endOf(one) > endOf(other))

/** All of a Project's lane. Fails with `Unknown` where there is no such Project. */
export const laneView = Effect.fnUntraced(function* (projectId: string) {
  const stored = yield* find("lane", projectId)
  const policy = (yield* demand("policy", projectId)).record.lane ?? {}
  if (stored === null) {
    const depth = depthOf([], policy, Limits.laneDepth)
    return {
      lane: { state: "running", depth, reason: null, pausedBy: null },
      entries: [],
      ended: []
    } satisfies LaneView
  }
  const lane = stored.record
  const { entries, line } = yield* standing(projectId)
  const listing = {
    projectId,
    where: { status: LaneEntryLifecycle.final },
    order: "newest",
    limit: Limits.pageSize
  } as const
  const { items } = yield* (yield* Records).list("laneEntry", listing)
  // They are read by when they came.
  const ended = items.map(({ record }) => viewOf(record, null, null)).toSorted(byEnd)
  const titled = yield* titlesOf([...entries, ...ended])
  return {
    lane: {
      state: lane.state,
      depth: depthOf(lane.decided, policy, yield* affordableFor(projectId, line)),
      reason: lane.reason,
      pausedBy: lane.pausedBy?.id ?? null
    },
    entries: entries.map(titled),
    ended: ended.map(titled)
  } satisfies LaneView
})

/** One entry, where it stands. Fails with `Unknown`. */
export const entryView = Effect.fnUntraced(function* (entryId: string) {
  const entry = (yield* demand("laneEntry", entryId)).record
  const ended = viewOf(entry, null, null)
  const isOver = Lifecycle.isFinal(LaneEntryLifecycle, entry.status)
  const entries = isOver ? [] : (yield* standing(entry.projectId)).entries
  const view = entries.find(({ id }) => id === entryId) ?? ended
  return (yield* titlesOf([view]))(view)
})

/** The newest entry of a Change; null for one that never entered. */
export const newestEntry = Effect.fnUntraced(function* (changeId: string) {
  const found = yield* (yield* Records).list("laneEntry", { where: { changeId }, order: "newest", limit: 1 })
  return found.items[0]?.record ?? null
})
