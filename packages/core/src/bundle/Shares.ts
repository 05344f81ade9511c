/**
 * A budget of a day or of a month that organizations share. One that is alone may use all of it. When others used some
 * of it too, in this period or in the one before, each may rely on an equal share: who has used up its own takes on
 * only from what is left beside what the others have not used of theirs.
 */
import { Effect } from "effect"
import { find } from "../ledger/Decision.ts"
import * as Time from "../primitives/Time.ts"
import { DailyCounter } from "./DailyCounter.ts"

/** A budget by its counter's name, the period it is counted under, and the period before. */
export interface Budget {
  readonly name: string
  readonly day: string
  readonly before: string
  readonly max: number
}

/** `kept`: some is left, and it is kept for other organizations. */
export type Left = "some" | "none" | "kept"

/** What was used of a budget: by organization, in this period; `before` are those of the period before. */
export interface Used {
  readonly max: number
  readonly total: number
  readonly used: ReadonlyMap<string, number>
  readonly before: ReadonlySet<string>
}

/** Pure: how much `own` may still take, in the budget's own unit; 0 for nothing. */
const amountLeftFor = (own: string, { before, max, total, used }: Used): number => {
  if (total >= max) return 0
  const active = new Set([own, ...used.keys(), ...before])
  const share = max / active.size
  const usedBy = (each: string) => used.get(each) ?? 0
  const isLater = (each: string) => usedBy(each) < usedBy(own)
  // Those of the period before were counted on: a newcomer leaves them their shares. Among equals, who used less comes first.
  const comesFirst = (each: string) => {
    if (usedBy(own) >= share) return true
    return before.has(own) ? before.has(each) && isLater(each) : before.has(each) || isLater(each)
  }
  let owed = 0
  for (const each of active) if (each !== own && comesFirst(each)) owed += Math.max(0, share - usedBy(each))
  return Math.max(0, max - total - owed)
}

/** Pure: what is left for `own`. */
export const shareLeftFor = (own: string, budget: Used): Left => {
  if (budget.total >= budget.max) return "none"
  return amountLeftFor(own, budget) > 0 ? "some" : "kept"
}

/** The name under which an organization's use is counted beside the total. */
const organizationCounter = (name: string, organizationId: string): string => `${name}/${organizationId}`

/** The name under which a Project's own use is counted. It decides nothing; the Project's usage tells it. */
export const projectCounter = (name: string, projectId: string): string => `${name}-of/${projectId}`

/** The names that a Project's use is counted under beside the total: its organization's and its own. */
export const countersBeside = (name: string, projectId: string) =>
  Effect.map(payerOf(projectId), (payer) => [organizationCounter(name, payer), projectCounter(name, projectId)])

/** Of `used`, which counts by names: by organization. */
const ofOrganizations = (name: string, counters: ReadonlyMap<string, number>): ReadonlyMap<string, number> =>
  new Map(Array.from(counters, ([counter, used]) => [counter.slice(name.length + 1), used]))

/** What was used of a budget. Once it is all used nobody's share is asked for. */
const usedOf = Effect.fnUntraced(function* ({ before, day, max, name }: Budget) {
  const counter = yield* DailyCounter
  const total = yield* counter.used(name, day)
  const by = (period: string) =>
    total >= max
      ? Effect.succeed(new Map<string, number>())
      : Effect.map(counter.usedBy(`${name}/`, period), (counters) => ofOrganizations(name, counters))
  return { max, total, used: yield* by(day), before: new Set((yield* by(before)).keys()) } satisfies Used
})

/** What is left of a budget for an organization. */
export const shareLeft = (budget: Budget, organizationId: string) =>
  Effect.map(usedOf(budget), (used) => shareLeftFor(organizationId, used))

/** How much of a budget an organization may still take, in the budget's own unit; 0 for nothing. */
export const amountLeft = (budget: Budget, organizationId: string) =>
  Effect.map(usedOf(budget), (used) => amountLeftFor(organizationId, used))

/** The organization that a Project's work is counted for. */
export const payerOf = (projectId: string) =>
  Effect.map(find("project", projectId), (project): string => project?.record.organizationId ?? "")

/** A budget of today (UTC). */
export const budgetOfDay = (name: string, max: number): Effect.Effect<Budget> =>
  Effect.map(Time.now, (now) => {
    const day = now.slice(0, 10)
    return { name, max, day, before: dayBefore(day) }
  })

/** A budget of this month (UTC), which is counted under its first day. */
export const budgetOfMonth = (name: string, max: number): Effect.Effect<Budget> =>
  Effect.map(Time.now, (now) => {
    const day = `${now.slice(0, 7)}-01`
    return { name, max, day, before: `${dayBefore(day).slice(0, 7)}-01` }
  })

const dayBefore = (day: string): string =>
  Time.fromMillis(Time.toMillis(`${day}T00:00:00.000Z`) - Time.dayMs).slice(0, 10)
