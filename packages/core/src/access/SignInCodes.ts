/** Codes that open once: of the link that an operator is shown, and of what a provider of identities is asked with. */
import { Effect, Redacted, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import type { SignInCode } from "../model/SignIn.ts"
import { sha256, sha256AtOnce } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { Secrets } from "./Secrets.ts"
import { type Caller, demandEnabled } from "./Tokens.ts"

const words = {
  unknown: "This code is not one of this installation's.",
  used: "This code was used before. A code opens once.",
  expired: "This code has expired. Ask for a new one."
}

/** A code opens nothing. `reason` says why. */
export class CodeRefused extends Schema.TaggedError<CodeRefused>()("CodeRefused", {
  reason: Schema.Literals(["unknown", "used", "expired"])
}) {
  override get message() {
    return words[this.reason]
  }
}

/** A text that nobody can guess, of so many random bytes. */
export const randomText = (bytes: number): Effect.Effect<Redacted.Redacted, never, Secrets> =>
  Effect.flatMap(Secrets, (secrets) =>
    Effect.map(secrets.bytes(bytes), (drawn) => Redacted.make(Base64Url.encode(drawn)))
  )

/** The deletion of the oldest codes that have ended, a few with each that is made: they never pile up. */
const sweeping = Effect.fnUntraced(function* (now: Time.Timestamp) {
  const { items } = yield* (yield* Records).list("signInCode", { limit: Limits.signInCodesSwept })
  return items
    .filter(({ record }) => record.expiresAt <= now)
    .map((ended) => Commit.remove("signInCode", ended.record.hash, ended))
})

const offering = Effect.fnUntraced(function* (userId: string, by: Pick<SignInCode, "tokenId">) {
  const text = yield* randomText(Limits.signInCodeBytes)
  const hash = yield* sha256(Redacted.value(text))
  const { expiresAt } = yield* decideAndCommit(
    Effect.gen(function* () {
      const user = yield* demandEnabled(userId)
      const ms = yield* Time.nowMillis
      const createdAt = Time.fromMillis(ms)
      const code: SignInCode = {
        hash,
        userId: user.record.id,
        ...by,
        createdAt,
        expiresAt: Time.fromMillis(ms + Limits.signInCodeMs),
        usedAt: null
      }
      const writes = [...(yield* sweeping(createdAt)), Commit.insert("signInCode", code)]
      return { answer: code, commit: { name: "SignInCodes.offer", projectId: null, writes } }
    })
  )
  return { text, expiresAt }
}, Effect.withSpan("SignInCodes.offer"))

/** A new code that lets a user in once, within `Limits.signInCodeMs`. Fails with `Unknown` for one who was disabled. */
export const offer = (userId: string) => Effect.map(offering(userId, {}), ({ text }) => text)

/** A link is made with a token, which bounds what it begins. The caller came with something else. */
export class LinkNeedsToken extends Schema.TaggedError<LinkNeedsToken>()("LinkNeedsToken", {}) {
  override get message() {
    return "A link to sign in by is made with a token: a browser's session makes none."
  }
}

/**
 * The same by somebody's own token: what it begins may do what that token may, and ends with it. Fails with
 * `LinkNeedsToken` for who came with a session, or with a token for one Task.
 */
export const offerBy = Effect.fnUntraced(function* ({ run, token, user }: Caller) {
  const found = run === undefined ? yield* find("token", token.id) : null
  if (found === null) return yield* new LinkNeedsToken()
  return yield* offering(user.id, { tokenId: found.record.id })
})

/** Whom a code lets in, by which token, and the write that uses it up. Fails with `CodeRefused`. */
export const using = Effect.fnUntraced(function* (text: Redacted.Redacted, now: Time.Timestamp) {
  const code = yield* find("signInCode", sha256AtOnce(Redacted.value(text)))
  // What a provider was asked with lets nobody in by itself.
  if (code === null || code.record.userId === null) return yield* new CodeRefused({ reason: "unknown" })
  if (code.record.usedAt !== null) return yield* new CodeRefused({ reason: "used" })
  if (code.record.expiresAt <= now) return yield* new CodeRefused({ reason: "expired" })
  const { tokenId = null, userId } = code.record
  return { userId, tokenId, writes: [Commit.update("signInCode", code, { usedAt: now })] }
})

/**
 * The writes that use up what a provider was asked with: there is no row of it before, so that strangers who ask leave
 * none. Fails with `CodeRefused` the second time.
 */
export const spending = Effect.fnUntraced(function* (state: Redacted.Redacted, now: Time.Timestamp) {
  const hash = sha256AtOnce(Redacted.value(state))
  if ((yield* find("signInCode", hash)) !== null) return yield* new CodeRefused({ reason: "used" })
  const expiresAt = Time.fromMillis(Time.toMillis(now) + Limits.signInCodeMs)
  const spent: SignInCode = { hash, userId: null, createdAt: now, expiresAt, usedAt: now }
  return [...(yield* sweeping(now)), Commit.insert("signInCode", spent)]
})
