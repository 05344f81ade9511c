import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import * as MemorySecrets from "@pawl/adapters-memory/MemorySecrets"
import * as Devices from "@pawl/core/access/Devices"
import * as Identities from "@pawl/core/access/Identities"
import * as Organizations from "@pawl/core/access/Organizations"
import * as Sessions from "@pawl/core/access/Sessions"
import * as SignInCodes from "@pawl/core/access/SignInCodes"
import { requireStillIn } from "@pawl/core/access/StillIn"
import * as Tokens from "@pawl/core/access/Tokens"
import * as Commit from "@pawl/core/ledger/Commit"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import type { Kind } from "@pawl/core/model/Entities"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Time from "@pawl/core/primitives/Time"

const layer = Layer.mergeAll(MemoryLedger.layerMemory, MemorySecrets.layerMemory)

const run = <A, E>(program: Effect.Effect<A, E, Layer.Success<typeof layer>>): Promise<A> =>
  Effect.runPromise(program.pipe(Effect.provide(layer), Effect.provide(TestClock.layer())))

const token = Redacted.make("pawl_first-token")
const begin = Effect.map(Organizations.bootstrap({ organization: "Home", owner: "Owner", token }), ({ user }) => user)
const ended = { _tag: "Unauthenticated", reason: "ended" }
const minute = 60_000
const hour = 60 * minute
const count = (kind: Kind) =>
  Effect.flatMap(Records, (records) => Effect.map(records.list(kind, { limit: "all" }), ({ items }) => items.length))

describe("A session", () => {
  it("ends after 12 hours without use, to the millisecond", () =>
    run(
      Effect.gen(function* () {
        yield* begin
        const { text } = yield* Sessions.beginByToken(token, "")
        yield* TestClock.adjust(12 * hour - 1)
        const caller = yield* Sessions.authenticate(text)
        // It was used: it has 12 hours again.
        yield* TestClock.adjust(12 * hour - 1)
        yield* requireStillIn(caller)
        yield* TestClock.adjust(1)
        expect(yield* Effect.flip(Sessions.authenticate(text))).toMatchObject(ended)
        expect(yield* Effect.flip(requireStillIn(caller))).toMatchObject(ended)
      })
    ))

  it("ends after 7 days, however much it is used", () =>
    run(
      Effect.gen(function* () {
        yield* begin
        const { text } = yield* Sessions.beginByToken(token, "")
        for (let hours = 0; hours < 7 * 24 - 1; hours++) {
          yield* TestClock.adjust(hour)
          yield* Sessions.authenticate(text)
        }
        yield* TestClock.adjust(hour)
        expect(yield* Effect.flip(Sessions.authenticate(text))).toMatchObject(ended)
      })
    ))

  it("ends no later than the token that began it", () =>
    run(
      Effect.gen(function* () {
        const owner = yield* begin
        const expiresAt = Time.fromMillis((yield* Time.nowMillis) + hour)
        const short = yield* Tokens.issue(owner.id, { name: "short", expiresAt }, Tokens.operator)
        const { session, text } = yield* Sessions.beginByToken(short.text, "")
        expect(session.endsAt).toBe(expiresAt)
        yield* TestClock.adjust(hour)
        expect(yield* Effect.flip(Sessions.authenticate(text))).toMatchObject(ended)
      })
    ))

  it("is written once in 5 minutes, however often it is used", () =>
    run(
      Effect.gen(function* () {
        yield* begin
        const { session, text } = yield* Sessions.beginByToken(token, "")
        const revision = Effect.flatMap(Records, (records) =>
          Effect.map(records.list("session", {}), ({ items }) => items[0]?.revision)
        )
        for (let n = 0; n < 10; n++) yield* Sessions.authenticate(text)
        yield* TestClock.adjust(5 * minute - 1)
        yield* Sessions.authenticate(text)
        expect(yield* revision).toBe(1)
        yield* TestClock.adjust(1)
        yield* Effect.all(
          Array.from({ length: 10 }, () => Sessions.authenticate(text)),
          { concurrency: "unbounded" }
        )
        expect(yield* revision).toBe(2)
        const [seen] = yield* Sessions.list(session.userId)
        expect(seen?.lastSeenAt).toBe(Time.fromMillis(Time.toMillis(session.createdAt) + 5 * minute))
      })
    ))

  it("that has ended is in no list, and its row goes when another begins", () =>
    run(
      Effect.gen(function* () {
        const owner = yield* begin
        for (let n = 0; n < 5; n++) yield* Sessions.beginByToken(token, "")
        yield* TestClock.adjust(12 * hour)
        expect(yield* Sessions.list(owner.id)).toEqual([])
        yield* Sessions.beginByToken(token, "")
        expect(yield* count("session")).toBe(1)
      })
    ))

  it("keeps of what a browser says of itself the beginning", () =>
    run(
      Effect.gen(function* () {
        yield* begin
        const { session } = yield* Sessions.beginByToken(token, "x".repeat(10_000))
        expect(session.userAgent).toBe("x".repeat(Limits.userAgentLength))
      })
    ))
})

describe("A code that opens once", () => {
  it("opens nothing after 10 minutes", () =>
    run(
      Effect.gen(function* () {
        const owner = yield* begin
        const [early, late] = [yield* SignInCodes.offer(owner.id), yield* SignInCodes.offer(owner.id)]
        yield* TestClock.adjust(10 * minute - 1)
        yield* Sessions.beginByCode(early, "")
        yield* TestClock.adjust(1)
        expect(yield* Effect.flip(Sessions.beginByCode(late, ""))).toMatchObject({
          _tag: "CodeRefused",
          reason: "expired"
        })
      })
    ))

  it("begins no more than the token may that made it, and nothing that ends after it", () =>
    run(
      Effect.gen(function* () {
        const owner = yield* begin
        const expiresAt = Time.fromMillis((yield* Time.nowMillis) + hour)
        const asked = { name: "narrow", expiresAt, scopes: ["read", "admin"] } as const
        const made = yield* Tokens.issue(owner.id, asked, Tokens.operator)
        const caller = yield* Tokens.authenticate(made.text)
        const [first, second] = [yield* SignInCodes.offerBy(caller), yield* SignInCodes.offerBy(caller)]
        expect(first.expiresAt).toBe(Time.fromMillis((yield* Time.nowMillis) + 10 * minute))
        const { session, text } = yield* Sessions.beginByCode(first.text, "")
        expect(session).toMatchObject({ how: "link", scopes: ["read", "admin"], endsAt: expiresAt })
        const inside = yield* Sessions.authenticate(text)
        expect(yield* Effect.flip(SignInCodes.offerBy(inside))).toMatchObject({ _tag: "LinkNeedsToken" })
        yield* Tokens.revoke(made.token.id)
        const revoked = { _tag: "Unauthenticated", reason: "revoked" }
        expect(yield* Effect.flip(Sessions.beginByCode(second.text, ""))).toMatchObject(revoked)
        expect(yield* Effect.flip(Sessions.authenticate(text))).toMatchObject(revoked)
      })
    ))

  it("leaves no rows behind for ever: each that is made takes ended ones away", () =>
    run(
      Effect.gen(function* () {
        const owner = yield* begin
        for (let n = 0; n < 20; n++) yield* SignInCodes.offer(owner.id)
        yield* TestClock.adjust(10 * minute)
        for (let n = 0; n < 3; n++) yield* SignInCodes.offer(owner.id)
        expect(yield* count("signInCode")).toBe(3)
      })
    ))

  it("that a provider was asked with is used up by the first sign-in, and lets nobody in by itself", () =>
    run(
      Effect.gen(function* () {
        const owner = yield* begin
        const state = Redacted.make("a state of a question")
        yield* Sessions.beginByProvider(owner.id, state, "")
        const refused = { _tag: "CodeRefused", reason: "used" }
        expect(yield* Effect.flip(Sessions.beginByProvider(owner.id, state, ""))).toMatchObject(refused)
        expect(yield* Effect.flip(Sessions.beginByCode(state, ""))).toMatchObject({ reason: "unknown" })
      })
    ))

  it("lets in nobody who was disabled meanwhile", () =>
    run(
      Effect.gen(function* () {
        const owner = yield* begin
        const code = yield* SignInCodes.offer(owner.id)
        const records = yield* Records
        const user = (yield* records.list("user", {})).items[0]!
        const write = Commit.update("user", user, { disabledAt: yield* Time.now })
        yield* (yield* Ledger).commit({ name: "test", projectId: null, writes: [write] })
        expect(yield* Effect.flip(Sessions.beginByCode(code, ""))).toMatchObject({
          _tag: "Unauthenticated",
          reason: "disabled"
        })
      })
    ))
})

describe("A device's question", () => {
  it("comes to nothing after 10 minutes, and its row goes", () =>
    run(
      Effect.gen(function* () {
        const caller = yield* Effect.andThen(begin, Tokens.authenticate(token))
        const asked = yield* Devices.offer("a laptop")
        yield* TestClock.adjust(10 * minute)
        const expired = { _tag: "CodeRefused", reason: "expired" }
        expect(yield* Effect.flip(Devices.confirm(caller, asked.userCode, true))).toMatchObject(expired)
        expect(yield* Effect.flip(Devices.redeem(asked.deviceCode))).toMatchObject(expired)
        yield* Devices.offer("another")
        expect(yield* count("deviceGrant")).toBe(1)
      })
    ))
})

describe("A subject of a provider", () => {
  const subject = { issuer: "https://id.example", subject: "248289761001", names: ["  Jane Doe ", "jane"] }

  it("becomes a user who is a member of nothing, and is the same one each time", () =>
    run(
      Effect.gen(function* () {
        yield* begin
        const id = yield* Identities.userOf(subject)
        expect(yield* Identities.userOf({ ...subject, names: ["Another name"] })).toBe(id)
        const records = yield* Records
        expect((yield* records.get("user", id)).pipe((found) => found)).toMatchObject({
          value: { record: { id, name: "Jane Doe" } }
        })
        expect((yield* records.list("organizationMember", { where: { userId: id } })).items).toEqual([])
      })
    ))

  it("is one user, however many ask at the same time", () =>
    run(
      Effect.gen(function* () {
        const ids = yield* Effect.all(
          Array.from({ length: 20 }, () => Identities.userOf(subject)),
          { concurrency: "unbounded" }
        )
        expect(new Set(ids).size).toBe(1)
        expect(yield* count("user")).toBe(1)
      })
    ))

  it("is told apart from that of another provider, and from another of the same", () =>
    run(
      Effect.gen(function* () {
        const id = yield* Identities.userOf(subject)
        expect(yield* Identities.userOf({ ...subject, issuer: "https://other.example" })).not.toBe(id)
        expect(yield* Identities.userOf({ ...subject, subject: "248289761002" })).not.toBe(id)
      })
    ))

  it("is called by its subject where no name of its can be one here", () =>
    run(
      Effect.gen(function* () {
        const id = yield* Identities.userOf({ ...subject, names: ["", "   "] })
        const { items } = yield* (yield* Records).list("user", {})
        expect(items.find(({ record }) => record.id === id)?.record.name).toBe("248289761001")
      })
    ))

  it.each(["", "x".repeat(256)])("is refused where it is none: %#", (none) =>
    run(
      Effect.gen(function* () {
        expect(yield* Effect.flip(Identities.userOf({ ...subject, subject: none }))).toMatchObject({ field: "sub" })
        expect(yield* count("user")).toBe(0)
      })
    )
  )
})
