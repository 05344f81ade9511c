/**
 * What Pawl does by the clock, and when (specification, "Scheduling"). All of it in UTC. A firing is named by its slot:
 * the moment it belongs to, whenever it is noticed. One slot fires once, whoever looks.
 */
import { Schema } from "effect"
import { Timestamp } from "../primitives/Time.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"

/** From one moment to another, ms since 1970. */
const Span = Schema.Struct({ from: Schema.Finite, to: Schema.Finite })
/** From one moment to another, ms since 1970. */
export type Span = typeof Span.Type

/** How far a schedule has come: the one record that all processes move by compare-and-swap. */
export const Schedule = Schema.Struct({
  /** One of `scheduleNames`, and the key. */
  name: Schema.String,
  /** The slot that fired last. */
  firedAt: Timestamp,
  /** Where the next firing goes on, for one that does not do all at once; null for the beginning. */
  cursor: Schema.NullOr(Schema.String),
  /** Of `release.recover`: the spans in which a worker could work, the newest last, at most `Limits.workedSpans`. */
  worked: Schema.optional(Schema.Array(Span))
})
export interface Schedule extends Schema.Schema.Type<typeof Schedule> {}

/** Every so many milliseconds since 1970, or once a day at a time of the day. */
export type Rhythm = { readonly everyMs: number } | { readonly dailyAtMs: number }

const minute = 60_000
const at = (hours: number, minutes: number): Rhythm => ({ dailyAtMs: (hours * 60 + minutes) * minute })

/** When each schedule fires. Times of the day are in UTC. */
export const timetable = {
  "project.cleanup": { everyMs: minute },
  "claim.expire": { everyMs: minute },
  "packs.sweep": { everyMs: minute },
  "candidate.reviews": { everyMs: 5 * minute },
  "release.recover": { everyMs: 5 * minute },
  "calls.sweep": { everyMs: 5 * minute },
  "forks.sweep": at(4, 17),
  "retention.sweep": at(4, 17),
  "project.audit": at(5, 17)
} as const satisfies Record<string, Rhythm>
/** The name of a schedule, and the key of its record. */
export type ScheduleName = keyof typeof timetable
/** The names of all schedules, in the order of the timetable. */
export const scheduleNames = Object.keys(timetable) as ReadonlyArray<ScheduleName>

/**
 * The slot that is due at `nowMs`, or `null`. One that was missed is due until the next: a server that is up for an hour
 * of each day does all its daily work. Of several slots that were missed, only the last is due. A clock that was set back
 * fires nothing twice.
 */
export const dueSlot = (rhythm: Rhythm, firedAtMs: number | null, nowMs: number): number | null => {
  const slot = lastSlot(rhythm, nowMs)
  const begins = firedAtMs ?? slotBefore(rhythm, nowMs)
  return slot <= begins ? null : slot
}

/** The slot at a moment, or the last one before it. */
export const lastSlot = (rhythm: Rhythm, nowMs: number): number => {
  const [everyMs, offsetMs] = "everyMs" in rhythm ? [rhythm.everyMs, 0] : [Time.dayMs, rhythm.dailyAtMs]
  return Math.floor((nowMs - offsetMs) / everyMs) * everyMs + offsetMs
}

/** What counts as the slot that fired last where none ever did: nothing is owed from before the day it begins. */
const slotBefore = (rhythm: Rhythm, nowMs: number): number =>
  "everyMs" in rhythm ? Number.NEGATIVE_INFINITY : Math.floor(nowMs / Time.dayMs) * Time.dayMs - 1

/** How much of the time since a moment lies in these spans, ms. */
export const workedSince = (worked: ReadonlyArray<Span>, sinceMs: number): number =>
  worked.reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, sinceMs)), 0)

/**
 * The spans after another look, by a process that could work from `upSinceMs` on. What lies between two looks counts
 * when they were made in a row: after a longer silence nobody could work, or the store was away. Only as much is kept as
 * anybody asks for: `enoughMs` in all.
 */
export const workedOn = (
  worked: ReadonlyArray<Span>,
  { enoughMs, everyMs, nowMs, upSinceMs }: Readonly<Record<"enoughMs" | "everyMs" | "nowMs" | "upSinceMs", number>>
): ReadonlyArray<Span> => {
  const last = worked.at(-1)
  const from = last === undefined || nowMs - last.to > 2 * everyMs ? nowMs : Math.max(last.to, upSinceMs)
  if (last !== undefined && nowMs <= last.to) return worked
  const before = worked.filter((span) => span.to > span.from && span !== last)
  const joined =
    last === undefined || from !== last.to
      ? [...before, ...(last === undefined || last.to === last.from ? [] : [last]), { from, to: nowMs }]
      : [...before, { from: last.from, to: nowMs }]
  let first = joined.length - 1
  for (let sum = 0; first > 0; first--) {
    sum += joined[first]!.to - joined[first]!.from
    if (sum >= enoughMs) break
  }
  return joined.slice(Math.max(first, joined.length - Limits.workedSpans))
}

/** How long until the next minute begins, in milliseconds: 1 to 60,000. */
export const untilNextMinute = (nowMs: number): number => minute - (nowMs % minute)
