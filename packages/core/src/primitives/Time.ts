/** Points in time as ISO 8601 text in UTC, taken from the program's own clock. */
import { type Clock, DateTime, Effect, Schema } from "effect"
import { matching } from "./TextPattern.ts"

/** `YYYY-MM-DDTHH:MM:SS.mmmZ`: always UTC with three decimals, so that order of text is order in time. */
export const Timestamp = Schema.String.check(matching(String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`))
export type Timestamp = typeof Timestamp.Type

/** A day, in milliseconds. */
export const dayMs = 24 * 60 * 60 * 1000

/** Milliseconds since 1970 as a timestamp. */
export const fromMillis = (ms: number): Timestamp => new Date(ms).toISOString()

/** A timestamp as milliseconds since 1970. */
export const toMillis = (timestamp: Timestamp): number => DateTime.toEpochMillis(DateTime.makeUnsafe(timestamp))

/** Milliseconds since 1970, by the program's clock. */
export const nowMillis: Effect.Effect<number> = Effect.clockWith((clock) => clock.currentTimeMillis)
/**
 * Milliseconds by this process's own steady clock, which nobody sets: for how long something took or may last here. It
 * says nothing of the day, and nothing to another process.
 */
export const steadyMillis: Effect.Effect<number> = Effect.clockWith((clock) => Effect.sync(() => steadyMillisOf(clock)))
/** The same of a clock that is at hand. */
export const steadyMillisOf = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
/** This moment, by the program's clock. */
export const now: Effect.Effect<Timestamp> = Effect.map(nowMillis, fromMillis)
