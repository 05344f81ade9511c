/**
 * What Pawl does by the clock, and when (specification, "Scheduling"). All of it in UTC. A firing is named by its slot:
 * the moment it belongs to, whenever it is noticed. One slot fires once, whoever looks.
 */
import { Schema } from "effect"
import { Timestamp } from "../primitives/Time.ts"
import * as Time from "../primitives/Time.ts"

/** How far a schedule has come: the one record that all processes move by compare-and-swap. */
export const Schedule = Schema.Struct({
  name: Schema.String,
  /** The slot that fired last. */
  firedAt: Timestamp,
  /** Where the next firing goes on, for one that does not do all at once. */
  cursor: Schema.NullOr(Schema.String)
})
export interface Schedule extends Schema.Schema.Type<typeof Schedule> {}

/** Every so many milliseconds since 1970, or once a day at a time of the day. */
export type Rhythm = { readonly everyMs: number } | { readonly dailyAtMs: number }

const minute = 60_000
const at = (hours: number, minutes: number): Rhythm => ({ dailyAtMs: (hours * 60 + minutes) * minute })

export const timetable = {
  "project.cleanup": { everyMs: minute },
  "release.recover": { everyMs: 5 * minute },
  "forks.sweep": at(4, 17),
  "retention.sweep": at(4, 17),
  "project.audit": at(5, 17)
} as const satisfies Record<string, Rhythm>
export type ScheduleName = keyof typeof timetable
export const scheduleNames = Object.keys(timetable) as ReadonlyArray<ScheduleName>

/**
 * The slot that is due at `nowMs`, or `null`. A daily one that was missed is due for the rest of its day, and not on the
 * next. Of several slots that were missed, only the last is due. A clock that was set back fires nothing twice.
 */
export const dueSlot = (rhythm: Rhythm, firedAtMs: number | null, nowMs: number): number | null => {
  const midnight = Math.floor(nowMs / Time.dayMs) * Time.dayMs
  const slot = "everyMs" in rhythm ? Math.floor(nowMs / rhythm.everyMs) * rhythm.everyMs : midnight + rhythm.dailyAtMs
  return slot > nowMs || (firedAtMs !== null && slot <= firedAtMs) ? null : slot
}

/** How long until the next minute begins, in milliseconds: 1 to 60,000. */
export const untilNextMinute = (nowMs: number): number => minute - (nowMs % minute)
