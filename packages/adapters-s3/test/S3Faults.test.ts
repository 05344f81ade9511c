import type { S3Options } from "@pawl/adapters-s3/BucketAddress"
import * as S3ObjectStore from "@pawl/adapters-s3/S3ObjectStore"
import { ObjectStore, type ObjectStoreUnavailable } from "@pawl/core/objects/ObjectStore"
import { Effect, Exit, Fiber, Redacted, Stream } from "effect"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import * as AnswerProxy from "./AnswerProxy.ts"
import { makeBucket, optionsOf, withStore } from "./Buckets.ts"
import * as CutProxy from "./CutProxy.ts"
import * as S3Server from "./S3Server.ts"

type Store = typeof ObjectStore.Service

const missing = S3Server.whyNot()
if (missing !== null) console.warn(`SKIPPED: ${missing}`)

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (body: Uint8Array): string => new TextDecoder().decode(body)
const reasonOf = <A, E>(failing: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(failing), (problem) => {
    expect(problem).toMatchObject({ _tag: "ObjectStoreUnavailable" })
    return (problem as ObjectStoreUnavailable).reason
  })

/** All that is asked of a store, each once. */
const everything = (store: Store): ReadonlyArray<Effect.Effect<unknown, unknown>> => [
  store.put("k", bytes("x")),
  store.create("k", bytes("x")),
  store.get("k"),
  Stream.runDrain(store.stream("k")),
  Stream.runDrain(store.stream("k", { start: 0, end: 1 })),
  store.head("k"),
  store.copy("k", "l"),
  store.list(""),
  store.remove("k"),
  store.removePrefix("k/")
]

const reasons = (store: Store) => Effect.map(Effect.forEach(everything(store), reasonOf), (all) => [...new Set(all)])

describe.skipIf(missing !== null)("S3ObjectStore when things go wrong, on radosgw", () => {
  let server: S3Server.S3Server
  let options: S3Options
  beforeAll(async () => {
    server = await S3Server.start()
    options = await makeBucket(server)
  })
  afterAll(() => server?.stop())

  describe("with answers that are lost or late", () => {
    let proxy: CutProxy.CutProxy
    let through: S3Options
    beforeEach(async () => {
      proxy = await CutProxy.start(server.address)
      through = { ...options, endpoint: proxy.endpoint }
    })
    afterEach(() => proxy.close())

    it("does once what it was asked once, though each first answer is lost", () =>
      withStore(through, (store) =>
        Effect.gen(function* () {
          const losing = <A, E>(asked: Effect.Effect<A, E>) =>
            Effect.andThen(
              Effect.sync(() => proxy.lose(1)),
              asked
            )
          yield* losing(store.put("lost/a", bytes("one")))
          expect(text(yield* losing(store.get("lost/a")))).toBe("one")
          yield* losing(store.copy("lost/a", "lost/b"))
          expect((yield* losing(store.list("lost/"))).map(({ key }) => key)).toEqual(["lost/a", "lost/b"])
          expect((yield* losing(store.head("lost/b"))).sizeBytes).toBe(3)
          yield* losing(store.remove("lost/a"))
          yield* losing(store.removePrefix("lost/"))
          expect(yield* losing(store.list("lost/"))).toEqual([])
        })
      ))

    it("knows its own creation by its mark when the answer was lost, and takes no other's for it", () =>
      withStore(through, (store) =>
        Effect.gen(function* () {
          proxy.lose(1)
          expect(yield* store.create("mark/mine", bytes("mine"))).toBe(true)
          proxy.lose(1)
          expect(yield* store.create("mark/mine", bytes("again"))).toBe(false)
          expect(text(yield* store.get("mark/mine"))).toBe("mine")
          yield* store.put("mark/put", bytes("put"))
          proxy.lose(1)
          expect(yield* store.create("mark/put", bytes("again"))).toBe(false)
        })
      ))

    it("tells one of twenty that it created, whatever answers are lost on the way", () =>
      withStore(through, (store) =>
        Effect.gen(function* () {
          for (let round = 0; round < 5; round++) {
            const racers = Array.from({ length: 20 }, (_, i) => i)
            proxy.lose(10)
            const told = yield* Effect.forEach(
              racers,
              (i) => Effect.exit(store.create(`lossy/${round}`, bytes(`${i}`))),
              {
                concurrency: "unbounded"
              }
            )
            proxy.lose(0)
            const won = racers.filter((i) => Exit.isSuccess(told[i]!) && told[i].value)
            const unknown = racers.filter((i) => Exit.isFailure(told[i]!))
            const kept = Number(text(yield* store.get(`lossy/${round}`)))
            // Who was told nothing may have been the one.
            expect(won.length === 1 ? won : unknown).toContain(kept)
            expect(won.length).toBeLessThanOrEqual(1)
          }
        })
      ))

    it("gives up after some tries, and says that it does not know", () =>
      withStore(through, (store) =>
        Effect.gen(function* () {
          proxy.lose(Infinity)
          expect(yield* reasonOf(store.create("tries", bytes("x")))).toBe("the connection was cut")
          proxy.lose(0)
          expect(yield* store.create("tries", bytes("y"))).toBe(false)
        })
      ))

    const never = { connectMs: 600_000, answerMs: 600_000, silenceMs: 600_000 }

    it("fails when no answer comes in time, whatever was asked", () =>
      withStore(
        through,
        (store) => {
          proxy.holdAfter(0)
          return Effect.map(Effect.all(everything(store).map(reasonOf), { concurrency: "unbounded" }), (all) =>
            expect([...new Set(all)]).toEqual(["no answer in time"])
          )
        },
        { ...never, answerMs: 300 }
      ))

    it("fails when a body stops in the middle, and reads it whole when it goes on", () =>
      withStore(
        through,
        (store) =>
          Effect.gen(function* () {
            yield* store.put("halves", new Uint8Array(500_000).fill(7))
            proxy.holdAfter(100_000)
            expect(yield* reasonOf(store.get("halves"))).toBe("no answer in time")
            expect(yield* reasonOf(Stream.runDrain(store.stream("halves")))).toBe("no answer in time")
            proxy.holdAfter(Infinity)
            expect(yield* store.get("halves")).toEqual(new Uint8Array(500_000).fill(7))
          }),
        { ...never, silenceMs: 300 }
      ))

    it("lets a reader take its time: silence counts while it waits, not while it is waited for", async () => {
      const silent = await CutProxy.start(server.address)
      silent.holdAfter(0)
      const waits = { ...never, silenceMs: 300 }
      // Who asks there is given up three times: for so long nobody reads here.
      const pause = () =>
        withStore({ ...options, endpoint: silent.endpoint }, (store) => reasonOf(store.get("slow")), waits)
      const length = 20_000_000
      // The server may take longer to store that than a reader here waits.
      await withStore(through, (store) => store.put("slow", new Uint8Array(length)), never)
      await withStore(
        through,
        (store) =>
          Effect.gen(function* () {
            let taken = 0
            yield* Stream.runForEach(store.stream("slow"), (piece) => {
              const isFirst = taken === 0
              taken += piece.length
              return isFirst ? Effect.promise(pause) : Effect.void
            })
            expect(taken).toBe(length)
          }),
        waits
      )
      await silent.close()
    })

    it("ends its request when it is interrupted, before an answer and in the middle of one", () =>
      withStore(
        through,
        (store) =>
          Effect.gen(function* () {
            yield* store.put("long", new Uint8Array(500_000))
            for (const [limit, asked] of [
              [0, Effect.asVoid(store.put("other", bytes("x")))],
              [0, Effect.asVoid(store.get("long"))],
              [100_000, Effect.asVoid(store.get("long"))],
              [0, Stream.runDrain(store.stream("long"))],
              [100_000, Stream.runDrain(store.stream("long"))]
            ] as const) {
              proxy.holdAfter(limit)
              const fiber = yield* Effect.forkChild(Effect.asVoid<void, unknown, never>(asked))
              yield* Effect.promise(proxy.held)
              yield* Fiber.interrupt(fiber)
              yield* Effect.promise(proxy.given)
            }
          }),
        never
      ))
  })

  it("knows its own creation though a proxy on the way has asked twice", async () => {
    const proxy = await AnswerProxy.start(server.address, async (asked, send) => {
      if (asked.method === "PUT") await send()
      return send()
    })
    try {
      await withStore({ ...options, endpoint: proxy.endpoint }, (store) =>
        Effect.gen(function* () {
          expect(yield* store.create("twice", bytes("mine"))).toBe(true)
          expect(yield* store.create("twice", bytes("again"))).toBe(false)
        })
      )
    } finally {
      await proxy.close()
    }
  })

  it("creates anew when what was in its way is gone, as AWS answers 409 to", async () => {
    let refusals = 1
    const conflict = `<Error><Code>ConditionalRequestConflict</Code></Error>`
    const proxy = await AnswerProxy.start(server.address, async (asked, send) =>
      asked.method === "PUT" && refusals-- > 0 ? { status: 409, headers: {}, body: Buffer.from(conflict) } : send()
    )
    try {
      await withStore({ ...options, endpoint: proxy.endpoint }, (store) =>
        Effect.gen(function* () {
          expect(yield* store.create("conflict", bytes("mine"))).toBe(true)
          refusals = Infinity
          expect(yield* reasonOf(store.create("conflicts", bytes("mine")))).toBe(
            "ConditionalRequestConflict (status 409)"
          )
        })
      )
    } finally {
      await proxy.close()
    }
  })

  it("says that nobody listens while the server is away, and goes on with what was stored when it is back", () =>
    withStore(options, (store) =>
      Effect.gen(function* () {
        yield* store.put("kept", bytes("kept"))
        yield* Effect.promise(server.close)
        expect(yield* reasons(store)).toEqual(["nobody listens at the endpoint"])
        yield* Effect.promise(server.open)
        expect(text(yield* store.get("kept"))).toBe("kept")
        yield* store.put("new", bytes("new"))
      })
    ))

  it("says what a person has to mend, and never that an object is missing", async () => {
    const secret = Redacted.make("wrong-secret")
    const credentials = { accessKeyId: server.accessKeyId, secretAccessKey: secret, sessionToken: null }
    for (const [wrong, words] of [
      [optionsOf(server, { bucket: "no-such-bucket" }), "there is no bucket no-such-bucket"],
      [{ ...options, credentials }, "the secret key is not that of the access key (AWS_SECRET_ACCESS_KEY)"],
      [
        { ...options, credentials: { ...credentials, accessKeyId: "nobody" } },
        "the access key is not known there (AWS_ACCESS_KEY_ID)"
      ]
    ] as const)
      await withStore(wrong, (store) =>
        Effect.gen(function* () {
          const told = yield* reasons(store)
          expect(told).toContain(words)
          // A HEAD is answered without words.
          const silent = words.startsWith("there is no bucket") ? [] : ["these credentials may not do that at"]
          const other = told.filter((each) => ![words, ...silent].some((known) => each.startsWith(known)))
          expect(other).toEqual([])
          expect(told.join()).not.toContain("wrong-secret")
        })
      )
  })

  it("does not open a bucket that a person has to mend, and opens one whose server is only away", async () => {
    const opened = (asked: S3Options) =>
      Effect.runPromise(Effect.result(Effect.provide(Effect.asVoid(ObjectStore), S3ObjectStore.layer(asked))))
    expect(await opened(optionsOf(server, { bucket: "no-such-bucket" }))).toMatchObject({
      failure: {
        _tag: "ObjectStoreUnavailable",
        key: "s3://no-such-bucket/",
        reason: "there is no bucket no-such-bucket"
      }
    })
    expect(await opened({ ...options, endpoint: "http://127.0.0.1:1" })).toMatchObject({ _tag: "Success" })
    expect(await opened(options)).toMatchObject({ _tag: "Success" })
  })
})
