/**
 * Leaving an organization ends all that a person holds in its Projects at once, however many there are: departures are
 * counted, every entry says how many there had been when it was given, and counts only while there are no more.
 */
import { Effect } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import type * as Time from "../primitives/Time.ts"
import type { Departure, Membership, OrganizationMember } from "../model/Membership.ts"

const keyOf = (organizationId: string, userId: string): string => `${organizationId}/${userId}`

/** How often a user has left an organization. */
export const departuresOf = (organizationId: string, userId: string) =>
  Effect.map(find("departure", keyOf(organizationId, userId)), (stored) => stored?.record.count ?? 0)

/** The field `stay` of an entry that is given now; left out for a user who never left. */
export const stayOf = (count: number): Pick<Membership, "stay"> => (count === 0 ? {} : { stay: count })

/** A user's place in an organization, or null, and how often the user had left before. */
export const placeOf = Effect.fnUntraced(function* (organizationId: string, userId: string) {
  const place = yield* find("organizationMember", keyOf(organizationId, userId))
  return { place, stay: place === null ? yield* departuresOf(organizationId, userId) : (place.record.stay ?? 0) }
})

/** Whether an entry was given since the user left last. */
export const isCurrent = (entry: Pick<Membership, "stay">, stay: number): boolean => (entry.stay ?? 0) === stay

/** The writes by which a user leaves an organization: their place goes, their departures are one more. */
export const departing = Effect.fnUntraced(function* (place: Commit.Stored<OrganizationMember>, now: Time.Timestamp) {
  const { organizationId, userId } = place.record
  const id = keyOf(organizationId, userId)
  const before = yield* find("departure", id)
  const departure: Departure = { organizationId, userId, count: (before?.record.count ?? 0) + 1, at: now }
  const gone = Commit.remove("organizationMember", id, place)
  return [gone, before === null ? Commit.insert("departure", departure) : Commit.update("departure", before, departure)]
})

/** The entries of a user that count, oldest first. */
export const entriesOf = Effect.fnUntraced(function* (userId: string) {
  const records = yield* Records
  const entries = (yield* records.list("membership", { where: { userId }, limit: "all" })).items
  const left = (yield* records.list("departure", { where: { userId }, limit: "all" })).items
  const counted = new Map(left.map(({ record }) => [record.organizationId, record.count]))
  // Who never left anything has no entry that is void.
  if (counted.size === 0) return entries.map(({ record }) => record)
  const kept: Array<Membership> = []
  for (const { record } of entries) {
    const project = yield* find("project", record.projectId)
    if (project !== null && isCurrent(record, counted.get(project.record.organizationId) ?? 0)) kept.push(record)
  }
  return kept
})
