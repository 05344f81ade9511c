/**
 * An outage is not a failure. Machinery that is away (a store, git, a model, a builder, a sandbox) makes work wait, with
 * growing pauses and for at most a day, and takes none of its tries: only faults of the work itself do.
 */
import type { Outage } from "../model/Command.ts"
import { Limits } from "../primitives/Limits.ts"

/**
 * Whether a problem is machinery that is away: a fact named `…Unavailable`. One that says `lasting` will not come back by
 * itself, so there is nothing to wait for.
 */
export const isOutage = (problem: unknown): boolean =>
  typeof problem === "object" &&
  problem !== null &&
  "_tag" in problem &&
  typeof problem._tag === "string" &&
  problem._tag.endsWith("Unavailable") &&
  !("lasting" in problem && problem.lasting === true)

/** The pause before the `n`th next look, from 1: doubled each time, within `Limits.commandBackoffMaxMs`. */
export const backoffMs = (n: number): number =>
  Math.min(Limits.commandBackoffMs * 2 ** Math.max(0, n - 1), Limits.commandBackoffMaxMs)

/** How long what is away asks to be left alone: its `retryAfterMs`, within `Limits.modelRetryAfterMaxMs`. */
export const askedMs = (problem: unknown): number =>
  typeof problem === "object" &&
  problem !== null &&
  "retryAfterMs" in problem &&
  typeof problem.retryAfterMs === "number" &&
  problem.retryAfterMs > 0
    ? Math.min(problem.retryAfterMs, Limits.modelRetryAfterMaxMs)
    : 0

/**
 * How long work waits for machinery that is away now, at least `leastMs`; null when it has waited for all the time there
 * is.
 */
export const pauseMs = (outage: Outage | null, nowMs: number, leastMs = 0): number | null =>
  outage !== null && nowMs - outage.sinceMs >= Limits.outageMaxMs
    ? null
    : Math.max(leastMs, backoffMs((outage?.waits ?? 0) + 1))
