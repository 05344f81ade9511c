/** How people are let in who have no token at hand: sessions of browsers, codes that are used once, devices, identities. */
import { Schema } from "effect"
import { DeviceGrantId, SessionId, Sha256, TokenId, UserId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"
import { Scope } from "./Membership.ts"

/** By what a session was begun: a pasted token, a link of the operator's, or a provider of identities. */
export const SignInWay = Schema.Literals(["token", "link", "oidc"])
export type SignInWay = typeof SignInWay.Type

/** A browser that is signed in. Only the SHA-256 of its cookie is stored. The row is gone when it is signed out. */
export const Session = Schema.Struct({
  /** `ses_<ULID>`: names the session, and is no secret. */
  id: SessionId,
  /** Who acts in it. */
  userId: UserId,
  /** The token that began it, with which it ends; null where none did. */
  tokenId: Schema.NullOr(TokenId),
  /** SHA-256 of the cookie's value: sessions are found by it. */
  hash: Sha256,
  /** What it may be used for, within what its user may do. */
  scopes: Schema.Array(Scope),
  /** When it was begun. */
  createdAt: Timestamp,
  /** When it was used last, to within `Limits.sessionSeenMs`. */
  lastSeenAt: Timestamp,
  /** From when on it lets nobody in unless it is used before. */
  idleUntil: Timestamp,
  /** From when on it lets nobody in, however much it is used. */
  endsAt: Timestamp,
  /** What the browser said of itself; at most `Limits.userAgentLength` characters. */
  userAgent: Schema.String,
  /** By what it was begun. */
  how: SignInWay
})
export interface Session extends Schema.Schema.Type<typeof Session> {}

/** A code that opens once: of a link, or of a question to a provider. */
export const SignInCode = Schema.Struct({
  /** SHA-256 of its text. It is the key. */
  hash: Sha256,
  /** Whom a link lets in; null for what a provider was asked with. */
  userId: Schema.NullOr(UserId),
  /** The token that made the link, which bounds what it begins; missing where an operator was shown it. */
  tokenId: Schema.optionalKey(TokenId),
  /** When it was made. */
  createdAt: Timestamp,
  /** From when on it opens nothing. */
  expiresAt: Timestamp,
  /** When it was used; null while it was not. */
  usedAt: Schema.NullOr(Timestamp)
})
export interface SignInCode extends Schema.Schema.Type<typeof SignInCode> {}

/** A subject of a provider of identities, and the user that it is here. */
export const Identity = Schema.Struct({
  /** SHA-256 of issuer and subject. It is the key. */
  hash: Sha256,
  /** The provider, as `iss` names it. */
  issuer: Schema.String,
  /** Who it is there, as `sub` names them. */
  subject: Schema.String,
  /** Who it is here. */
  userId: UserId,
  /** When it came first. */
  createdAt: Timestamp
})
export interface Identity extends Schema.Schema.Type<typeof Identity> {}

/** A device that asks to be let in, until a person has answered and it has fetched its token (RFC 8628). */
export const DeviceGrant = Schema.Struct({
  /** `dev_<ULID>` */
  id: DeviceGrantId,
  /** SHA-256 of the code that the device alone knows: grants are found by it. */
  hash: Sha256,
  /** SHA-256 of the code that the person types: grants are found by it. */
  userCodeHash: Sha256,
  /** What the device says that it is; at most `Limits.deviceNameLength` characters. */
  name: Schema.String,
  /** When it asked. */
  createdAt: Timestamp,
  /** From when on nothing comes of it. */
  expiresAt: Timestamp,
  /** What the person said; null while nobody did. */
  answer: Schema.NullOr(Schema.Literals(["allowed", "denied"])),
  /** Who said so; null while nobody did. */
  userId: Schema.NullOr(UserId),
  /** What the device's token may be used for: what the person could do when they answered. */
  scopes: Schema.Array(Scope),
  /** When the device's token ends, at the latest; null for never. */
  endsBy: Schema.NullOr(Timestamp)
})
export interface DeviceGrant extends Schema.Schema.Type<typeof DeviceGrant> {}
