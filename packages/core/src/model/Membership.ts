/** Organizations, users, tokens, and the roles that decide who may do what. */
import { Schema } from "effect"
import { OrganizationId, ProjectId, Sha256, TokenId, UserId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"

/** Roles on a Project, weakest first. Each may do all that the ones before it may. */
export const roles = ["viewer", "member", "admin"] as const
/** What a user may do in a Project, weakest first. */
export const Role = Schema.Literals(roles)
export type Role = typeof Role.Type

/** Whether a held role covers a needed one. */
export const covers = (held: Role, needed: Role): boolean => roles.indexOf(held) >= roles.indexOf(needed)

/** A user's place in an organization. An owner is `admin` in each of its Projects, and makes users. */
export const OrganizationRole = Schema.Literals(["owner", "member"])
export type OrganizationRole = typeof OrganizationRole.Type

/** What a token may be used for, within what its user may do. */
export const Scope = Schema.Literals(["read", "write", "approve", "promote", "admin"])
export type Scope = typeof Scope.Type

/** What owns Projects, and shares the installation's budgets with other organizations. */
export const Organization = Schema.Struct({
  /** `org_<uuid>`. */
  id: OrganizationId,
  /** For people; 1 to `Limits.organizationNameLength` characters. */
  name: Schema.String,
  /** When it was made. */
  createdAt: Timestamp,
  /** The user that it counts for, who made it or stands behind its maker. Absent for the installation's own. */
  sponsor: Schema.optionalKey(UserId)
})
export interface Organization extends Schema.Schema.Type<typeof Organization> {}

/** Somebody who acts by tokens. Users are disabled and never deleted: records go on naming them. */
export const User = Schema.Struct({
  /** `usr_<uuid>`. */
  id: UserId,
  /** For people; 1 to `Limits.userNameLength` characters. */
  name: Schema.String,
  /** When the user was made. */
  createdAt: Timestamp,
  /** The organization whose owner made the user. Absent for the first owner. */
  madeIn: Schema.optionalKey(OrganizationId),
  /** What the user counts for: that organization's sponsor, or that organization itself when it has none. */
  sponsor: Schema.optionalKey(Schema.Union([UserId, OrganizationId])),
  /** Since when nothing that is the user's lets anybody in. Absent while it does. */
  disabledAt: Schema.optionalKey(Timestamp)
})
export interface User extends Schema.Schema.Type<typeof User> {}

/** A user's place in an organization. */
export const OrganizationMember = Schema.Struct({
  /** The organization; with the user it is the key. */
  organizationId: OrganizationId,
  /** Who is a member. */
  userId: UserId,
  /** What they may do there. */
  role: OrganizationRole,
  /** How often the user had left before; absent for never. */
  stay: Schema.optionalKey(Schema.Finite)
})
export interface OrganizationMember extends Schema.Schema.Type<typeof OrganizationMember> {}

/** That a user left an organization, and how often. What was given before does not count any more. */
export const Departure = Schema.Struct({
  /** The organization that was left. */
  organizationId: OrganizationId,
  /** Who left. */
  userId: UserId,
  /** How often, from 1 on. */
  count: Schema.Finite,
  /** When they left last. */
  at: Timestamp
})
export interface Departure extends Schema.Schema.Type<typeof Departure> {}

/** A user's role on one Project. It counts until the user leaves the Project's organization. */
export const Membership = Schema.Struct({
  /** The Project; with the user it is the key. */
  projectId: ProjectId,
  /** Whose role it is. */
  userId: UserId,
  /** What they may do there. */
  role: Role,
  /** How often the user had left the organization when this was given; absent for never. */
  stay: Schema.optionalKey(Schema.Finite)
})
export interface Membership extends Schema.Schema.Type<typeof Membership> {}

/** An API token. Only its SHA-256 is stored; the token itself is shown once. */
export const Token = Schema.Struct({
  /** `tok_<ULID>`: names the token, and is no secret. */
  id: TokenId,
  /** Who acts with it. */
  userId: UserId,
  /** For people; 1 to `Limits.tokenNameLength` characters. */
  name: Schema.String,
  /** SHA-256 of its text: tokens are found by it. */
  hash: Sha256,
  /** What it may be used for, within what its user may do. */
  scopes: Schema.Array(Scope),
  /** When it was issued. */
  createdAt: Timestamp,
  /** From when on it lets nobody in; null for never. */
  expiresAt: Schema.NullOr(Timestamp),
  /** When it was revoked; null while it was not. */
  revokedAt: Schema.NullOr(Timestamp)
})
export interface Token extends Schema.Schema.Type<typeof Token> {}
