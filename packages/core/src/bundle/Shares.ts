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

/** Pure: what is left for `own`. `used` is by organization, in this period; `before` are those of the period before. */
export const shareLeftFor = (
  own: string,
  budget: {
    readonly max: number
    readonly total: number
    readonly used: ReadonlyMap<string, number>
    readonly before: ReadonlySet<string>
  }
): Left => {
  const { before, max, total, used } = budget
  if (total >= max) return "none"
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
  return max - total > owed ? "some" : "kept"
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

/** What is left of a budget for an organization. */
export const shareLeft = Effect.fnUntraced(function* (budget: Budget, organizationId: string) {
  const counter = yield* DailyCounter
  const total = yield* counter.used(budget.name, budget.day)
  if (total >= budget.max) return "none"
  const prefix = `${budget.name}/`
  const used = ofOrganizations(budget.name, yield* counter.usedBy(prefix, budget.day))
  const before = ofOrganizations(budget.name, yield* counter.usedBy(prefix, budget.before))
  return shareLeftFor(organizationId, { max: budget.max, total, used, before: new Set(before.keys()) })
})

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
