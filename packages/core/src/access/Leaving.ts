/**
 * Who answers for a user, and what they may do about them. Anybody can put anybody into an organization of their own, so
 * owning one of a user's organizations is not enough to end the user: it takes all of them, and the one that made them.
 */
import { Effect, Schema } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Deciding.ts"
import { Records } from "../ledger/Records.ts"
import { Unknown } from "../ledger/Refusals.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { InsufficientRole } from "./Access.ts"
import { departing, standing, stayOf } from "./Departures.ts"
import type { OrganizationMember, User } from "./Membership.ts"
import { listOfOrganization } from "./Members.ts"
import { demandEnabled, revoke } from "./Tokens.ts"

/** The user also belongs to an organization that the caller does not own. */
export class BelongsElsewhere extends Schema.TaggedError<BelongsElsewhere>()("BelongsElsewhere", {
  userId: Schema.String
}) {}

/** The organization would be left without an owner. */
export class LastOwner extends Schema.TaggedError<LastOwner>()("LastOwner", {
  userId: Schema.String,
  organizationId: Schema.String
}) {}

const placesOf = (userId: string) =>
  Effect.map(
    Effect.flatMap(Records, (records) => records.list("organizationMember", { where: { userId }, limit: "all" })),
    (page) => page.items
  )

/** The user, when the caller owns every organization that they are in and the one that made them; fails else. */
export const requireKeeper = (callerId: string, userId: string) =>
  Effect.gen(function* () {
    const user = yield* demand("user", userId)
    const { madeIn } = user.record
    const organizations = new Set<string>((yield* placesOf(userId)).map(({ record }) => record.organizationId))
    if (madeIn !== undefined) organizations.add(madeIn)
    const held = yield* Effect.forEach(organizations, (id) =>
      Effect.map(find("organizationMember", `${id}/${callerId}`), (place) => place?.record.role ?? null)
    )
    if (!held.some((role) => role !== null)) return yield* new Unknown({ kind: "user", id: userId })
    if (!held.includes("owner")) return yield* new InsufficientRole({ held: "member", needed: "owner" })
    if (held.some((role) => role !== "owner")) return yield* new BelongsElsewhere({ userId })
    return user.record
  })

/** Revokes a token for its user, or for who answers for the user. For everybody else it does not exist. */
export const revokeFor = (callerId: string, tokenId: string) =>
  Effect.gen(function* () {
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
      const { place, stay } = yield* standing(organizationId, userId)
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

/** Fails when nobody but this user owns the organization. */
const refuseLast = ({ organizationId, role, userId }: OrganizationMember) =>
  Effect.gen(function* () {
    const others = (yield* listOfOrganization(organizationId)).filter(({ record }) => record.userId !== userId)
    if (role === "owner" && !others.some(({ record }) => record.role === "owner"))
      return yield* new LastOwner({ userId, organizationId })
  })

/** Places that one commit takes away: each is three rows of it. */
const placesAtOnce = Math.floor(Limits.commitRows / 4)

/** Takes some of the user's places away; with the first of them the user is disabled. Whether there are more. */
const disabling = (userId: string) =>
  Effect.gen(function* () {
    const user = yield* demand("user", userId)
    const isDisabled = user.record.disabledAt !== undefined
    const places = yield* placesOf(userId)
    if (!isDisabled) yield* Effect.forEach(places, ({ record }) => refuseLast(record), { discard: true })
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
      commit: { name: "Users.disable", projectId: null, writes }
    }
  })

/**
 * Disables a user: from now on no token, session or stream of theirs lets anybody in, and they have left every
 * organization. Safe to repeat. Who may is asked before.
 */
export const disable = (userId: string) =>
  decideAndCommit(disabling(userId)).pipe(
    Effect.repeat({ while: ({ more }) => more }),
    Effect.map(({ user }) => user),
    Effect.withSpan("Users.disable")
  )
