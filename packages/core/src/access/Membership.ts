/** Organizations, users, tokens, and the roles that decide who may do what. */
import { Schema } from "effect"
import { OrganizationId, ProjectId, Sha256, TokenId, UserId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"

/** Roles on a Project, weakest first. Each may do all that the ones before it may. */
export const roles = ["viewer", "member", "admin"] as const
export const Role = Schema.Literal(...roles)
export type Role = typeof Role.Type

/** Whether a held role covers a needed one. */
export const covers = (held: Role, needed: Role): boolean => roles.indexOf(held) >= roles.indexOf(needed)

export const OrganizationRole = Schema.Literal("owner", "member")
export type OrganizationRole = typeof OrganizationRole.Type

export const Scope = Schema.Literal("read", "write", "approve", "promote", "admin")
export type Scope = typeof Scope.Type

export const Organization = Schema.Struct({ id: OrganizationId, name: Schema.String, createdAt: Timestamp })
export interface Organization extends Schema.Schema.Type<typeof Organization> {}

export const User = Schema.Struct({ id: UserId, name: Schema.String, createdAt: Timestamp })
export interface User extends Schema.Schema.Type<typeof User> {}

/** A user's place in an organization. */
export const OrganizationMember = Schema.Struct({
  organizationId: OrganizationId,
  userId: UserId,
  role: OrganizationRole
})
export interface OrganizationMember extends Schema.Schema.Type<typeof OrganizationMember> {}

/** A user's role on one Project. */
export const Membership = Schema.Struct({ projectId: ProjectId, userId: UserId, role: Role })
export interface Membership extends Schema.Schema.Type<typeof Membership> {}

/** An API token. Only its SHA-256 is stored; the token itself is shown once. */
export const Token = Schema.Struct({
  id: TokenId,
  userId: UserId,
  name: Schema.String,
  hash: Sha256,
  scopes: Schema.Array(Scope),
  createdAt: Timestamp,
  expiresAt: Schema.NullOr(Timestamp),
  revokedAt: Schema.NullOr(Timestamp)
})
export interface Token extends Schema.Schema.Type<typeof Token> {}
