/**
 * The time of a store that several machines share, as one process knows it: its own steady clock, which nobody sets, and
 * how far the store's clock is from it. What is compared with other processes, as leases, due times and retention are, is
 * compared in this time, whatever the clock on the machine's wall says.
 */
import { Context, Effect } from "effect"
import { Limits } from "./Limits.ts"

/** One answer of the store's clock, in ms. */
export interface Reading {
  /** By the own steady clock: when it was asked, and when the answer was there. */
  readonly askedAtMs: number
  readonly answeredAtMs: number
  /** What the store said, since 1970. */
  readonly storeMs: number
}

/** What is known of the store's time. */
export interface StoreTime {
  /** What is added to the own steady clock, in ms. */
  readonly offsetMs: number
  /** By how much the offset may be wrong, in ms: half of the time that its reading took. */
  readonly errorMs: number
  /** How far the store's time moved when it last moved by more than `Limits.storeTimeMovedMs`, in ms; 0 when it never did. */
  readonly movedMs: number
  /** Measurements in a row that found it where it was. */
  readonly steady: number
}

const offsetOf = ({ answeredAtMs, askedAtMs, storeMs }: Reading) => ({
  offsetMs: storeMs - (askedAtMs + answeredAtMs) / 2,
  errorMs: (answeredAtMs - askedAtMs) / 2
})

/** The quickest of the readings says the most. */
const best = (readings: readonly [Reading, ...ReadonlyArray<Reading>]) =>
  readings.map(offsetOf).reduce((least, each) => (each.errorMs < least.errorMs ? each : least))

/** What is known after the first measurement. */
export const first = (readings: readonly [Reading, ...ReadonlyArray<Reading>]): StoreTime => ({
  ...best(readings),
  movedMs: 0,
  steady: Limits.storeTimeSteady
})

/** Whether a reading that may be wrong by so much shows that the store's time is where it was. */
const shows = (errorMs: number): boolean => errorMs <= Limits.storeTimeMovedMs

/**
 * What is known after one more measurement. The store's time rules: where it moved, so does ours, at once. A difference
 * that the duration of the readings explains is none, and a slow answer does not show that there was none.
 */
export const measured = (known: StoreTime, readings: readonly [Reading, ...ReadonlyArray<Reading>]): StoreTime => {
  const found = best(readings)
  const byMs = found.offsetMs - known.offsetMs
  const explainedMs = found.errorMs + known.errorMs
  if (Math.abs(byMs) > Limits.storeTimeMovedMs + explainedMs) return { ...found, movedMs: byMs, steady: 0 }
  const steady = shows(found.errorMs) ? Math.min(known.steady + 1, Limits.storeTimeSteady) : known.steady
  const isBetter = Math.abs(byMs) > explainedMs || found.errorMs < known.errorMs
  return { ...known, ...(isBetter ? found : {}), steady }
}

/** Whether it stayed where it is for as many measurements as it takes to be relied on. */
export const isSteady = ({ steady }: StoreTime): boolean => steady >= Limits.storeTimeSteady

/** How long until it is measured again, in ms: sooner while it moved lately, or is not known well. */
export const nextMeasurementMs = (known: StoreTime): number =>
  isSteady(known) && shows(known.errorMs) ? Limits.storeTimeEveryMs : Limits.storeTimeAgainMs

/**
 * By how many ms the store's time has moved, while that is not steady again; null when it is, and where the machine's own
 * clock is the store's.
 */
export const StoreTimeMoved = Context.Reference("@pawl/core/primitives/StoreTimeMoved", {
  defaultValue: (): Effect.Effect<number | null> => Effect.succeed(null)
})
