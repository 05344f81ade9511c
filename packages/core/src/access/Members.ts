/** The entries of a Project: which users have which role there. A new list replaces the old one at once. */
import { Effect } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Deciding.ts"
import { Records } from "../ledger/Records.ts"
import { InvalidField } from "../ledger/Refusals.ts"
import { Limits } from "../primitives/Limits.ts"
import type { Membership, OrganizationMember } from "./Membership.ts"
import { allScopes, type Asking, requireWithin } from "./Tokens.ts"

export interface Entry<Role> {
  readonly userId: string
  readonly role: Role
}

type Row = { readonly userId: string; readonly role: string }

/** The writes that turn the rows that are there into the wanted ones. */
const replacing = <K extends "membership" | "organizationMember", A extends Row>(
  kind: K,
  idOf: (userId: string) => string,
  before: ReadonlyArray<Commit.Stored<A>>,
  wanted: ReadonlyArray<A>,
  write: {
    readonly insert: (row: A) => Commit.Write
    readonly update: (stored: Commit.Stored<A>, row: A) => Commit.Write
  }
): ReadonlyArray<Commit.Write> => {
  const byUser = new Map(before.map((each) => [each.record.userId, each]))
  const changed = wanted.flatMap((row) => {
    const there = byUser.get(row.userId)
    byUser.delete(row.userId)
    if (there === undefined) return [write.insert(row)]
    return there.record.role === row.role ? [] : [write.update(there, row)]
  })
  const gone = Array.from(byUser.values(), ({ record, revision }): Commit.Write => ({
    _tag: "Delete",
    kind,
    id: idOf(record.userId),
    revision
  }))
  return [...gone, ...changed]
}

/** Fails unless every entry names a user once, and there are not too many. */
const checkEntries = (entries: ReadonlyArray<Entry<string>>) =>
  Effect.gen(function* () {
    const refuse = (field: string, reason: string) => new InvalidField({ code: "invalid_field", field, reason })
    if (entries.length > Limits.membersPerList)
      return yield* refuse("members", `at most ${Limits.membersPerList} entries`)
    for (const [index, { userId }] of entries.entries()) {
      if (entries.findIndex((each) => each.userId === userId) !== index)
        return yield* refuse(`members.${index}.userId`, "this user is named twice")
      if ((yield* find("user", userId)) === null)
        return yield* refuse(`members.${index}.userId`, "there is no such user")
    }
  })

/** The Project's entries, oldest first. Roles that come from the organization are not among them. */
export const list = (projectId: string) =>
  Effect.flatMap(Records, (records) => records.list("membership", { where: { projectId }, limit: "all" })).pipe(
    Effect.map((page) => page.items)
  )

/** Replaces the entries of a Project. Owners of its organization stay admins whatever the list says. */
export const replace = (projectId: string, entries: ReadonlyArray<Entry<Membership["role"]>>) =>
  Effect.zipRight(
    checkEntries(entries),
    decideAndCommit(
      Effect.gen(function* () {
        const project = (yield* demand("project", projectId)).record
        const slug = yield* demand("slug", `${project.organizationId}/${project.slug}`)
        const before = yield* list(projectId)
        const wanted = entries.map(({ userId, role }): Membership => ({
          projectId: project.id,
          userId: userId as Membership["userId"],
          role
        }))
        const writes = replacing("membership", (userId) => `${projectId}/${userId}`, before, wanted, {
          insert: (row) => Commit.insert("membership", row),
          update: (stored, row) => Commit.update("membership", stored, row)
        })
        // The slug's row is the Project's place in the directory: writing it makes two lists at once come one after the other.
        const commit = {
          name: "Members.replace",
          projectId: null,
          writes: [Commit.update("slug", slug, {}), ...writes]
        }
        return { answer: wanted, commit }
      })
    )
  ).pipe(Effect.withSpan("Members.replace"))

/** The members of an organization, oldest first. */
export const listOfOrganization = (organizationId: string) =>
  Effect.flatMap(Records, (records) =>
    records.list("organizationMember", { where: { organizationId }, limit: "all" })
  ).pipe(Effect.map((page) => page.items))

/** Replaces the members of an organization. One owner at least must stay; who makes another one needs all scopes. */
export const replaceOfOrganization = (
  organizationId: string,
  entries: ReadonlyArray<Entry<OrganizationMember["role"]>>,
  asking: Asking
) =>
  Effect.gen(function* () {
    yield* checkEntries(entries)
    if (!entries.some((each) => each.role === "owner"))
      return yield* new InvalidField({
        code: "owner_required",
        field: "members",
        reason: "an organization keeps one owner at least"
      })
    return yield* decideAndCommit(
      Effect.gen(function* () {
        const organization = yield* demand("organization", organizationId)
        const before = yield* listOfOrganization(organizationId)
        const owners = before.filter(({ record }) => record.role === "owner").map(({ record }) => record.userId)
        if (entries.some(({ role, userId }) => role === "owner" && !owners.some((each) => each === userId)))
          yield* requireWithin(asking, allScopes)
        const wanted = entries.map(({ userId, role }): OrganizationMember => ({
          organizationId: organization.record.id,
          userId: userId as OrganizationMember["userId"],
          role
        }))
        const writes = replacing("organizationMember", (userId) => `${organizationId}/${userId}`, before, wanted, {
          insert: (row) => Commit.insert("organizationMember", row),
          update: (stored, row) => Commit.update("organizationMember", stored, row)
        })
        const commit = {
          name: "Organizations.replaceMembers",
          projectId: null,
          writes: [Commit.update("organization", organization, {}), ...writes]
        }
        return { answer: wanted, commit }
      })
    )
  }).pipe(Effect.withSpan("Organizations.replaceMembers"))
