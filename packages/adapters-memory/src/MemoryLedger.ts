/**
 * Every store port in memory, over one state. For tests and the explorer: it decides as the SQL store does, needs
 * nothing but Effect's own clock and chance, and a commit is one synchronous call.
 */
import { Context, Effect, Layer, Option } from "effect"
import { AppData } from "@pawl/core/app/AppData"
import { AppLogs } from "@pawl/core/app/AppLogs"
import { DailyCounter } from "@pawl/core/bundle/DailyCounter"
import { make as makeAppData, makeDailyCounter } from "./MemoryAppData.ts"
import { make as makeAppLogs } from "./MemoryAppLogs.ts"
import { Commands } from "@pawl/core/work/Commands"
import { EventLog } from "@pawl/core/event/EventLog"
import { make as makeCommands } from "./MemoryCommands.ts"
import { make as makeEventLog } from "./MemoryEventLog.ts"
import { announceGroups } from "@pawl/core/event/RoutingNotices"
import { makeUlid } from "@pawl/core/primitives/Ids"
import { Limits } from "@pawl/core/primitives/Limits"
import { dayMs, fromMillis, nowMillis } from "@pawl/core/primitives/Time"
import type { Commit, Stored } from "@pawl/core/ledger/Commit"
import { type Entity, entityOf, type Kind, type RecordOf } from "@pawl/core/model/Entities"
import { History } from "@pawl/core/ledger/History"
import { Journal } from "@pawl/core/work/Journal"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { apply } from "./MemoryCommit.ts"
import { make as makeHistory } from "./MemoryHistory.ts"
import { copy, empty, type MemoryState, type ProjectEvents, type RecordRow, rowsOf } from "./MemoryState.ts"
import { type Listing, type Page, positionOf, Records } from "@pawl/core/ledger/Records"
import { eventDays, Retention } from "@pawl/core/ledger/Retention"
import { Backlog } from "@pawl/core/telemetry/Backlog"
import { make as makeBacklog } from "./MemoryBacklog.ts"
import { make as makeSharedSlots } from "./MemorySharedSlots.ts"
import { PackLog } from "@pawl/core/project/PackLog"
import { make as makePackLog } from "./MemoryPackLog.ts"
import { Fleet } from "@pawl/core/work/Fleet"
import { make as makeFleet } from "./MemoryFleet.ts"
import { SharedSlots } from "@pawl/core/ledger/SharedSlots"
import * as Signals from "@pawl/core/ledger/Signals"

/** What `layerMemory` provides. */
export type Stores =
  | Ledger
  | Records
  | History
  | Journal
  | Commands
  | EventLog
  | Retention
  | DailyCounter
  | SharedSlots
  | AppData
  | AppLogs
  | Backlog
  | PackLog
  | Fleet

/** Every store port over one state in memory. */
export interface MemoryStore {
  readonly services: Context.Context<Stores>
  /** The state as it is now. Later commits do not change it; give it to `makeMemoryStore` to go on from there. */
  readonly dump: () => MemoryState
}

const noIds: Effect.Effect<ReadonlyArray<string>> = Effect.succeed([])
const ulids = (count: number): Effect.Effect<ReadonlyArray<string>> =>
  count === 0 ? noIds : Effect.replicateEffect(makeUlid, count)

const makeLedger = (state: MemoryState, signals: Signals.Signals): Ledger["Service"] => ({
  commit: (commit: Commit) =>
    Effect.flatMap(ulids(commit.events?.length ?? 0), (ids) =>
      Effect.flatMap(nowMillis, (now) =>
        Effect.suspend(() => {
          const outcome = apply(state, commit, now, ids)
          if (outcome._tag === "Conflict" || outcome._tag === "LeaseLost") return Effect.fail(outcome)
          if (outcome._tag === "Committed") {
            if (commit.projectId !== null && outcome.events !== null) signals.notify(Signals.eventsOf(commit.projectId))
            announceGroups(signals, commit)
            if (commit.commands !== undefined && commit.commands.length > 0) signals.notify(Signals.work)
          }
          return Effect.succeed(outcome)
        })
      )
    )
})

const storedAs = <K extends Kind>(_kind: K, row: RecordRow): Stored<RecordOf<K>> => ({
  record: row.record as RecordOf<K>,
  revision: row.revision
})

const matcher = <K extends Kind>(kind: K, listing: Listing<K>) => {
  const entity = entityOf(kind) as Entity<unknown>
  const where = Object.entries(listing.where ?? {}).filter(([, wanted]) => wanted !== undefined)
  return (row: RecordRow): boolean =>
    (listing.projectId === undefined || row.project === listing.projectId) &&
    where.every(([column, wanted]) => {
      const value = entity.columns[column]!(row.record)
      return Array.isArray(wanted) ? wanted.includes(value) : wanted === value
    })
}

const page = <K extends Kind>(state: MemoryState, kind: K, listing: Listing<K>): Page<RecordOf<K>> => {
  const matches = matcher(kind, listing)
  const after = positionOf(listing.cursor)
  const newest = listing.order === "newest"
  // Updates keep a record's place in its Map, so the Map's order is the order of insertion.
  const rows = Array.from(rowsOf(state, kind).values()).filter(matches)
  if (newest) rows.reverse()
  const rest = after === null ? rows : rows.filter((row) => (newest ? row.position < after : row.position > after))
  const limit = listing.limit === "all" ? rest.length : Math.min(listing.limit ?? Limits.pageSize, Limits.pageSize)
  const shown = rest.slice(0, limit)
  const last = shown.at(-1)
  return {
    items: shown.map((row) => storedAs(kind, row)),
    cursors: shown.map(({ position }) => String(position)),
    nextCursor: last !== undefined && rest.length > shown.length ? String(last.position) : null
  }
}

const makeRecords = (state: MemoryState): Records["Service"] => ({
  get: (kind, id) =>
    Effect.sync(() => Option.map(Option.fromNullishOr(rowsOf(state, kind).get(id)), (row) => storedAs(kind, row))),
  many: (kind, ids) =>
    Effect.sync(() => {
      const rows = rowsOf(state, kind)
      return new Map(
        ids.flatMap((id) => {
          const row = rows.get(id)
          return row === undefined ? [] : [[id, storedAs(kind, row)] as const]
        })
      )
    }),
  list: (kind, listing) => Effect.sync(() => page(state, kind, listing)),
  counts: (kind, projectIds, where) =>
    Effect.sync(() => {
      const matches = matcher(kind, { where })
      const found = new Map<string, number>()
      for (const row of rowsOf(state, kind).values())
        if (row.project !== null && projectIds.includes(row.project) && matches(row))
          found.set(row.project, (found.get(row.project) ?? 0) + 1)
      return found
    })
})

const noSteps: ReadonlyMap<string, unknown> = new Map()

/** Takes the events before a moment out of a log, and answers how many there were. */
const forget = (log: ProjectEvents, before: string): number => {
  const kept = log.events.findIndex((event) => event.time >= before)
  const gone = kept === -1 ? log.events.length : kept
  log.events.splice(0, gone)
  log.oldest += gone
  return gone
}

const makeRetention = (state: MemoryState): Retention["Service"] => ({
  forget: (projectId, before) =>
    Effect.sync(() => {
      const log = state.events.get(projectId)
      return log === undefined ? 0 : forget(log, before)
    }),
  sweep: Effect.zipWith(nowMillis, eventDays, (now, days) => {
    const swept = { events: 0, counters: 0 }
    for (const log of state.events.values()) swept.events += forget(log, fromMillis(now - days * dayMs))
    const countersFrom = fromMillis(now - Limits.counterDays * dayMs).slice(0, 10)
    for (const [key, { day }] of state.counters) if (day < countersFrom && state.counters.delete(key)) swept.counters++
    return swept
  })
})

/** The stores in memory, empty or from an earlier `dump`. */
export const makeMemoryStore = (from?: MemoryState): MemoryStore => {
  const state = from === undefined ? empty() : copy(from)
  const signals = Signals.make()
  return {
    services: Context.make(Ledger, makeLedger(state, signals)).pipe(
      Context.add(Records, makeRecords(state)),
      Context.add(History, makeHistory(state)),
      Context.add(Journal, { steps: (process) => Effect.sync(() => state.journal.get(process) ?? noSteps) }),
      Context.add(Commands, makeCommands(state, signals)),
      Context.add(EventLog, makeEventLog(state, signals)),
      Context.add(Retention, makeRetention(state)),
      Context.add(DailyCounter, makeDailyCounter(state)),
      Context.add(SharedSlots, makeSharedSlots(state)),
      Context.add(AppData, makeAppData(state)),
      Context.add(AppLogs, makeAppLogs(state, signals)),
      Context.add(Backlog, makeBacklog(state)),
      Context.add(PackLog, makePackLog(state)),
      Context.add(Fleet, makeFleet(state))
    ),
    dump: () => copy(state)
  }
}

/** Ledger, Records, History, Journal, Commands, EventLog, Retention, DailyCounter, SharedSlots, AppData, AppLogs, Backlog, PackLog and Fleet, empty. */
export const layerMemory: Layer.Layer<Stores> = Layer.effectContext(Effect.sync(() => makeMemoryStore().services))
