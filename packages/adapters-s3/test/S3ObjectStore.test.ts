import dns from "node:dns"
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3"
import type { S3Options } from "@pawl/adapters-s3/BucketAddress"
import * as S3ObjectStore from "@pawl/adapters-s3/S3ObjectStore"
import { compareCodePoints } from "@pawl/core/primitives/CodePoints"
import { objectStoreContract } from "@pawl/testing/contracts/stores/ObjectStoreContract"
import { Effect, Layer, Stream } from "effect"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { makeBucket, newName, optionsOf, plainClient, withStore } from "./Buckets.ts"
import * as S3Server from "./S3Server.ts"

const missing = S3Server.whyNot()
if (missing !== null) console.warn(`SKIPPED: ${missing}`)

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (body: Uint8Array): string => new TextDecoder().decode(body)
const joined = <E>(stream: Stream.Stream<Uint8Array, E>) =>
  Effect.map(Stream.runCollect(stream), (pieces) => Buffer.concat(pieces))

describe.skipIf(missing !== null)("S3ObjectStore, on radosgw", () => {
  let server: S3Server.S3Server
  let options: S3Options
  beforeAll(async () => {
    server = await S3Server.start()
    options = await makeBucket(server)
  })
  afterAll(() => server?.stop())

  // Below a prefix that is not plain: the keys of the suite stand behind it.
  objectStoreContract("S3", {
    layer: () =>
      Layer.unwrap(
        Effect.map(
          Effect.promise(() => makeBucket(server, { root: "für alle/a+b %/" })),
          (made) => S3ObjectStore.layer(made)
        )
      )
  })

  it("lists and removes more than a thousand objects, and says how many there were", () =>
    withStore(options, (store) =>
      Effect.gen(function* () {
        const keys = Array.from({ length: 1030 }, (_, i) => `many/${i}`)
        yield* Effect.forEach(keys, (key) => store.put(key, bytes("")), { concurrency: 32 })
        yield* store.put("manyx", bytes("beside"))
        const first = yield* store.list("many/")
        const rest = yield* store.list("many/", { after: first.at(-1)?.key ?? "" })
        expect([...first, ...rest].map(({ key }) => key)).toEqual(keys.toSorted(compareCodePoints))
        expect(yield* store.removePrefix("many/")).toBe(1030)
        expect((yield* store.list("many")).map(({ key }) => key)).toEqual(["manyx"])
      })
    ))

  it("carries bodies longer than a part of an upload, in whole, in ranges and as a copy", () =>
    withStore(options, (store) =>
      Effect.gen(function* () {
        const body = Uint8Array.from({ length: 12 * 1024 ** 2 + 7 }, (_, i) => (i * 31 + (i >> 8)) % 256)
        yield* store.put("big", body)
        expect(yield* store.create("big too", body)).toBe(true)
        yield* store.copy("big", "big copy")
        for (const key of ["big", "big too", "big copy"]) expect(Buffer.compare(yield* store.get(key), body)).toBe(0)
        expect(Buffer.compare(yield* joined(store.stream("big")), body)).toBe(0)
        const range = { start: 5_000_000, end: 11_000_000 }
        expect(Buffer.compare(yield* joined(store.stream("big", range)), body.subarray(range.start, range.end))).toBe(0)
      })
    ))

  it("holds keys that XML cannot say, and keys of the greatest length", () =>
    withStore(options, (store) =>
      Effect.gen(function* () {
        const odd = ["odd/\ufffe", "odd/\uffff&<>\"'", "odd/\u0085\u2028 ", `odd/${"k".repeat(1020)}`]
        for (const key of odd) yield* store.put(key, bytes(key))
        for (const key of odd) expect(text(yield* store.get(key))).toBe(key)
        expect((yield* store.list("odd/")).map(({ key }) => key)).toEqual(odd.toSorted(compareCodePoints))
        yield* store.copy(odd[0]!, "odd/copy")
        expect(yield* store.removePrefix("odd/")).toBe(5)
        expect(yield* store.list("odd/")).toEqual([])
      })
    ))

  it("refuses a key that its prefix makes too long for S3, and asks nothing of the bucket", () =>
    withStore({ ...options, root: `${"p".repeat(100)}/` }, (store) =>
      Effect.gen(function* () {
        const [fits, long] = ["k".repeat(923), "k".repeat(924)]
        expect(yield* store.create(fits, bytes("x"))).toBe(true)
        const refused = [store.put(long, bytes("x")), store.get(long), store.copy(fits, long)]
        for (const each of refused)
          expect(yield* Effect.flip<unknown, unknown, never>(each)).toMatchObject({ _tag: "InvalidKey", key: long })
        yield* store.remove(fits)
      })
    ))

  it("keeps what stands beside its prefix, and does not list what no key of Pawl's is", async () => {
    const client = plainClient(server)
    const put = (key: string) => client.send(new PutObjectCommand({ Bucket: options.bucket, Key: key, Body: "x" }))
    // The last two are folders as the console of AWS makes them.
    for (const key of ["own", "own2/a", "own/b", "own/c/d", "own/", "own/c/"]) await put(key)
    await withStore({ ...options, root: "own/" }, (store) =>
      Effect.gen(function* () {
        expect((yield* store.list("")).map(({ key }) => key)).toEqual(["b", "c/d"])
        expect((yield* store.list("", { limit: 1 })).map(({ key }) => key)).toEqual(["b"])
        expect(yield* store.removePrefix("c/")).toBe(2)
        expect((yield* store.list("")).map(({ key }) => key)).toEqual(["b"])
      })
    )
    for (const key of ["own", "own2/a"]) await client.send(new GetObjectCommand({ Bucket: options.bucket, Key: key }))
    client.destroy()
  })

  it("lets only one of two processes create, whichever is asked first", async () => {
    const won: Array<string> = []
    const racer = (name: string) =>
      withStore(options, (store) =>
        Effect.forEach(
          Array.from({ length: 20 }, (_, i) => `two/${i}`),
          (key) =>
            Effect.map(store.create(key, bytes(`${name} ${key}`)), (first) => {
              if (first) won.push(`${name} ${key}`)
            }),
          { concurrency: 5 }
        )
      )
    await Promise.all([racer("a"), racer("b")])
    expect(won).toHaveLength(20)
    await withStore(options, (store) =>
      Effect.gen(function* () {
        const kept = yield* Effect.forEach(yield* store.list("two/"), ({ key }) => store.get(key))
        expect(kept.map(text).toSorted()).toEqual(won.toSorted())
      })
    )
  })

  it("reaches a bucket whose name is in its host", async () => {
    const bucket = newName()
    const client = plainClient(server)
    await client.send(new CreateBucketCommand({ Bucket: bucket }))
    client.destroy()
    const asked = new Set<string>()
    const lookup = vi.spyOn(dns, "lookup").mockImplementation(((
      host: string,
      how: { readonly all?: boolean },
      answer: (error: null, address: unknown, family?: number) => void
    ) => {
      asked.add(host)
      const address = server.address.host
      process.nextTick(() => (how.all === true ? answer(null, [{ address, family: 4 }]) : answer(null, address, 4)))
    }) as unknown as typeof dns.lookup)
    try {
      const endpoint = `http://${S3Server.hostName}:${server.address.port}`
      await withStore(optionsOf(server, { bucket, endpoint, pathStyle: false }), (store) =>
        Effect.gen(function* () {
          yield* store.put("a/b c", bytes("one"))
          yield* store.copy("a/b c", "d")
          expect((yield* store.list("")).map(({ key }) => key)).toEqual(["a/b c", "d"])
        })
      )
    } finally {
      lookup.mockRestore()
    }
    expect([...asked]).toEqual([`${bucket}.${S3Server.hostName}`])
    await withStore(optionsOf(server, { bucket }), (store) =>
      Effect.map(store.get("d"), (body) => expect(text(body)).toBe("one"))
    )
  })
})
