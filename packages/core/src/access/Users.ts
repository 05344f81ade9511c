/** Local users: made by owners, listed, and disabled when they leave for good or their tokens got into wrong hands. */
import { Effect, Schema } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import { InvalidField } from "../ledger/Refusals.ts"
import { makeUuid } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import type * as Time from "../primitives/Time.ts"
import { InsufficientRole } from "./Access.ts"
import type { Organization, OrganizationMember, OrganizationRole, Scope, Token, User } from "../model/Membership.ts"
import { listOfOrganization } from "./Members.ts"
import { checkName } from "./Names.ts"
import { requirePlace } from "./Organizations.ts"
import { allScopes, type Asking, grantOf, demandEnabled, generate, recordOf, requireWithin } from "./Tokens.ts"

/** The organization has as many members as one may have. */
export class MemberLimit extends Schema.TaggedError<MemberLimit>()("MemberLimit", { max: Schema.Finite }) {
  override get message() {
    return `The organization has its ${this.max} members.`
  }
}

/** As many users as may count for the organization, or for who stands behind it. */
export class UserLimit extends Schema.TaggedError<UserLimit>()("UserLimit", { max: Schema.Finite }) {
  override get message() {
    return `${this.max} users count for this organization or for who stands behind it, and no more may. Disable some.`
  }
}

/** What is asked of a new user, and of the first token that comes with it. */
export interface NewUser {
  readonly name: string
  /** The organization that the user joins; without it the user joins none, and counts for one that the maker owns. */
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
 * can do no more than the one that asks and lives no longer; who asks for an owner needs all scopes. Fails with
 * `InsufficientRole`, `ScopeExceedsToken`, `UserLimit`, `MemberLimit` or `InvalidField`.
 */
export const create = Effect.fnUntraced(function* (ownerId: string, input: NewUser, asking: Asking) {
  yield* checkName("name", input.name, Limits.userNameLength)
  if (input.organizationId !== undefined) yield* requirePlace(ownerId, input.organizationId, "owner")
  else if (input.role !== undefined)
    return yield* new InvalidField({
      code: "invalid_field",
      field: "role",
      reason: "a role is had in an organization: name organizationId too"
    })
  if (input.role === "owner") yield* requireWithin(asking, allScopes)
  const bounds = yield* grantOf(asking, input)
  const id: User["id"] = `usr_${yield* makeUuid}`
  const text = yield* generate
  const token = yield* recordOf(id, text, { name: "first token", ...bounds })
  return { user: yield* decideAndCommit(creating(ownerId, id, token, input)), text }
}, Effect.withSpan("Users.create"))

/** The place by which a user may make users: as an owner of what is named, else of what they have owned for longest. */
const makersPlace = Effect.fnUntraced(function* (ownerId: string, organizationId: string | undefined) {
  if (organizationId !== undefined) return yield* requirePlace(ownerId, organizationId, "owner")
  const places = yield* (yield* Records).list("organizationMember", { where: { userId: ownerId }, limit: "all" })
  const owned = places.items.find((each) => each.record.role === "owner")
  return owned === undefined ? yield* new InsufficientRole({ held: "member", needed: "owner" }) : owned.record
})

/** Fails when no more users may be made there. Else the write that guards their number against a racing request. */
const takeRoom = Effect.fnUntraced(function* (organization: Commit.Stored<Organization>) {
  const behind = organization.record.sponsor
  const sponsor = behind ?? organization.record.id
  const max = behind === undefined ? Limits.usersPerOrganization : Limits.usersPerUser
  const made = yield* (yield* Records).list("user", { where: { sponsor }, limit: "all" })
  if (made.items.length >= max) return yield* new UserLimit({ max })
  return behind === undefined ? [] : [Commit.update("user", yield* demand("user", behind), {})]
})

const creating = Effect.fnUntraced(function* (ownerId: string, id: User["id"], token: Token, input: NewUser) {
  const maker = yield* demandEnabled(ownerId)
  const place = yield* makersPlace(ownerId, input.organizationId)
  const organization = yield* demand("organization", place.organizationId)
  const room = yield* takeRoom(organization)
  const madeIn = organization.record.id
  const sponsor = organization.record.sponsor ?? madeIn
  const user: User = { id, name: input.name, createdAt: token.createdAt, madeIn, sponsor }
  const own = room.some((write) => write._tag === "Update" && write.kind === "user" && write.record.id === ownerId)
  const writes = [...room, Commit.update("organization", organization, {}), Commit.insert("user", user)]
  writes.push(Commit.insert("token", token))
  if (input.organizationId !== undefined) {
    if ((yield* listOfOrganization(madeIn)).length >= Limits.membersPerList)
      return yield* new MemberLimit({ max: Limits.membersPerList })
    const joined: OrganizationMember = { organizationId: madeIn, userId: id, role: input.role ?? "member" }
    writes.push(Commit.insert("organizationMember", joined))
  }
  // Who was disabled meanwhile makes nobody. Writing the maker says so already.
  const expects = own ? [] : [Commit.unchanged("user", ownerId, maker)]
  return { answer: user, commit: { name: "Users.create", projectId: null, expects, writes } }
})

/** The users of an organization, in the order in which they came, each with their role, a page at a time. */
export const list = Effect.fnUntraced(function* (
  organizationId: string,
  page: { readonly limit?: number; readonly cursor?: string }
) {
  const places = yield* (yield* Records).list("organizationMember", { where: { organizationId }, ...page })
  const items = yield* Effect.forEach(places.items, ({ record: { role, userId } }) =>
    Effect.map(demand("user", userId), ({ record }) => ({ ...record, role }))
  )
  return { items, nextCursor: places.nextCursor }
})
