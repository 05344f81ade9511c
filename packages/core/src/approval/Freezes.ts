/**
 * Freezes: times of a Policy in which the swap is refused. Checks go on; rollbacks pass, and what those promote whom a
 * freeze excepts. Pure.
 */
import type { Change } from "../model/Change.ts"
import type { Policy } from "../model/Policy.ts"
import type { Timestamp } from "../primitives/Time.ts"

/** A promotion that is held back: until when, and why. */
export interface Frozen {
  readonly until: Timestamp
  readonly reason: string
}

/** What is asked: a Change of which kind, by whom, and when. */
export interface FreezeQuestion {
  readonly kind: Change["kind"]
  /** Id of who promotes it; undefined for nobody in particular. */
  readonly promoter: string | undefined
  readonly now: Timestamp
}

/**
 * What holds a promotion back now; null for nothing. Freezes that follow on each other without a gap are one wait; the
 * reason is that of the one in force which ends last.
 */
export const frozenBy = ({ freezes = [] }: Pick<Policy, "freezes">, asked: FreezeQuestion): Frozen | null => {
  if (asked.kind === "rollback") return null
  const binding = freezes.filter(({ except = [] }) => !except.some((id) => id === asked.promoter))
  const at = (moment: Timestamp) =>
    binding
      .filter(({ from, until }) => from <= moment && moment < until)
      .toSorted((one, other) => (one.until < other.until ? 1 : -1))[0]
  const first = at(asked.now)
  if (first === undefined) return null
  let { until } = first
  // Each ends later than the one before, so this comes to an end whatever a row says.
  for (let next = at(until); next !== undefined && next.until > until; next = at(until)) until = next.until
  return { until, reason: first.reason }
}
