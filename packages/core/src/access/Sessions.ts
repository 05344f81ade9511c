/**
 * Sessions of browsers: 256 random bits in a cookie, their SHA-256 in a row, an idle end and an end. Looked up at each
 * request, so that signing out is in force at once.
 */
import { Effect, Redacted } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, find } from "../ledger/Decision.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { Records } from "../ledger/Records.ts"
import { Unknown } from "../ledger/Refusals.ts"
import type { Session, SignInWay } from "../model/SignIn.ts"
import { sha256 } from "../primitives/Digest.ts"
import { makeUlid } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { requireKeeper } from "./Keepers.ts"
import { randomText, spending, using } from "./SignInCodes.ts"
import {
  allScopes,
  authenticate as authenticateToken,
  type Caller,
  callerOf,
  demandEnabled,
  letIn,
  Unauthenticated
} from "./Tokens.ts"

/** What a session begins with. */
interface Entry extends Pick<Session, "scopes" | "tokenId" | "how"> {
  readonly userId: string
  /** When what began it ends; null for never. */
  readonly endsBy: Time.Timestamp | null
  /** What is written with it: the code that it uses up. */
  readonly writes: ReadonlyArray<Commit.Write>
}

/** Whether a session lets anybody in at this time, as far as its row says. */
const isOpen = (session: Session, now: Time.Timestamp): boolean => session.idleUntil > now && session.endsAt > now

const deletion = (stored: Commit.Stored<Session>): Commit.Write => Commit.remove("session", stored.record.id, stored)

const sessionsOf = (userId: string) =>
  Effect.flatMap(Records, (records) =>
    Effect.map(records.list("session", { where: { userId }, limit: "all" }), ({ items }) => items)
  )

/** The sessions of a user that make room for one more: those that ended, and the ones that were used least lately. */
const leaving = (all: ReadonlyArray<Commit.Stored<Session>>, now: Time.Timestamp) => {
  const open = all
    .filter(({ record }) => isOpen(record, now))
    .sort((one, other) => (one.record.lastSeenAt < other.record.lastSeenAt ? 1 : -1))
  const kept = new Set(open.slice(0, Limits.sessionsPerUser - 1))
  return all.filter((each) => !kept.has(each))
}

/** Begins a session, and answers its secret this once. `entering` decides for whom, at the time that it is given. */
const begin = <E, R>(userAgent: string, entering: (now: Time.Timestamp) => Effect.Effect<Entry, E, R>) =>
  Effect.gen(function* () {
    const text = yield* randomText(Limits.sessionBytes)
    const hash = yield* sha256(Redacted.value(text))
    const session = yield* decideAndCommit(
      Effect.gen(function* () {
        const ms = yield* Time.nowMillis
        const now = Time.fromMillis(ms)
        const { endsBy, how, scopes, tokenId, userId, writes } = yield* entering(now)
        // Writing the user guards the number of sessions, and that they are let in, against a racing request.
        const user = yield* demandEnabled(userId)
        const last = Time.fromMillis(ms + Limits.sessionMaxMs)
        const made: Session = {
          id: `ses_${yield* makeUlid}`,
          userId: user.record.id,
          tokenId,
          hash,
          scopes,
          createdAt: now,
          lastSeenAt: now,
          idleUntil: Time.fromMillis(ms + Limits.sessionIdleMs),
          endsAt: endsBy !== null && endsBy < last ? endsBy : last,
          userAgent: userAgent.slice(0, Limits.userAgentLength),
          how
        }
        return {
          answer: made,
          commit: {
            name: "Sessions.begin",
            projectId: null,
            writes: [
              Commit.update("user", user, {}),
              ...leaving(yield* sessionsOf(userId), now).map(deletion),
              ...writes,
              Commit.insert("session", made)
            ]
          }
        }
      })
    )
    return { session, text }
  })

/** Signs in whoever has this token, for no more than it may do. Fails with `Unauthenticated`. */
export const beginByToken = Effect.fnUntraced(function* (token: Redacted.Redacted, userAgent: string) {
  const caller = yield* authenticateToken(token)
  return yield* begin(
    userAgent,
    Effect.fnUntraced(function* () {
      const bounds = yield* boundsOf(caller.token.id)
      return { ...bounds, userId: caller.user.id, how: "token", writes: [] } satisfies Entry
    })
  ).pipe(Effect.catchTag("Unknown", () => new Unauthenticated({ reason: "disabled" })))
}, Effect.withSpan("Sessions.beginByToken"))

const everything = { tokenId: null, scopes: [...allScopes], endsBy: null }

/** What a session may do that a token began, and until when. Fails with `Unauthenticated` when the token counts no more. */
const boundsOf = Effect.fnUntraced(function* (id: string) {
  const found = yield* find("token", id)
  if (found === null) return yield* new Unauthenticated({ reason: "unknown" })
  const { token } = yield* callerOf(found.record)
  return { tokenId: found.record.id, scopes: [...token.scopes], endsBy: token.expiresAt }
})

/**
 * Signs in whom a link's code lets in, within what the token may that made the link, and uses the code up. Fails with
 * `CodeRefused` or `Unauthenticated`.
 */
export const beginByCode = (code: Redacted.Redacted, userAgent: string) =>
  begin(
    userAgent,
    Effect.fnUntraced(function* (now) {
      const { tokenId, userId, writes } = yield* using(code, now)
      const bounds = tokenId === null ? everything : yield* boundsOf(tokenId)
      return { ...bounds, userId, writes, how: "link" } satisfies Entry
    })
  ).pipe(
    Effect.catchTag("Unknown", () => new Unauthenticated({ reason: "disabled" })),
    Effect.withSpan("Sessions.beginByCode")
  )

/**
 * Signs in a user whom a provider of identities told, and uses up the state that it was asked with. Fails with
 * `CodeRefused` when that was used before, and with `Unauthenticated` for a user who was disabled.
 */
export const beginByProvider = (userId: string, state: Redacted.Redacted, userAgent: string) =>
  begin(userAgent, (now) =>
    Effect.map(
      spending(state, now),
      (writes) => ({ ...everything, userId, how: "oidc" as const, writes }) satisfies Entry
    )
  ).pipe(
    Effect.catchTag("Unknown", () => new Unauthenticated({ reason: "disabled" })),
    Effect.withSpan("Sessions.beginByProvider")
  )

const ways: Readonly<Record<SignInWay, string>> = {
  token: "a browser, by a token",
  link: "a browser, by a link",
  oidc: "a browser, by the provider of identities"
}

/** Who is in a session. Fails with `Unauthenticated` when it lets in nobody any more. */
export const callerIn = Effect.fnUntraced(function* (session: Session) {
  if (!isOpen(session, yield* Time.now)) return yield* new Unauthenticated({ reason: "ended" })
  const began = session.tokenId === null ? null : yield* find("token", session.tokenId)
  if (session.tokenId !== null && began === null) return yield* new Unauthenticated({ reason: "ended" })
  // A session never outlives the token that began it.
  const expiresAt = began === null ? null : (yield* callerOf(began.record)).token.expiresAt
  const user = yield* letIn(session.userId)
  return {
    user,
    token: { id: session.id, name: ways[session.how], scopes: session.scopes, expiresAt }
  } satisfies Caller
})

/** Says that a session was used, when that was not said lately. Somebody else who says so meanwhile is as good. */
const seen = Effect.fnUntraced(function* (stored: Commit.Stored<Session>) {
  const ms = yield* Time.nowMillis
  if (ms - Time.toMillis(stored.record.lastSeenAt) < Limits.sessionSeenMs) return
  const idleUntil = Time.fromMillis(ms + Limits.sessionIdleMs)
  const write = Commit.update("session", stored, { lastSeenAt: Time.fromMillis(ms), idleUntil })
  const commit = { name: "Sessions.seen", projectId: null, writes: [write] }
  yield* Effect.flatMap(Ledger, (ledger) => ledger.commit(commit)).pipe(Effect.catchTag("Conflict", () => Effect.void))
})

/** What a session's secret leaves behind where the secret itself must not be: its digest, which lets nobody in. */
export const traceOf = (secret: Redacted.Redacted): Effect.Effect<string> => sha256(Redacted.value(secret))

const traced = (hash: string) =>
  Effect.flatMap(Records, (records) =>
    Effect.map(records.list("session", { where: { hash }, limit: 1 }), ({ items }) => items[0] ?? null)
  )

const stored = (secret: Redacted.Redacted) => Effect.flatMap(traceOf(secret), traced)

/** Who is in the session of this secret, which counts as used. Fails with `Unauthenticated`. */
export const authenticate = Effect.fnUntraced(function* (secret: Redacted.Redacted) {
  const found = yield* stored(secret)
  if (found === null) return yield* new Unauthenticated({ reason: "ended" })
  const caller = yield* callerIn(found.record)
  yield* seen(found)
  return caller
})

/** The open sessions of a user, the one that was used last first. */
export const list = Effect.fnUntraced(function* (userId: string) {
  const now = yield* Time.now
  return (yield* sessionsOf(userId))
    .map(({ record }) => record)
    .filter((each) => isOpen(each, now))
    .sort((one, other) => (one.lastSeenAt < other.lastSeenAt ? 1 : -1))
})

const ending = Effect.fnUntraced(function* (id: string) {
  const session = yield* find("session", id)
  if (session === null) return { answer: null }
  return { answer: null, commit: { name: "Sessions.end", projectId: null, writes: [deletion(session)] } }
})

/** Ends the session whose secret left this trace. One that there is not any more is no failure. */
export const endTraced = Effect.fnUntraced(function* (trace: string) {
  const found = yield* traced(trace)
  if (found !== null) yield* decideAndCommit(ending(found.record.id))
}, Effect.withSpan("Sessions.end"))

/** Ends the session of this secret, as `endTraced` does. */
export const end = (secret: Redacted.Redacted) => Effect.flatMap(traceOf(secret), endTraced)

/** Ends a session for its user, or for who answers for the user. For everybody else it does not exist. */
export const endFor = Effect.fnUntraced(function* (callerId: string, id: string) {
  const missing = new Unknown({ kind: "session", id })
  const session = yield* find("session", id)
  if (session === null) return yield* missing
  if (session.record.userId !== callerId)
    yield* requireKeeper(callerId, session.record.userId).pipe(
      Effect.catchTags({ InsufficientRole: () => missing, Unknown: () => missing })
    )
  yield* decideAndCommit(ending(id))
}, Effect.withSpan("Sessions.endFor"))
