/** Buckets on the server of a test, each its own. */
import { CreateBucketCommand, PutBucketPolicyCommand, S3Client } from "@aws-sdk/client-s3"
import type { S3Options } from "@pawl/adapters-s3/BucketAddress"
import * as BucketClient from "@pawl/adapters-s3/BucketClient"
import * as S3ObjectStore from "@pawl/adapters-s3/S3ObjectStore"
import type { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Effect, Redacted } from "effect"
import type { Credentials, S3Server } from "./S3Server.ts"

let buckets = 0

/** A name that no bucket has yet. */
export const newName = (): string => `pawl-${process.pid}-${buckets++}`

/** The options of a bucket that need not be there. */
export const optionsOf = (server: S3Server, more: Partial<S3Options> = {}): S3Options => ({
  bucket: newName(),
  root: "",
  endpoint: server.endpoint,
  region: "us-east-1",
  pathStyle: true,
  credentials: {
    accessKeyId: server.accessKeyId,
    secretAccessKey: Redacted.make(server.secretAccessKey),
    sessionToken: null
  },
  ...more
})

/** The plain client, for what tests do beside the store. */
export const plainClient = (server: S3Server, as: Credentials = server): S3Client =>
  new S3Client({
    endpoint: server.endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    requestChecksumCalculation: "WHEN_REQUIRED",
    credentials: { accessKeyId: as.accessKeyId, secretAccessKey: as.secretAccessKey }
  })

/** The options of an empty bucket. */
export const makeBucket = async (server: S3Server, more: Partial<S3Options> = {}): Promise<S3Options> => {
  const options = optionsOf(server, more)
  const client = plainClient(server)
  await client.send(new CreateBucketCommand({ Bucket: options.bucket }))
  client.destroy()
  return options
}

/** Works with a store that asks nothing of its bucket when it is made. */
export const withStore = <A, E>(
  options: S3Options,
  use: (store: typeof ObjectStore.Service) => Effect.Effect<A, E>,
  waits?: BucketClient.Waits
): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(Effect.flatMap(Effect.flatMap(BucketClient.open(options, waits), S3ObjectStore.of), use))
  )

/** A policy as AWS takes it for a user. */
export interface Policy {
  readonly Version: string
  readonly Statement: ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** Lets a user of the server do with a bucket what a policy says, and takes from him what one before it said. */
export const allow = async (server: S3Server, bucket: string, user: string, policy: Policy): Promise<void> => {
  const Principal = { AWS: [`arn:aws:iam:::user/${user}`] }
  const Statement = policy.Statement.map((each) => ({ Principal, ...each }))
  const client = plainClient(server)
  await client.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy: JSON.stringify({ ...policy, Statement }) }))
  client.destroy()
}
