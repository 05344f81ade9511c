/** The entries of a Project: which users have which role there. A new list replaces the old one at once. */
import { Effect, Schema } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import { InvalidField } from "../ledger/Refusals.ts"
import { entityTag, namesStrongly } from "../primitives/Conditional.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { isCurrent, departing, placeOf, stayOf } from "./Departures.ts"
import type { Membership, OrganizationMember } from "../model/Membership.ts"
import { allScopes, type Asking, requireWithin } from "./Tokens.ts"

/** The list is another one than the caller saw (RFC 9110, If-Match). */
export class MembersChanged extends Schema.TaggedError<MembersChanged>()("MembersChanged", {
  /** The tag of the list that is there. */
  tag: Schema.String
}) {
  override get message() {
    return `The members are others than those that you saw: the list is ${this.tag} now. Read it again, and put yours on top of it.`
  }
}

/** A user and its role, in the list that replaces the old one. */
export interface Entry<Role> {
  readonly userId: string
  readonly role: Role
}

type Row = { readonly userId: string; readonly role: string; readonly stay?: number }

interface Replaced<A> {
  readonly gone: ReadonlyArray<Commit.Stored<A>>
  readonly changed: ReadonlyArray<Commit.Write>
}

/** The entity tag of a list, in whatever order it is told: the one that was put is kept in another. */
export const tagOfList = (rows: ReadonlyArray<Row>): string =>
  entityTag(...rows.map(({ role, userId }) => `${userId} ${role}`).toSorted())

/** Fails with `MembersChanged` unless the list is one of those that the caller saw: what If-Match says, null for any. */
const requireSeen = (rows: ReadonlyArray<Row>, seen: string | null): Effect.Effect<void, MembersChanged> => {
  const tag = tagOfList(rows)
  return seen === null || namesStrongly(seen, tag) ? Effect.void : new MembersChanged({ tag })
}

/** What turns the rows that are there into the wanted ones. */
const replacing = <A extends Row>(
  before: ReadonlyArray<Commit.Stored<A>>,
  wanted: ReadonlyArray<A>,
  write: {
    readonly insert: (row: A) => Commit.Write
    readonly update: (stored: Commit.Stored<A>, row: A) => Commit.Write
  }
): Replaced<A> => {
  const byUser = new Map(before.map((each) => [each.record.userId, each]))
  const changed = wanted.flatMap((row) => {
    const entry = byUser.get(row.userId)
    byUser.delete(row.userId)
    if (entry === undefined) return [write.insert(row)]
    const same = entry.record.role === row.role && entry.record.stay === row.stay
    return same ? [] : [write.update(entry, row)]
  })
  return { gone: [...byUser.values()], changed }
}

/**
 * Fails unless every entry names a user once, and there are not too many. Answers what must still be true of those
 * who were not there before: nobody who was disabled meanwhile gets in.
 */
const checkEntries = Effect.fnUntraced(function* (
  entries: ReadonlyArray<Entry<string>>,
  before: ReadonlyArray<Commit.Stored<Row>>
) {
  const refuse = (field: string, reason: string) => new InvalidField({ code: "invalid_field", field, reason })
  if (entries.length > Limits.membersPerList)
    return yield* refuse("members", `at most ${Limits.membersPerList} entries`)
  const present = new Set(before.map(({ record }) => record.userId))
  const expects: Array<Commit.Expectation> = []
  for (const [index, { userId }] of entries.entries()) {
    if (entries.findIndex((each) => each.userId === userId) !== index)
      return yield* refuse(`members.${index}.userId`, "this user is named twice")
    const user = yield* find("user", userId)
    if (user === null || user.record.disabledAt !== undefined)
      return yield* refuse(`members.${index}.userId`, "there is no such user")
    if (!present.has(userId)) expects.push(Commit.unchanged("user", userId, user))
  }
  return expects
})

const stored = (projectId: string) =>
  Effect.flatMap(Records, (records) => records.list("membership", { where: { projectId }, limit: "all" })).pipe(
    Effect.map((page) => page.items)
  )

/**
 * The Project's entries that count, oldest first: not of who left or was disabled. Roles that come from the organization
 * are not among them.
 */
export const list = Effect.fnUntraced(function* (projectId: string) {
  const { organizationId } = (yield* demand("project", projectId)).record
  return yield* Effect.filter(yield* stored(projectId), ({ record }) =>
    Effect.gen(function* () {
      const user = yield* find("user", record.userId)
      if (user === null || user.record.disabledAt !== undefined) return false
      return isCurrent(record, (yield* placeOf(organizationId, record.userId)).stay)
    })
  )
})

/**
 * Replaces the entries of a Project. Owners of its organization stay admins whatever the list says. Who left the
 * organization is let in again when the list names them. With what If-Match says in `seen` it fails with `MembersChanged`
 * for any other list.
 */
export const replace = (
  projectId: string,
  entries: ReadonlyArray<Entry<Membership["role"]>>,
  seen: string | null = null
) =>
  decideAndCommit(
    Effect.gen(function* () {
      const project = (yield* demand("project", projectId)).record
      const slug = yield* demand("slug", `${project.organizationId}/${project.slug}`)
      if (seen !== null)
        yield* requireSeen(
          (yield* list(projectId)).map((each) => each.record),
          seen
        )
      const before = yield* stored(projectId)
      const expects = yield* checkEntries(entries, before)
      const wanted = yield* Effect.forEach(entries, ({ role, userId }) =>
        Effect.map(placeOf(project.organizationId, userId), ({ stay }): Membership => {
          return { projectId: project.id, userId: userId as Membership["userId"], role, ...stayOf(stay) }
        })
      )
      const { changed, gone } = replacing<Membership>(before, wanted, {
        insert: (row) => Commit.insert("membership", row),
        update: ({ record, revision }, row) => ({
          _tag: "Update",
          kind: "membership",
          record: row,
          from: record,
          revision
        })
      })
      const removed = gone.map(({ record, revision }): Commit.Write => {
        return { _tag: "Delete", kind: "membership", id: `${projectId}/${record.userId}`, revision }
      })
      // The slug's row is the Project's place in the directory: writing it makes two lists at once come one after the other.
      const writes = [Commit.update("slug", slug, {}), ...removed, ...changed]
      return { answer: wanted, commit: { name: "Members.replace", projectId: null, expects, writes } }
    })
  ).pipe(Effect.withSpan("Members.replace"))

/** The members of an organization, oldest first. */
export const listOfOrganization = (organizationId: string) =>
  Effect.flatMap(Records, (records) =>
    records.list("organizationMember", { where: { organizationId }, limit: "all" })
  ).pipe(Effect.map((page) => page.items))

/**
 * Replaces the members of an organization. One owner at least must stay; who makes another one needs all scopes. Who is
 * not named any more has left: nothing that they held in its Projects counts. `seen` is as in `replace`.
 */
export const replaceOfOrganization = Effect.fnUntraced(function* (
  organizationId: string,
  entries: ReadonlyArray<Entry<OrganizationMember["role"]>>,
  asking: Asking,
  seen: string | null = null
) {
  if (!entries.some((each) => each.role === "owner"))
    return yield* new InvalidField({
      code: "owner_required",
      field: "members",
      reason: "an organization keeps one owner at least"
    })
  return yield* decideAndCommit(replacingOfOrganization(organizationId, entries, asking, seen))
}, Effect.withSpan("Organizations.replaceMembers"))

const replacingOfOrganization = Effect.fnUntraced(function* (
  organizationId: string,
  entries: ReadonlyArray<Entry<OrganizationMember["role"]>>,
  asking: Asking,
  seen: string | null
) {
  const organization = yield* demand("organization", organizationId)
  const before = yield* listOfOrganization(organizationId)
  yield* requireSeen(
    before.map(({ record }) => record),
    seen
  )
  const expects = yield* checkEntries(entries, before)
  const owners = before.filter(({ record }) => record.role === "owner").map(({ record }) => record.userId)
  if (entries.some(({ role, userId }) => role === "owner" && !owners.some((each) => each === userId)))
    yield* requireWithin(asking, allScopes)
  const wanted = yield* Effect.forEach(entries, ({ role, userId }) =>
    Effect.map(placeOf(organizationId, userId), ({ stay }): OrganizationMember => {
      const id = organization.record.id
      return { organizationId: id, userId: userId as OrganizationMember["userId"], role, ...stayOf(stay) }
    })
  )
  const { changed, gone } = replacing<OrganizationMember>(before, wanted, {
    insert: (row) => Commit.insert("organizationMember", row),
    update: (stored, row) => Commit.update("organizationMember", stored, row)
  })
  const now = yield* Time.now
  const left = yield* Effect.forEach(gone, (place) => departing(place, now))
  const writes = [Commit.update("organization", organization, {}), ...left.flat(), ...changed]
  return { answer: wanted, commit: { name: "Organizations.replaceMembers", projectId: null, expects, writes } }
})
