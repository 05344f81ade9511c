/** Organizations and their users: the first of them when an installation is new, and all that come after. */
import { Effect, Redacted, Schema } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import { InvalidField, Unknown } from "../ledger/Refusals.ts"
import { sha256 } from "../primitives/Digest.ts"
import { makeUuid, type OrganizationId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { InsufficientRole } from "./Access.ts"
import type { Organization, OrganizationMember, OrganizationRole, User } from "../model/Membership.ts"
import { checkName } from "./Names.ts"
import { allScopes, demandEnabled, isTokenText, recordOf, tokenForm } from "./Tokens.ts"

/** As many organizations count for the user as may. */
export class OrganizationLimit extends Schema.TaggedError<OrganizationLimit>()("OrganizationLimit", {
  max: Schema.Finite
}) {
  override get message() {
    return `${this.max} organizations count for you, by those whom you brought in too, and no more may.`
  }
}

/** Every installation's first organization has this id, so that two servers that start at once make one. */
export const firstOrganizationId: OrganizationId = "org_00000000-0000-4000-8000-000000000000"

const newOwner = Effect.fnUntraced(function* (name: string) {
  const user: User = { id: `usr_${yield* makeUuid}`, name, createdAt: yield* Time.now }
  return user
})

/** The owner of an organization who has been a member for longest. Fails with `Unknown` when there is none. */
export const firstOwner = Effect.fnUntraced(function* (organizationId: string) {
  const members = yield* (yield* Records).list("organizationMember", { where: { organizationId }, limit: "all" })
  const owner = members.items.find((each) => each.record.role === "owner")
  return (yield* demand("user", owner?.record.userId ?? "")).record
})

/**
 * Makes the first organization, its owner and the owner's token, or answers those that are there. Another `token`
 * on a later start is one more token of the owner. Safe to repeat: keep the token's text before this is called,
 * and a crash on the way loses nothing.
 */
export const bootstrap = Effect.fnUntraced(function* (input: {
  readonly organization: string
  readonly owner: string
  readonly token: Redacted.Redacted
}) {
  if (!isTokenText(Redacted.value(input.token)))
    return yield* new InvalidField({ code: "invalid_field", field: "token", reason: tokenForm })
  return yield* decideAndCommit(bootstrapping(input))
}, Effect.withSpan("Organizations.bootstrap"))

const bootstrapping = Effect.fnUntraced(function* (input: {
  readonly organization: string
  readonly owner: string
  readonly token: Redacted.Redacted
}) {
  const firstOrganization = yield* find("organization", firstOrganizationId)
  const user = firstOrganization === null ? yield* newOwner(input.owner) : yield* firstOwner(firstOrganizationId)
  const hash = yield* sha256(Redacted.value(input.token))
  const known = (yield* (yield* Records).list("token", { where: { hash }, limit: 1 })).items[0]
  const token = known === undefined ? yield* recordOf(user.id, input.token, { name: "owner", scopes: allScopes }) : null
  const organization: Organization = firstOrganization?.record ?? {
    id: firstOrganizationId,
    name: input.organization,
    createdAt: yield* Time.now
  }
  const member: OrganizationMember = { organizationId: firstOrganizationId, userId: user.id, role: "owner" }
  const writes = [
    ...(firstOrganization === null
      ? [
          Commit.insert("organization", organization),
          Commit.insert("user", user),
          Commit.insert("organizationMember", member)
        ]
      : []),
    ...(token === null ? [] : [Commit.insert("token", token)])
  ]
  const answer = { organization, user, created: firstOrganization === null }
  return writes.length === 0
    ? { answer }
    : { answer, commit: { name: "Organizations.bootstrap", projectId: null, writes } }
})

/**
 * Makes an organization. Its maker is its owner. It counts for its maker, or for who stands behind the maker. Fails with
 * `OrganizationLimit` or `InvalidField`.
 */
export const create = Effect.fnUntraced(function* (userId: string, name: string) {
  yield* checkName("name", name, Limits.organizationNameLength)
  const id: OrganizationId = `org_${yield* makeUuid}`
  return yield* decideAndCommit(creating(userId, id, name))
}, Effect.withSpan("Organizations.create"))

const creating = Effect.fnUntraced(function* (userId: string, id: OrganizationId, name: string) {
  const maker = yield* demandEnabled(userId)
  const behind = maker.record.sponsor
  const sponsor = yield* demand("user", behind?.startsWith("usr_") === true ? behind : userId)
  const made = yield* (yield* Records).list("organization", { where: { sponsor: sponsor.record.id }, limit: "all" })
  if (made.items.length >= Limits.organizationsPerUser)
    return yield* new OrganizationLimit({ max: Limits.organizationsPerUser })
  const organization: Organization = { id, name, createdAt: yield* Time.now, sponsor: sponsor.record.id }
  const owner: OrganizationMember = { organizationId: id, userId: maker.record.id, role: "owner" }
  const commit = {
    name: "Organizations.create",
    projectId: null,
    expects: [Commit.unchanged("user", userId, maker)],
    // Writing the sponsor guards the number of organizations against a racing request.
    writes: [
      Commit.update("user", sponsor, {}),
      Commit.insert("organization", organization),
      Commit.insert("organizationMember", owner)
    ]
  }
  return { answer: organization, commit }
})

/** The organizations of a user, each with the user's role, a page at a time. */
export const list = Effect.fnUntraced(function* (
  userId: string,
  page: { readonly limit?: number; readonly cursor?: string }
) {
  const places = yield* (yield* Records).list("organizationMember", { where: { userId }, ...page })
  const items = yield* Effect.forEach(places.items, ({ record }) =>
    Effect.map(demand("organization", record.organizationId), (organization) => ({
      ...organization.record,
      role: record.role
    }))
  )
  return { items, nextCursor: places.nextCursor }
})

/** The user's role in the first organization, which is that of whoever runs the installation; null for none. */
export const installationRole = (userId: string) =>
  Effect.map(find("organizationMember", `${firstOrganizationId}/${userId}`), (place) => place?.record.role ?? null)

/** Fails with `InsufficientRole` unless the user owns the first organization. */
export const requireOperator = Effect.fnUntraced(function* (userId: string) {
  const held = yield* installationRole(userId)
  if (held !== "owner") return yield* new InsufficientRole({ held: held ?? "none", needed: "owner" })
})

/** The user's role in an organization, when it covers what is needed. Without any the organization does not exist for them. */
export const requirePlace = Effect.fnUntraced(function* (
  userId: string,
  organizationId: string,
  needed: OrganizationRole
) {
  const place = yield* find("organizationMember", `${organizationId}/${userId}`)
  if (place === null) return yield* new Unknown({ kind: "organization", id: organizationId })
  if (needed === "owner" && place.record.role !== "owner")
    return yield* new InsufficientRole({ held: place.record.role, needed })
  return place.record
})
