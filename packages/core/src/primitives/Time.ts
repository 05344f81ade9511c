/** Points in time as ISO 8601 text in UTC, taken from the program's own clock. */
import { DateTime, Effect, Schema } from "effect"
import { matching } from "./Matching.ts"

export const Timestamp = Schema.String.check(matching(String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`))
export type Timestamp = typeof Timestamp.Type

/** A day, in milliseconds. */
export const dayMs = 24 * 60 * 60 * 1000

/** Milliseconds since 1970 as a timestamp. */
export const fromMillis = (ms: number): Timestamp => new Date(ms).toISOString()

export const toMillis = (timestamp: Timestamp): number => DateTime.toEpochMillis(DateTime.makeUnsafe(timestamp))

export const nowMillis: Effect.Effect<number> = Effect.clockWith((clock) => clock.currentTimeMillis)
export const now: Effect.Effect<Timestamp> = Effect.map(nowMillis, fromMillis)
