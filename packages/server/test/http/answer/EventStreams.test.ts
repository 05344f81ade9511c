/** What ends an open event stream, with the clock in hand. */
import { bootstrap, firstOrganizationId } from "@pawl/core/access/Organizations"
import { system } from "@pawl/core/model/Actor"
import * as Keepers from "@pawl/core/access/Keepers"
import * as Members from "@pawl/core/access/Members"
import * as Tokens from "@pawl/core/access/Tokens"
import * as Users from "@pawl/core/access/Users"
import * as Commit from "@pawl/core/ledger/Commit"
import { Ledger } from "@pawl/core/ledger/Ledger"
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import { ServerLimits } from "@pawl/server/ServerLimits"
import { CurrentUser } from "@pawl/server/api"
import * as EventStreams from "@pawl/server/http/answer/EventStreams"
import { WebCryptoSecrets } from "@pawl/server/http/index"
import { Clock, Deferred, Duration, Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"

const layer = Layer.mergeAll(MemoryLedger.layerMemory, WebCryptoSecrets.layer, EventStreams.layer)
const projectId = "proj_00000000-0000-4000-8000-000000000001"
const time = "2026-01-01T00:00:00.000Z"

/** A viewer's stream that was answered and is not read yet. */
const answered = Effect.gen(function* () {
  const { user: owner } = yield* bootstrap({
    organization: "Home",
    owner: "Owner",
    token: Redacted.make("pawl_owner-token")
  })
  const project = {
    id: projectId,
    organizationId: firstOrganizationId,
    slug: "a",
    name: "a",
    label: "a",
    status: "active",
    createdBy: owner.id
  } as const
  const ledger = yield* Ledger
  const slug = { organizationId: firstOrganizationId, slug: "a", projectId } as const
  yield* ledger.commit({ name: "test", projectId: null, writes: [Commit.insert("slug", slug)] })
  const stored = { ...project, createdAt: time, updatedAt: time, cleanedAt: null }
  yield* ledger.commit({ name: "test", projectId, writes: [Commit.insert("project", stored)] })
  const { user, text } = yield* Users.create(owner.id, { name: "Viewer" }, Tokens.operator)
  yield* Members.replace(projectId, [{ userId: user.id, role: "viewer" }])
  const caller = yield* Tokens.authenticate(text)
  const asleep = yield* Deferred.make<void>()
  const clock = yield* Clock.Clock
  const watched: Clock.Clock = Object.assign(Object.create(clock), {
    sleep: (duration: Duration.Duration) => {
      if (Duration.toMillis(duration) === ServerLimits.eventHeartbeatMs) Deferred.doneUnsafe(asleep, Effect.void)
      return clock.sleep(duration)
    }
  })
  const response = yield* EventStreams.eventStream(projectId, 0, () => true).pipe(
    Effect.provideService(CurrentUser, caller),
    Effect.provideService(Clock.Clock, watched)
  )
  if (response.body._tag !== "Stream") return yield* Effect.die(new Error("no stream"))
  const { stream } = response.body
  const read = Stream.runFold(
    stream,
    () => "",
    (text, bytes) => text + new TextDecoder().decode(bytes)
  )
  return { caller, read, asleep }
})

/** The same, read until it ends. */
const openStream = Effect.gen(function* () {
  const { asleep, caller, read } = yield* answered
  const reading = yield* Effect.forkChild(read)
  // The reader takes its first bytes, and waits for the first beat, before the clock moves.
  yield* Deferred.await(asleep)
  return { caller, reading }
})

const run = <A, E>(program: Effect.Effect<A, E, Layer.Success<typeof layer>>): Promise<A> =>
  Effect.runPromise(program.pipe(Effect.provide(layer), Effect.provide(TestClock.layer())))

const lasting = (beats: number) => TestClock.adjust(ServerLimits.eventHeartbeatMs * beats)

describe("An open event stream", () => {
  it("says that it is there while nothing happens", () =>
    run(
      Effect.gen(function* () {
        const { reading } = yield* openStream
        yield* lasting(100)
        expect(reading.pollUnsafe()).toBe(undefined)
        yield* Fiber.interrupt(reading)
      })
    ))

  it("ends at the next beat after its reader's role is gone", () =>
    run(
      Effect.gen(function* () {
        const { reading } = yield* openStream
        yield* lasting(2)
        yield* Members.replace(projectId, [])
        yield* lasting(1)
        expect(yield* Fiber.join(reading)).toBe("retry: 1000\n\n: still here\n\n: still here\n\n")
      })
    ))

  it("ends at the next beat after its reader's token was revoked", () =>
    run(
      Effect.gen(function* () {
        const { caller, reading } = yield* openStream
        yield* Tokens.revoke(caller.token.id)
        yield* lasting(1)
        expect(yield* Fiber.join(reading)).toBe("retry: 1000\n\n")
      })
    ))

  it("ends at once when it is told to look and its reader was disabled", () =>
    run(
      Effect.gen(function* () {
        const { caller, reading } = yield* openStream
        yield* lasting(1)
        yield* Keepers.disable(caller.user.id, null)
        yield* EventStreams.lookAgain(yield* EventStreams.OpenStreams)
        expect(yield* Fiber.join(reading)).toBe("retry: 1000\n\n: still here\n\n")
      })
    ))

  it("ends without a beat where its reader's role ended before it was first read", () =>
    run(
      Effect.gen(function* () {
        const { read } = yield* answered
        yield* Members.replace(projectId, [])
        yield* EventStreams.lookAgain(yield* EventStreams.OpenStreams)
        expect(yield* read).toBe("retry: 1000\n\n")
      })
    ))

  it("tells nothing that happens a second after its reader's role is gone, whoever ended it", () =>
    run(
      Effect.gen(function* () {
        const { reading } = yield* openStream
        const happens = (n: number) =>
          Effect.gen(function* () {
            const type = "build.started"
            const events = [{ type, subject: `rel_${n}`, data: {}, actor: system("test") }] as const
            yield* (yield* Ledger).commit({ name: "test", projectId, events })
            yield* TestClock.adjust(0)
          })
        yield* happens(1)
        yield* Members.replace(projectId, [])
        yield* TestClock.adjust(ServerLimits.eventTrustMs)
        yield* happens(2)
        const read = yield* Fiber.join(reading)
        expect(read).toContain("rel_1")
        expect(read).not.toContain("rel_2")
      })
    ))
})
