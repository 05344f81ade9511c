/** Credentials that read bundles and nothing else, by the policy that the page of operators has. */
import {
  CopyObjectCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketPolicyCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectVersionsCommand,
  ListObjectsV2Command,
  PutBucketPolicyCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  type S3Client
} from "@aws-sdk/client-s3"
import type { S3Options } from "@pawl/adapters-s3/BucketAddress"
import { look } from "@pawl/adapters-s3/ReadingLook"
import { statusOf } from "@pawl/adapters-s3/S3Failures"
import * as S3ObjectStore from "@pawl/adapters-s3/S3ObjectStore"
import { bundleKinds, bundlePrefix } from "@pawl/core/bundle/Bundle"
import { Effect, Exit, Layer, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { allow, makeBucket, plainClient, type Policy, withStore } from "./Buckets.ts"
import { policyFor } from "./RouterPolicy.ts"
import * as S3Server from "./S3Server.ts"

const missing = S3Server.whyNot()
if (missing !== null) console.warn(`SKIPPED: ${missing}`)

describe.skipIf(missing !== null)("Credentials of a process that only routes, on radosgw", () => {
  let s3: S3Server.S3Server
  let options: S3Options
  let reading: S3Options
  let client: S3Client
  const project = "proj_00000000-0000-4000-8000-000000000001"
  const bundles = bundleKinds.map((kind) => `${bundlePrefix(kind, project, "0".repeat(40))}bundle.json`)
  const others = [`git/${project}/pack`, "packages/a.tgz", `evidence/${project}/out`, "appsandmore/a", "doctor/a"]
  const at = (key: string) => ({ Bucket: options.bucket, Key: `pawl/${key}` })

  beforeAll(async () => {
    s3 = await S3Server.start()
    options = await makeBucket(s3, { root: "pawl/" })
    const { accessKeyId, secretAccessKey } = await s3.addUser("router")
    reading = {
      ...options,
      credentials: { accessKeyId, secretAccessKey: Redacted.make(secretAccessKey), sessionToken: null }
    }
    client = plainClient(s3, { accessKeyId, secretAccessKey })
    await withStore(options, (store) =>
      Effect.forEach([...bundles, ...others], (key) => store.put(key, new TextEncoder().encode(key)))
    )
    await allow(s3, options.bucket, "router", policyFor(options.bucket))
  })
  afterAll(async () => {
    client?.destroy()
    await s3?.stop()
  })

  it("read every kind of bundle, and look like it", async () => {
    for (const key of bundles)
      expect(
        await withStore(reading, (store) => Effect.map(store.get(key), (body) => Buffer.from(body).toString()))
      ).toBe(key)
    expect(await Effect.runPromise(look(reading, bundles))).toEqual({ unread: null, surplus: [] })
  })

  it("may do nothing else that the client can ask", async () => {
    const [bundle = ""] = bundles
    const CopySource = `${options.bucket}/pawl/${bundle}`
    const asked = [
      ...others.map((key) => new GetObjectCommand(at(key))),
      ...others.map((key) => new HeadObjectCommand(at(key))),
      ...[bundle, "apps/new", "git/new"].map((key) => new PutObjectCommand({ ...at(key), Body: "theirs" })),
      ...[bundle, "git/new"].map((key) => new DeleteObjectCommand(at(key))),
      new CopyObjectCommand({ ...at("apps/copy"), CopySource }),
      new ListObjectsV2Command({ Bucket: options.bucket }),
      new ListObjectsV2Command({ Bucket: options.bucket, Prefix: "pawl/apps/" }),
      new ListObjectVersionsCommand({ Bucket: options.bucket }),
      new GetObjectAclCommand(at(bundle)),
      new PutObjectAclCommand({ ...at(bundle), ACL: "public-read" }),
      new GetBucketPolicyCommand({ Bucket: options.bucket }),
      new PutBucketPolicyCommand({ Bucket: options.bucket, Policy: JSON.stringify(policyFor("all")) }),
      new DeleteBucketCommand({ Bucket: options.bucket })
    ]
    const answered = await Promise.all(
      asked.map(async (command) => {
        const status = await client.send(command as never).then(
          () => 200,
          (error: unknown) => statusOf(error)
        )
        return `${command.constructor.name} ${status}`
      })
    )
    expect(answered).toEqual(asked.map((command) => `${command.constructor.name} 403`))
    // Told one by one.
    const Delete = { Objects: [{ Key: at(bundle).Key }] }
    const { Errors } = await client
      .send(new DeleteObjectsCommand({ Bucket: options.bucket, Delete }))
      .catch(() => ({ Errors: [{ Code: "AccessDenied" }] }))
    expect(Errors).toMatchObject([{ Code: "AccessDenied" }])
    expect((await client.send(new ListBucketsCommand({}))).Buckets ?? []).toEqual([])
    expect(await withStore(options, (store) => Effect.map(store.list(""), (all) => all.map(({ key }) => key)))).toEqual(
      [...bundles, ...others].toSorted()
    )
  })

  it("are told what they have too much, and what they lack", async () => {
    const { bucket } = options
    const Resource = [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`]
    const all = { Version: "2012-10-17", Statement: [{ Effect: "Allow", Action: "s3:*", Resource }] }
    await allow(s3, bucket, "router", all)
    expect(await Effect.runPromise(look(reading, bundles))).toEqual({
      unread: null,
      surplus: ["put objects", "delete objects", "list the bucket"]
    })
    await allow(s3, bucket, "router", elsewhere(bucket))
    const unread = expect.stringContaining("these credentials may not do that at")
    expect(await Effect.runPromise(look(reading, bundles))).toEqual({ unread, surplus: [] })
    await allow(s3, bucket, "router", policyFor(bucket))
  })

  it("open a store, as those of an unknown user do not", async () => {
    const opened = (given: S3Options) =>
      Effect.runPromiseExit(Effect.scoped(Layer.build(S3ObjectStore.layerReading(given, bundleKinds))))
    expect(Exit.isSuccess(await opened(reading))).toBe(true)
    // As one that may list does not need it: this one may not.
    expect(String(await Effect.runPromiseExit(Effect.scoped(Layer.build(S3ObjectStore.layer(reading)))))).toContain(
      "these credentials may not do that"
    )
    const wrong = { accessKeyId: "nobody", secretAccessKey: Redacted.make("none"), sessionToken: null }
    expect(String(await opened({ ...reading, credentials: wrong }))).toContain("the access key is not known there")
    expect(String(await opened({ ...reading, bucket: "no-such-bucket" }))).toContain(
      "there is no bucket no-such-bucket"
    )
  })
})

/** A policy that is of another folder alone. */
const elsewhere = (bucket: string): Policy => ({
  Version: "2012-10-17",
  Statement: [{ Effect: "Allow", Action: "s3:GetObject", Resource: [`arn:aws:s3:::${bucket}/other/*`] }]
})
