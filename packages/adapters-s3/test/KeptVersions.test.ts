/** A bucket that keeps what is deleted, from which an installation goes back to a point in time. */
import {
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  type S3Client
} from "@aws-sdk/client-s3"
import type { S3Options } from "@pawl/adapters-s3/BucketAddress"
import { look } from "@pawl/adapters-s3/BucketLook"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeBucket, plainClient, withStore } from "./Buckets.ts"
import * as S3Server from "./S3Server.ts"

const missing = S3Server.whyNot()
if (missing !== null) console.warn(`SKIPPED: ${missing}`)

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe.skipIf(missing !== null)("A bucket that keeps versions, on radosgw", () => {
  let server: S3Server.S3Server
  let options: S3Options
  let client: S3Client
  beforeAll(async () => {
    server = await S3Server.start()
    options = await makeBucket(server, { root: "pawl/" })
    client = plainClient(server)
    const VersioningConfiguration = { Status: "Enabled" } as const
    await client.send(new PutBucketVersioningCommand({ Bucket: options.bucket, VersioningConfiguration }))
  })
  afterAll(async () => {
    client?.destroy()
    await server?.stop()
  })

  /** What stands above the bytes of a deleted object, by its key. */
  const marks = async () => {
    const found = await client.send(new ListObjectVersionsCommand({ Bucket: options.bucket, Prefix: options.root }))
    return (found.DeleteMarkers ?? []).filter(({ IsLatest }) => IsLatest === true)
  }

  it("does what is needed but for the condition of a put, which it ignores then; what is deleted is gone for the store", async () => {
    // So the doctor says, and so the page of S3: nothing that is promoted or served rests on it.
    expect((await Effect.runPromise(look(options))).lacks).toEqual([
      "conditional put: If-None-Match is ignored: the second of two writers overwrites"
    ])
    await withStore(options, (store) => Effect.map(store.list(""), (found) => expect(found).toEqual([])))
  })

  it("gives back what was deleted since, with the bytes that it had, and leaves the rest as it is", async () => {
    const before = new Set((await marks()).map(({ Key }) => Key))
    await withStore(options, (store) =>
      Effect.gen(function* () {
        for (const name of ["one", "two", "three"]) yield* store.put(`apps/${name}`, bytes(name))
        // The moment to which it goes back is here.
        yield* store.remove("apps/one")
        yield* store.removePrefix("apps/")
        expect(yield* store.list("")).toEqual([])
        expect(yield* store.create("apps/two", bytes("two"))).toBe(true)
      })
    )
    for (const { Key, VersionId } of (await marks()).filter(({ Key: key }) => !before.has(key)))
      await client.send(new DeleteObjectCommand({ Bucket: options.bucket, Key, VersionId }))
    await withStore(options, (store) =>
      Effect.gen(function* () {
        expect((yield* store.list("")).map(({ key }) => key)).toEqual(["apps/one", "apps/three", "apps/two"])
        for (const name of ["one", "two", "three"])
          expect(new TextDecoder().decode(yield* store.get(`apps/${name}`))).toBe(name)
      })
    )
  })
})
