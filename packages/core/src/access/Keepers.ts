/**
 * Who answers for a user, and what they may do about them: the owners of the organization that made the user, until the
 * user left it for another. Anybody can make an organization and put anybody into it: that takes nothing from them. For
 * who was made elsewhere, or has left, whoever owns all organizations that they are in answers.
 */
import { Effect, Schema } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import { Unknown } from "../ledger/Refusals.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { InsufficientRole } from "./Access.ts"
import { departing, departuresOf, placeOf, stayOf } from "./Departures.ts"
import type { OrganizationMember, User } from "../model/Membership.ts"
import { listOfOrganization } from "./Members.ts"
import { firstOrganizationId } from "./Organizations.ts"
import { demandEnabled, revoke } from "./Tokens.ts"

/** The user also belongs to an organization that the caller does not own. */
export class BelongsElsewhere extends Schema.TaggedError<BelongsElsewhere>()("BelongsElsewhere", {
  userId: Schema.String
}) {
  override get message() {
    return `${this.userId} also belongs to an organization that you do not own. Remove them from yours: that ends all that they have there. An operator can do the rest on the machine.`
  }
}

/** The organization would be left without an owner. */
export class LastOwner extends Schema.TaggedError<LastOwner>()("LastOwner", {
  userId: Schema.String,
  organizationId: Schema.String
}) {
  override get message() {
    return `${this.userId} is the only owner of ${this.organizationId}. Make another one first.`
  }
}

const placesOf = (userId: string) =>
  Effect.map(
    Effect.flatMap(Records, (records) => records.list("organizationMember", { where: { userId }, limit: "all" })),
    (page) => page.items
  )

/**
 * The user, when the caller answers for them. Fails with `Unknown` for whom the caller shares no organization with, with
 * `InsufficientRole` for a mere member, and with `BelongsElsewhere` for an owner of some of their organizations.
 */
export const requireKeeper = Effect.fnUntraced(function* (callerId: string, userId: string) {
  const user = yield* demand("user", userId)
  const { madeIn } = user.record
  const organizations = new Set<string>((yield* placesOf(userId)).map(({ record }) => record.organizationId))
  const roleIn = (id: string) =>
    Effect.map(find("organizationMember", `${id}/${callerId}`), (place) => place?.record.role ?? null)
  if (madeIn !== undefined && (yield* roleIn(madeIn)) === "owner") {
    const isTheirs =
      organizations.size === 0 || organizations.has(madeIn) || (yield* departuresOf(madeIn, userId)) === 0
    if (isTheirs) return user.record
  }
  if (madeIn !== undefined) organizations.add(madeIn)
  const held = yield* Effect.forEach(organizations, roleIn)
  if (!held.some((role) => role !== null)) return yield* new Unknown({ kind: "user", id: userId })
  if (!held.includes("owner")) return yield* new InsufficientRole({ held: "member", needed: "owner" })
  if (held.some((role) => role !== "owner")) return yield* new BelongsElsewhere({ userId })
  return user.record
})

/** Revokes a token for its user, or for who answers for the user. For everybody else it does not exist. */
export const revokeFor = Effect.fnUntraced(function* (callerId: string, tokenId: string) {
  const missing = new Unknown({ kind: "token", id: tokenId })
  const token = (yield* find("token", tokenId))?.record
  if (token === undefined) return yield* missing
  if (token.userId !== callerId)
    yield* requireKeeper(callerId, token.userId).pipe(
      Effect.catchTags({ InsufficientRole: () => missing, Unknown: () => missing })
    )
  return yield* revoke(tokenId)
})

/** Makes a user an owner of an organization, whatever their place there was. For operators: no caller is asked. */
export const makeOwner = (userId: string, organizationId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const user = yield* demandEnabled(userId)
      const organization = yield* demand("organization", organizationId)
      const { place, stay } = yield* placeOf(organizationId, userId)
      const owner: OrganizationMember = {
        organizationId: organization.record.id,
        userId: user.record.id,
        role: "owner",
        ...stayOf(stay)
      }
      const written =
        place === null
          ? Commit.insert("organizationMember", owner)
          : Commit.update("organizationMember", place, { role: "owner" })
      const expects = [Commit.unchanged("user", userId, user)]
      const writes = [Commit.update("organization", organization, {}), written]
      return { answer: owner, commit: { name: "Users.makeOwner", projectId: null, expects, writes } }
    })
  )

/**
 * Fails when nobody but this user owns an organization that must keep an owner: the installation's own, and any that the
 * user would leave by their own hand. One that somebody made for themselves keeps nobody from being disabled.
 */
const refuseLast = Effect.fnUntraced(function* (
  { organizationId, role, userId }: OrganizationMember,
  by: string | null
) {
  if (organizationId !== firstOrganizationId && userId !== by) return
  const others = (yield* listOfOrganization(organizationId)).filter(({ record }) => record.userId !== userId)
  if (role === "owner" && !others.some(({ record }) => record.role === "owner"))
    return yield* new LastOwner({ userId, organizationId })
})

/** Places that one commit takes away: each is three rows of it. */
const placesAtOnce = Math.floor(Limits.commitRows / 4)

/** Takes some of the user's places away; with the first of them the user is disabled. Whether there are more. */
const disabling = Effect.fnUntraced(function* (userId: string, by: string | null) {
  const user = yield* demand("user", userId)
  // Two who disable each other: the second one is nobody any more.
  const keeper = by === null || by === userId ? null : yield* demandEnabled(by)
  const isDisabled = user.record.disabledAt !== undefined
  const places = yield* placesOf(userId)
  if (!isDisabled) yield* Effect.forEach(places, ({ record }) => refuseLast(record, by), { discard: true })
  if (isDisabled && places.length === 0) return { answer: { user: user.record, more: false } }
  const now = yield* Time.now
  const disabled: User = { ...user.record, disabledAt: user.record.disabledAt ?? now }
  const left = yield* Effect.forEach(places.slice(0, placesAtOnce), (place) =>
    Effect.gen(function* () {
      // Writing the organization makes two owners who disable each other come one after the other.
      const organization = yield* demand("organization", place.record.organizationId)
      return [Commit.update("organization", organization, {}), ...(yield* departing(place, now))]
    })
  )
  const writes = [Commit.update("user", user, disabled), ...left.flat()]
  return {
    answer: { user: disabled, more: places.length > placesAtOnce },
    commit: {
      name: "Users.disable",
      projectId: null,
      expects: keeper === null ? [] : [Commit.unchanged("user", keeper.record.id, keeper)],
      writes
    }
  }
})

/**
 * Disables a user: from now on no token, session or stream of theirs lets anybody in, and they have left every
 * organization. Safe to repeat. Who may is asked before; `by` is who asked, null on the machine itself.
 */
export const disable = (userId: string, by: string | null) =>
  decideAndCommit(disabling(userId, by)).pipe(
    Effect.repeat({ while: ({ more }) => more }),
    Effect.map(({ user }) => user),
    Effect.withSpan("Users.disable")
  )
