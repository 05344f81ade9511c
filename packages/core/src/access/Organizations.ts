/** Organizations and their users: the first of them when an installation is new, and all that come after. */
import { Effect, Redacted, Schema } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Deciding.ts"
import { Records } from "../ledger/Records.ts"
import { InvalidField, Unknown } from "../ledger/Refusals.ts"
import { sha256 } from "../primitives/Digest.ts"
import { makeUuid, type OrganizationId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { InsufficientRole } from "./Access.ts"
import type { Organization, OrganizationMember, OrganizationRole, Scope, User } from "./Membership.ts"
import { listOfOrganization } from "./Members.ts"
import { checkName } from "./Names.ts"
import { allScopes, type Asking, cut, generate, isTokenText, recordOf, requireWithin, tokenForm } from "./Tokens.ts"

/** The organization has as many members as one may have. */
export class MemberLimit extends Schema.TaggedError<MemberLimit>()("MemberLimit", { max: Schema.Number }) {}

/** Every installation's first organization has this id, so that two servers that start at once make one. */
export const firstOrganizationId: OrganizationId = "org_00000000-0000-4000-8000-000000000000"

const newUser = (name: string) =>
  Effect.gen(function* () {
    const user: User = { id: `usr_${yield* makeUuid}`, name, createdAt: yield* Time.now }
    return user
  })

const firstOwner = (organizationId: string) =>
  Effect.gen(function* () {
    const members = yield* (yield* Records).list("organizationMember", { where: { organizationId }, limit: "all" })
    const owner = members.items.find((each) => each.record.role === "owner")
    return (yield* demand("user", owner?.record.userId ?? "")).record
  })

/**
 * Makes the first organization, its owner and the owner's token, or answers those that are there. Another `token`
 * on a later start is one more token of the owner. Safe to repeat: keep the token's text before this is called,
 * and a crash on the way loses nothing.
 */
export const bootstrap = (input: {
  readonly organization: string
  readonly owner: string
  readonly token: Redacted.Redacted
}) =>
  Effect.gen(function* () {
    if (!isTokenText(Redacted.value(input.token)))
      return yield* new InvalidField({ code: "invalid_field", field: "token", reason: tokenForm })
    return yield* decideAndCommit(bootstrapping(input))
  }).pipe(Effect.withSpan("Organizations.bootstrap"))

const bootstrapping = (input: {
  readonly organization: string
  readonly owner: string
  readonly token: Redacted.Redacted
}) =>
  Effect.gen(function* () {
    const there = yield* find("organization", firstOrganizationId)
    const user = there === null ? yield* newUser(input.owner) : yield* firstOwner(firstOrganizationId)
    const hash = yield* sha256(Redacted.value(input.token))
    const known = (yield* (yield* Records).list("token", { where: { hash }, limit: 1 })).items[0]
    const token =
      known === undefined ? yield* recordOf(user.id, input.token, { name: "owner", scopes: allScopes }) : null
    const organization: Organization = there?.record ?? {
      id: firstOrganizationId,
      name: input.organization,
      createdAt: yield* Time.now
    }
    const member: OrganizationMember = { organizationId: firstOrganizationId, userId: user.id, role: "owner" }
    const writes = [
      ...(there === null
        ? [
            Commit.insert("organization", organization),
            Commit.insert("user", user),
            Commit.insert("organizationMember", member)
          ]
        : []),
      ...(token === null ? [] : [Commit.insert("token", token)])
    ]
    const answer = { organization, user, created: there === null }
    return writes.length === 0
      ? { answer }
      : { answer, commit: { name: "Organizations.bootstrap", projectId: null, writes } }
  })

/** Makes an organization. Its maker is its owner. */
export const create = (userId: string, name: string) =>
  Effect.gen(function* () {
    yield* checkName("name", name, Limits.organizationNameLength)
    const user = yield* demand("user", userId)
    const organization: Organization = { id: `org_${yield* makeUuid}`, name, createdAt: yield* Time.now }
    const owner: OrganizationMember = { organizationId: organization.id, userId: user.record.id, role: "owner" }
    const writes = [Commit.insert("organization", organization), Commit.insert("organizationMember", owner)]
    return yield* decideAndCommit(
      Effect.succeed({ answer: organization, commit: { name: "Organizations.create", projectId: null, writes } })
    )
  }).pipe(Effect.withSpan("Organizations.create"))

/** The organizations of a user, each with the user's role, a page at a time. */
export const list = (userId: string, page: { readonly limit?: number; readonly cursor?: string }) =>
  Effect.gen(function* () {
    const places = yield* (yield* Records).list("organizationMember", { where: { userId }, ...page })
    const items = yield* Effect.forEach(places.items, ({ record }) =>
      Effect.map(demand("organization", record.organizationId), (organization) => ({
        ...organization.record,
        role: record.role
      }))
    )
    return { items, nextCursor: places.nextCursor }
  })

/** The user's role in an organization, when it covers what is needed. Without any the organization does not exist for them. */
export const requirePlace = (userId: string, organizationId: string, needed: OrganizationRole) =>
  Effect.gen(function* () {
    const place = yield* find("organizationMember", `${organizationId}/${userId}`)
    if (place === null) return yield* new Unknown({ kind: "organization", id: organizationId })
    if (needed === "owner" && place.record.role !== "owner")
      return yield* new InsufficientRole({ held: place.record.role, needed })
    return place.record
  })

export interface NewUser {
  readonly name: string
  readonly organizationId?: string
  /** In the organization; default `member`. */
  readonly role?: OrganizationRole
  /** Of the first token; default: those of the token that asks. */
  readonly scopes?: ReadonlyArray<Scope>
  /** Of the first token; default: when the token that asks ends. */
  readonly expiresAt?: Time.Timestamp
}

/**
 * Makes a user with a token of their own. Only owners may: of the organization that is named, else of any. The token
 * can do no more than the one that asks and lives no longer; who asks for an owner needs all scopes.
 */
export const createUser = (ownerId: string, input: NewUser, asking: Asking) =>
  Effect.gen(function* () {
    yield* checkName("name", input.name, Limits.userNameLength)
    if (input.organizationId !== undefined) yield* requirePlace(ownerId, input.organizationId, "owner")
    else {
      if (input.role !== undefined)
        return yield* new InvalidField({
          code: "invalid_field",
          field: "role",
          reason: "a role is had in an organization: name organizationId too"
        })
      const places = yield* (yield* Records).list("organizationMember", { where: { userId: ownerId }, limit: "all" })
      if (!places.items.some((each) => each.record.role === "owner"))
        return yield* new InsufficientRole({ held: "member", needed: "owner" })
    }
    if (input.role === "owner") yield* requireWithin(asking, allScopes)
    const bounds = yield* cut(asking, input)
    const user = yield* newUser(input.name)
    const text = yield* generate
    const token = yield* recordOf(user.id, text, { name: "first token", ...bounds })
    yield* decideAndCommit(userCommit(user, token, input))
    return { user, text }
  }).pipe(Effect.withSpan("Organizations.createUser"))

const userCommit = (user: User, token: Effect.Effect.Success<ReturnType<typeof recordOf>>, input: NewUser) =>
  Effect.gen(function* () {
    const commit = {
      name: "Organizations.createUser",
      projectId: null,
      writes: [Commit.insert("user", user), Commit.insert("token", token)]
    }
    if (input.organizationId === undefined) return { answer: undefined, commit }
    const organization = yield* demand("organization", input.organizationId)
    if ((yield* listOfOrganization(input.organizationId)).length >= Limits.membersPerList)
      return yield* new MemberLimit({ max: Limits.membersPerList })
    const place: OrganizationMember = {
      organizationId: organization.record.id,
      userId: user.id,
      role: input.role ?? "member"
    }
    const writes = [Commit.update("organization", organization, {}), Commit.insert("organizationMember", place)]
    return { answer: undefined, commit: { ...commit, writes: [...commit.writes, ...writes] } }
  })
