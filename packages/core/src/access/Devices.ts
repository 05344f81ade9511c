/**
 * Devices that ask to be let in (RFC 8628): a command line shows a code, a person types it where they are signed in, and
 * the command line fetches a token of theirs.
 */
import { Effect, Redacted, Schema } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import type { DeviceGrant } from "../model/SignIn.ts"
import { sha256, sha256AtOnce } from "../primitives/Digest.ts"
import { makeUlid } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { checkName } from "./Names.ts"
import { Secrets } from "./Secrets.ts"
import { CodeRefused, randomText } from "./SignInCodes.ts"
import { type Caller, generate, issuing } from "./Tokens.ts"

/** Nobody has answered yet. Ask again in `retryAfterSeconds`. */
export class DevicePending extends Schema.TaggedError<DevicePending>()("DevicePending", {
  retryAfterSeconds: Schema.Finite
}) {
  override get message() {
    return `Nobody has answered yet. Ask again in ${this.retryAfterSeconds} s.`
  }
}

/** The person said no. */
export class DeviceDenied extends Schema.TaggedError<DeviceDenied>()("DeviceDenied", {}) {
  override get message() {
    return "The person who was asked said no."
  }
}

/** Letters that make no words and are not taken for one another (RFC 8628, 6.1). */
const letters = "BCDFGHJKLMNPQRSTVWXZ"

/** As it is compared: people type small letters, and dashes or none. */
const normal = (userCode: string): string => userCode.toUpperCase().replace(/[^A-Z]/g, "")

/** Bytes as letters, each as likely as any: those that would favour some are passed over. */
const drawUserCode = Effect.fnUntraced(function* () {
  const { bytes } = yield* Secrets
  const fair = 256 - (256 % letters.length)
  let text = ""
  while (text.length < Limits.userCodeLength)
    for (const byte of yield* bytes(Limits.userCodeLength))
      if (byte < fair && text.length < Limits.userCodeLength) text += letters[byte % letters.length]
  return `${text.slice(0, Limits.userCodeLength / 2)}-${text.slice(Limits.userCodeLength / 2)}`
})

const one = Effect.fnUntraced(function* (where: { readonly hash: string } | { readonly userCode: string }) {
  // The newest: of codes that people type one may come again after years.
  const { items } = yield* (yield* Records).list("deviceGrant", { where, order: "newest", limit: 1 })
  return items[0] ?? null
})

const deletion = (stored: Commit.Stored<DeviceGrant>): Commit.Write =>
  Commit.remove("deviceGrant", stored.record.id, stored)

/** What a device is told: `deviceCode` is for itself alone, `userCode` for the person. */
export interface Offered {
  readonly deviceCode: Redacted.Redacted
  readonly userCode: string
  readonly expiresInSeconds: number
  /** How long it waits between two questions. */
  readonly intervalSeconds: number
}

/** A device asks. Anyone may, so that its question is short-lived. Fails with `InvalidField` for a name that is none. */
export const offer = Effect.fnUntraced(function* (name: string) {
  yield* checkName("name", name, Limits.deviceNameLength)
  const deviceCode = yield* randomText(Limits.signInCodeBytes)
  const userCode = yield* drawUserCode()
  const [hash, userCodeHash] = yield* Effect.all([sha256(Redacted.value(deviceCode)), sha256(normal(userCode))])
  yield* decideAndCommit(
    Effect.gen(function* () {
      const ms = yield* Time.nowMillis
      const now = Time.fromMillis(ms)
      const old = yield* (yield* Records).list("deviceGrant", { limit: Limits.signInCodesSwept })
      const grant: DeviceGrant = {
        id: `dev_${yield* makeUlid}`,
        hash,
        userCodeHash,
        name,
        createdAt: now,
        expiresAt: Time.fromMillis(ms + Limits.deviceCodeMs),
        answer: null,
        userId: null,
        scopes: [],
        endsBy: null
      }
      const ended = old.items.filter(({ record }) => record.expiresAt <= now).map(deletion)
      const writes = [...ended, Commit.insert("deviceGrant", grant)]
      return { answer: null, commit: { name: "Devices.offer", projectId: null, writes } }
    })
  )
  return {
    deviceCode,
    userCode,
    expiresInSeconds: Limits.deviceCodeMs / 1000,
    intervalSeconds: Limits.devicePollMs / 1000
  } satisfies Offered
}, Effect.withSpan("Devices.offer"))

/**
 * A person answers the device whose code they typed. Its token may do what they may at that time, and ends with theirs.
 * Answers the device's name. Fails with `CodeRefused`.
 */
export const confirm = (caller: Caller, userCode: string, allow: boolean) =>
  decideAndCommit(
    Effect.gen(function* () {
      const grant = yield* one({ userCode: sha256AtOnce(normal(userCode)) })
      if (grant === null) return yield* new CodeRefused({ reason: "unknown" })
      if (grant.record.answer !== null) return yield* new CodeRefused({ reason: "used" })
      if (grant.record.expiresAt <= (yield* Time.now)) return yield* new CodeRefused({ reason: "expired" })
      const answered: DeviceGrant = {
        ...grant.record,
        answer: allow ? "allowed" : "denied",
        userId: caller.user.id,
        scopes: [...caller.token.scopes],
        endsBy: caller.token.expiresAt
      }
      const write = Commit.update("deviceGrant", grant, answered)
      return {
        answer: grant.record.name,
        commit: { name: "Devices.confirm", projectId: null, writes: [write] }
      }
    })
  ).pipe(Effect.withSpan("Devices.confirm"))

/**
 * What a device gets for its code: a new token, this once. Fails with `DevicePending`, `DeviceDenied`, `CodeRefused`, or
 * as issuing a token does.
 */
export const redeem = Effect.fnUntraced(function* (deviceCode: Redacted.Redacted) {
  const text = yield* generate
  const hash = yield* sha256(Redacted.value(deviceCode))
  const token = yield* decideAndCommit(
    Effect.gen(function* () {
      const grant = yield* one({ hash })
      // Once its token was fetched there is no grant any more.
      if (grant === null) return yield* new CodeRefused({ reason: "unknown" })
      const { answer, endsBy, expiresAt, name, scopes, userId } = grant.record
      if (expiresAt <= (yield* Time.now)) return yield* new CodeRefused({ reason: "expired" })
      if (answer === "denied") return yield* new DeviceDenied()
      if (answer === null || userId === null)
        return yield* new DevicePending({ retryAfterSeconds: Limits.devicePollMs / 1000 })
      const issued = yield* issuing(userId, text, { name, scopes, ...(endsBy === null ? {} : { expiresAt: endsBy }) })
      const writes = [...issued.commit.writes, deletion(grant)]
      return { answer: issued.answer, commit: { name: "Devices.redeem", projectId: null, writes } }
    })
  )
  return { token, text }
}, Effect.withSpan("Devices.redeem"))
