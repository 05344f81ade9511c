/** API tokens: `pawl_` and 32 secret bytes, shown once. Only their SHA-256 is stored. */
import { Effect, Redacted, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import { InvalidField, Unknown } from "../ledger/Refusals.ts"
import { sha256 } from "../primitives/Digest.ts"
import { makeUlid } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import type { TaskRun } from "../model/Task.ts"
import { Scope, type Token, type User } from "../model/Membership.ts"
import { checkName } from "./Names.ts"
import { Secrets } from "./Secrets.ts"

const credentials = {
  missing: "No token was given.",
  unknown: "This token is not one of this installation's.",
  expired: "This token has expired. Ask for a new one.",
  revoked: "This token was revoked. Ask for a new one.",
  disabled: "The user of this token was disabled.",
  ended: "This session has ended. Sign in again.",
  unverified: "This token is not one that the provider of identities signed for this installation."
}

/** The caller could not be told. `reason` says what is wrong with the credentials, never what they are. */
export class Unauthenticated extends Schema.TaggedError<Unauthenticated>()("Unauthenticated", {
  reason: Schema.Literals(["missing", "unknown", "expired", "revoked", "disabled", "ended", "unverified"])
}) {
  override get message() {
    return credentials[this.reason]
  }
}

/** The user has as many live tokens as one may have. Revoke one first. */
export class TokenLimit extends Schema.TaggedError<TokenLimit>()("TokenLimit", { max: Schema.Finite }) {
  override get message() {
    return `You have ${this.max} live tokens. Revoke one first.`
  }
}

/** All that a user may do. */
export const allScopes: ReadonlyArray<Scope> = Scope.literals

/** What the token that asks may do, and until when. What it asks for is never wider. */
export type Asking = Pick<Token, "scopes" | "expiresAt">

/** Who works on the machine itself asks without a token. */
export const operator: Asking = { scopes: allScopes, expiresAt: null }

/** What was asked for goes beyond the token that asks: by these scopes, or by an end after this one. */
export class ScopeExceedsToken extends Schema.TaggedError<ScopeExceedsToken>()("ScopeExceedsToken", {
  held: Schema.Array(Schema.String),
  beyond: Schema.Array(Schema.String),
  /** When the token that asks ends; null when the end is not what was too much. */
  endsAt: Schema.NullOr(Schema.String)
}) {
  override get message() {
    return this.endsAt === null
      ? `This needs a token with the scopes ${this.beyond.join(", ")} too; this one has ${this.held.join(", ") || "none"}.`
      : `What is asked for would end later than the token that asks, which ends at ${this.endsAt}.`
  }
}

/** Fails unless the asking token has these scopes. */
export const requireWithin = (
  { scopes: held }: Asking,
  asked: ReadonlyArray<Scope>
): Effect.Effect<void, ScopeExceedsToken> => {
  const beyond = asked.filter((scope) => !held.includes(scope))
  return beyond.length === 0 ? Effect.void : new ScopeExceedsToken({ held, beyond, endsAt: null })
}

/** The scopes and the end that a new token gets: what was asked for within the asking token, by default all of it. */
export const grantOf = Effect.fnUntraced(function* (asking: Asking, input: Pick<NewToken, "scopes" | "expiresAt">) {
  const refuse = (field: string, reason: string) => new InvalidField({ code: "invalid_field", field, reason })
  const scopes = input.scopes ?? asking.scopes
  yield* requireWithin(asking, scopes)
  if (scopes.length === 0) return yield* refuse("scopes", "name at least one scope")
  const expiresAt = input.expiresAt ?? asking.expiresAt
  if (expiresAt !== null && expiresAt <= (yield* Time.now)) return yield* refuse("expiresAt", "this time has passed")
  if (asking.expiresAt !== null && expiresAt !== null && expiresAt > asking.expiresAt)
    return yield* new ScopeExceedsToken({ held: asking.scopes, beyond: [], endsAt: asking.expiresAt })
  return { scopes, ...(expiresAt === null ? {} : { expiresAt }) }
})

/** What is asked of a new token. It never has more scopes, nor a later end, than the token that asks. */
export interface NewToken {
  readonly name: string
  readonly expiresAt?: Time.Timestamp
  /** Default: those of the token that asks. */
  readonly scopes?: ReadonlyArray<Scope>
}

const prefix = "pawl_"

/** What every credential of Pawl begins with, so that it is known wherever it turns up, and what a person may choose. */
export const tokenForm = `use ${prefix} and then ${Limits.tokenChosenMinLength} to ${Limits.tokenChosenLength} visible ASCII characters`
const tokenText = new RegExp(
  String.raw`^${prefix}[\x21-\x7e]{${Limits.tokenChosenMinLength},${Limits.tokenChosenLength}}$`
)
/** Whether a text may be a token: `pawl_` and as many printable ASCII characters as `Limits` says. */
export const isTokenText = (text: string): boolean => tokenText.test(text)

/** A new token's text. Keep it; Pawl does not. */
export const generate: Effect.Effect<Redacted.Redacted, never, Secrets> = Effect.gen(function* () {
  const bytes = yield* (yield* Secrets).bytes(Limits.tokenBytes)
  return Redacted.make(`${prefix}${Base64Url.encode(bytes)}`)
})

/** Whether a token lets anybody in at this time: it was not revoked, and has not ended. */
export const isLive = (token: Token, now: Time.Timestamp): boolean =>
  token.revokedAt === null && (token.expiresAt === null || token.expiresAt > now)

/**
 * A new record that stands for a token's text: its SHA-256, the name, and the scopes, by default all. It is stored by
 * the caller.
 */
export const recordOf = Effect.fnUntraced(function* (userId: User["id"], text: Redacted.Redacted, input: NewToken) {
  const token: Token = {
    id: `tok_${yield* makeUlid}`,
    userId,
    name: input.name,
    hash: yield* sha256(Redacted.value(text)),
    scopes: allScopes.filter((scope) => input.scopes === undefined || input.scopes.includes(scope)),
    createdAt: yield* Time.now,
    expiresAt: input.expiresAt ?? null,
    revokedAt: null
  }
  return token
})

/** The tokens of a user, oldest first, a page at a time. */
export const list = (userId: string, page: { readonly limit?: number; readonly cursor?: string }) =>
  Effect.flatMap(Records, (records) => records.list("token", { where: { userId }, ...page }))

/**
 * Issues a token to a user, and answers its text this once. It can do no more than the token that asks for it and lives
 * no longer, so that a narrow token cannot make itself a wide one. Fails with `ScopeExceedsToken`, `TokenLimit` or
 * `InvalidField`, and with `Unknown` for a user who was disabled.
 */
export const issue = Effect.fnUntraced(function* (userId: string, input: NewToken, asking: Asking) {
  yield* checkName("name", input.name, Limits.tokenNameLength)
  const bounds = yield* grantOf(asking, input)
  const text = yield* generate
  const token = yield* decideAndCommit(issuing(userId, text, { name: input.name, ...bounds }))
  return { token, text }
}, Effect.withSpan("Tokens.issue"))

/** The commit that issues a token of this text to a user. Fails as `issue` does. */
export const issuing = Effect.fnUntraced(function* (userId: string, text: Redacted.Redacted, input: NewToken) {
  const user = yield* demandEnabled(userId)
  const now = yield* Time.now
  const before = yield* list(userId, {})
  const all =
    before.nextCursor === null
      ? before.items
      : (yield* (yield* Records).list("token", { where: { userId }, limit: "all" })).items
  if (all.filter((each) => isLive(each.record, now)).length >= Limits.tokensPerUser)
    return yield* new TokenLimit({ max: Limits.tokensPerUser })
  const token = yield* recordOf(user.record.id, text, input)
  return {
    answer: token,
    // Writing the user guards the number of tokens against a racing request.
    commit: {
      name: "Tokens.issue",
      projectId: null,
      writes: [Commit.update("user", user, {}), Commit.insert("token", token)]
    }
  }
})

/** The user, or `Unknown`: also for one who was disabled, who does nothing any more. */
export const demandEnabled = Effect.fnUntraced(function* (userId: string) {
  const user = yield* demand("user", userId)
  return user.record.disabledAt === undefined ? user : yield* new Unknown({ kind: "user", id: userId })
})

/** Revokes a token. Revoking it again changes nothing. Who may is asked before. */
export const revoke = (tokenId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const token = yield* demand("token", tokenId)
      if (token.record.revokedAt !== null) return { answer: token.record }
      const revoked: Token = { ...token.record, revokedAt: yield* Time.now }
      return {
        answer: revoked,
        commit: { name: "Tokens.revoke", projectId: null, writes: [Commit.update("token", token, revoked)] }
      }
    })
  ).pipe(Effect.withSpan("Tokens.revoke"))

/** What a caller came with: a token, or a session or a provider's token that counts as one. */
export interface Credential extends Asking {
  /** Of the token, or of the session. */
  readonly id: string
  /** For people. */
  readonly name: string
}

/** Who asks, and with what: what every use case with rights is given. */
export interface Caller {
  readonly user: User
  readonly token: Credential
  /** The run of a Task that its token is for, and nothing else; absent for a person's own token. */
  readonly run?: TaskRun
}

/**
 * Who a token's text belongs to. Looked up at each call, so that a revocation is in force at once. Fails with
 * `Unauthenticated`.
 */
export const authenticate = Effect.fnUntraced(function* (text: Redacted.Redacted) {
  if (Redacted.value(text) === "") return yield* new Unauthenticated({ reason: "missing" })
  // What does not look like a credential is none, whatever is stored: the router knows them by their look alone.
  if (!isTokenText(Redacted.value(text))) return yield* new Unauthenticated({ reason: "unknown" })
  const hash = yield* sha256(Redacted.value(text))
  const found = (yield* (yield* Records).list("token", { where: { hash }, limit: 1 })).items[0]?.record
  if (found !== undefined) return yield* callerOf(found)
  const run = (yield* (yield* Records).list("taskRun", { where: { token: hash }, limit: 1 })).items[0]?.record
  return yield* run === undefined ? new Unauthenticated({ reason: "unknown" }) : agentOf(run)
})

/** What the agent of a claimed Task may do there. */
const taskScopes: ReadonlyArray<Scope> = ["read", "write"]

/** The user, for whoever proved to be them. Fails with `Unauthenticated` for one who is let in no more. */
export const letIn = Effect.fnUntraced(function* (userId: string) {
  const user = yield* find("user", userId)
  if (user === null) return yield* new Unauthenticated({ reason: "unknown" })
  if (user.record.disabledAt !== undefined) return yield* new Unauthenticated({ reason: "disabled" })
  return user.record
})

/** Who claimed a Task with a token, and what of it their agent has. Without a token it was somebody on the machine itself. */
const claimantOf = Effect.fnUntraced(function* (userId: string, tokenId: Token["id"] | undefined) {
  if (tokenId === undefined) return { user: yield* letIn(userId), scopes: taskScopes }
  const token = yield* find("token", tokenId)
  if (token === null) return yield* new Unauthenticated({ reason: "unknown" })
  const { token: held, user } = yield* callerOf(token.record)
  return { user, scopes: taskScopes.filter((scope) => held.scopes.includes(scope)) }
})

/** The agent that works a run outside: it acts as the person who claimed the Task, and on that Task alone. */
export const agentOf = Effect.fnUntraced(function* (run: TaskRun) {
  const { endedAt, id, outside } = run
  if (outside === undefined || endedAt !== null) return yield* new Unauthenticated({ reason: "revoked" })
  if (outside.leaseUntil <= (yield* Time.now)) return yield* new Unauthenticated({ reason: "expired" })
  const { scopes, user } = yield* claimantOf(outside.claimedBy, run.claimedWith)
  const token: Caller["token"] = { id: `tok_${id}`, name: run.taskId, scopes, expiresAt: outside.leaseUntil }
  const caller: Caller = { user, token, run }
  return caller
})

/** Who a token's record lets in. Fails with `Unauthenticated` when it lets in nobody any more. */
export const callerOf = Effect.fnUntraced(function* (found: Token) {
  if (found.revokedAt !== null) return yield* new Unauthenticated({ reason: "revoked" })
  if (found.expiresAt !== null && !isLive(found, yield* Time.now))
    return yield* new Unauthenticated({ reason: "expired" })
  const { id, name, scopes, expiresAt } = found
  const caller: Caller = { user: yield* letIn(found.userId), token: { id, name, scopes, expiresAt } }
  return caller
})
