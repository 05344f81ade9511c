/**
 * What happened to each thing that has a life: every change of a status, with who did it and why. The store writes it
 * in the transaction of the commit that changed the status, and keeps it for ever.
 */
import { Context, type Effect, Schema } from "effect"
import { Actor, system } from "../model/Actor.ts"
import type { Kind } from "../model/Entities.ts"
import { Limits } from "../primitives/Limits.ts"
import { Timestamp } from "../primitives/Time.ts"
import type { Commit, Write } from "./Commit.ts"
import { idOf, statusOf } from "./CommitRules.ts"
import type { LedgerUnavailable } from "./Ledger.ts"
import type { RecencyListing, RecencyPage } from "./Recency.ts"

/** One change of one status. */
export const Transition = Schema.Struct({
  /** The kind of record: `change`, `task`, `candidate`, `release`, `pointer`; or `check`, of a Candidate. */
  kind: Schema.String,
  /** Its key; of a check that of its Candidate, `/`, and its own id. */
  id: Schema.String,
  /** Null when it began. */
  from: Schema.NullOr(Schema.String),
  to: Schema.String,
  /** Why, in words, when the record says so. */
  reason: Schema.NullOr(Schema.String)
})
export interface Transition extends Schema.Schema.Type<typeof Transition> {}

/** All that one commit did to the statuses of one Change and of what belongs to it. */
export interface Passage {
  /** Null for what belongs to no Change: a live app. */
  readonly changeId: string | null
  readonly transitions: ReadonlyArray<Transition>
}

/** One step of a life: what moved, from where to where, when, and who did it. */
export const HistoryItem = Schema.Struct({
  ...Transition.fields,
  /** By the program's clock. */
  at: Timestamp,
  /** `user`, `agent` or `system` and its id. */
  actor: Actor,
  /** The name of the commit: `Promotions.swap`. */
  commit: Schema.String,
  /** Its place in the history of its Project: it grows with every step, with gaps. */
  sequence: Schema.Finite
})
export interface HistoryItem extends Schema.Schema.Type<typeof HistoryItem> {}

/** A part of the history, in the order that was asked for. */
export interface HistoryPage {
  readonly items: ReadonlyArray<HistoryItem>
  /** Null on the last page. */
  readonly nextCursor: string | null
}

/** Which part of the history is asked for. */
export interface HistoryListing {
  /** Default and at most `Limits.pageSize`. */
  readonly limit?: number
  /** The cursor of the page before. One that is not ours starts at the beginning. */
  readonly cursor?: string
  /** Default `oldest`: what came first is told first. */
  readonly order?: "oldest" | "newest"
  /** Only what has a higher sequence, in either order. */
  readonly after?: number
}

/** A row of a Project's history, which Change it is of, and its place there. */
export interface Move {
  readonly projectId: string
  /** From 1 on, growing with every row of the Project. */
  readonly position: number
  /** Null for what belongs to no Change. */
  readonly changeId: string | null
  readonly at: Timestamp
  readonly transitions: ReadonlyArray<Transition>
}

/** A place in the history of a Project: what was known of it up to then. */
export interface HistoryMark {
  readonly projectId: string
  /** The position of the last row that is known; 0 for none. */
  readonly position: number
}

/** Where the history of a Project ends. */
export interface HistoryEnd extends HistoryMark {
  /** When that was; null for a Project that has none. */
  readonly at: Timestamp | null
}

/** What became of everything, from the day it was made on. It is never shortened. */
export class History extends Context.Service<
  History,
  {
    /** What became of a Change and of its Tasks, Candidates, releases and previews. Empty for an unknown one. */
    readonly ofChange: (changeId: string, listing: HistoryListing) => Effect.Effect<HistoryPage, LedgerUnavailable>
    /** What became of everything in a Project, in the order of the commits. Empty for an unknown one. */
    readonly ofProject: (projectId: string, listing: HistoryListing) => Effect.Effect<HistoryPage, LedgerUnavailable>
    /** Where the histories of these Projects end, in their order; of one that has none the position is 0. */
    readonly ends: (projectIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<HistoryEnd>, LedgerUnavailable>
    /** At most `limit` rows behind these marks, those of one Project in order. */
    readonly since: (
      marks: ReadonlyArray<HistoryMark>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Move>, LedgerUnavailable>
    /**
     * The ids of someone's Projects, however many these are: of what something moved last first, one of which nothing moved
     * yet by when it was made; or what was promoted last first, without what never was.
     */
    readonly recent: (listing: RecencyListing) => Effect.Effect<RecencyPage, LedgerUnavailable>
  }
>()("@pawl/core/ledger/History") {}

/** Who a commit says did it. */
export const actorOf = (commit: Commit): Actor => commit.actor ?? commit.events?.[0]?.actor ?? system(commit.name)

const textIn = (record: unknown, name: string): string | null => {
  const value = (record as Readonly<Record<string, unknown>>)[name]
  return typeof value === "string" ? value : null
}

const changeOf = (write: Exclude<Write, { readonly _tag: "Delete" }>): string | null =>
  write.kind === "change" ? write.record.id : textIn(write.record, "changeId")

/** Kinds whose records say by themselves when they began, how they ended and why: there are many, and each moves seldom. */
const telling: ReadonlyArray<Kind> = ["modelCall", "claim"]

/** The step of a status that a write makes; null for none. */
const stepOf = (write: Write): (Transition & Pick<Passage, "changeId">) | null => {
  if (write._tag === "Delete" || telling.includes(write.kind)) return null
  const to = statusOf(write.kind, write.record)
  if (to === null) return null
  const from = write._tag === "Insert" ? null : statusOf(write.kind, write.from)
  if (from === to) return null
  const { kind, record } = write
  // Why a rollback was asked for stands where it begins.
  const asked = from === null ? textIn(record, "rollbackReason") : null
  return {
    changeId: changeOf(write),
    kind,
    id: idOf(kind, record),
    from,
    to,
    reason: textIn(record, "reason") ?? asked
  }
}

/** What a commit tells of statuses, by Change in the order of its writes, then of its marks. Empty for most commits. */
export const passagesOf = ({ marks = [], writes = [] }: Commit): ReadonlyArray<Passage> => {
  const found: Array<{ readonly changeId: string | null; readonly transitions: Array<Transition> }> = []
  const add = ({ changeId, ...transition }: Transition & Pick<Passage, "changeId">): void => {
    const passage = found.find((each) => each.changeId === changeId)
    if (passage === undefined) found.push({ changeId, transitions: [transition] })
    else passage.transitions.push(transition)
  }
  for (const write of writes) {
    const step = stepOf(write)
    if (step !== null) add(step)
  }
  for (const mark of marks) add(mark)
  return found
}

/** A row of history as a store keeps it: one Change's part of one commit. */
export interface HistoryRow extends Pick<HistoryItem, "at" | "actor" | "commit"> {
  /** From 1 on, growing with every row of the Project. */
  readonly position: number
  readonly transitions: ReadonlyArray<Transition>
}

/** More than the transitions of any row: a cursor is a position and an index in one number. */
const perRow = Limits.commitRows + 1

/** The transition that was shown last, as one number; null at the beginning. */
const shownLast = (cursor: string | undefined): number | null =>
  cursor !== undefined && /^[1-9][0-9]{0,14}$/.test(cursor) ? Number(cursor) : null

/** The row at which a listing begins, which may have been shown in part; null for the first of its order. */
export const startOf = ({ cursor }: HistoryListing): number | null => {
  const last = shownLast(cursor)
  return last === null ? null : Math.floor(last / perRow)
}

/** The row before which a listing tells of none: it may hold what is not asked for. 0 for all. */
export const leastOf = ({ after }: HistoryListing): number => (after === undefined ? 0 : Math.floor(after / perRow))

/** Whether a listing tells what came last first. */
export const isBackward = ({ order }: HistoryListing): boolean => order === "newest"

/** The limit of a listing as a whole number from 0 to `Limits.pageSize`. */
export const limitOf = (limit: number | undefined): number =>
  Math.max(0, Math.min(Math.floor(limit ?? Limits.pageSize), Limits.pageSize))

/** The page of a listing, from its rows in order. `rows` begin where the listing does, and are one more than its limit unless there are no more. */
export const pageOf = (rows: ReadonlyArray<HistoryRow>, listing: HistoryListing): HistoryPage => {
  const before = shownLast(listing.cursor)
  const backward = isBackward(listing)
  const limit = limitOf(listing.limit)
  const all = rows.flatMap(({ transitions, ...row }) => {
    const found = transitions.map((transition, index) => ({
      ...transition,
      at: row.at,
      actor: row.actor,
      commit: row.commit,
      sequence: row.position * perRow + index + 1
    }))
    return backward ? found.toReversed() : found
  })
  const { after = 0 } = listing
  const rest = all.filter(
    ({ sequence }) => sequence > after && (before === null || (backward ? sequence < before : sequence > before))
  )
  const shown = rest.slice(0, limit)
  const last = shown.at(-1)
  return {
    items: shown,
    nextCursor: last !== undefined && rest.length > shown.length ? String(last.sequence) : null
  }
}
