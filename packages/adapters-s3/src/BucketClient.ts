/** The client that asks a bucket, as the options want it: bounded in tries and in time, with what ends a request. */
import { S3Client } from "@aws-sdk/client-s3"
import { Effect, Redacted } from "effect"
import type { S3Options } from "./BucketAddress.ts"
import { S3Bucket } from "./S3Bucket.ts"
import { S3Limits } from "./S3Limits.ts"

/** How long is waited: for a connection, for an answer, and while nothing of a body comes. */
export interface Waits {
  readonly connectMs: number
  readonly answerMs: number
  readonly silenceMs: number
}

const usual: Waits = {
  connectMs: S3Limits.bucketConnectMs,
  answerMs: S3Limits.bucketAnswerMs,
  silenceMs: S3Limits.bucketSilenceMs
}

const credentialsOf = ({ credentials }: S3Options) => {
  if (credentials === null) return {}
  const { accessKeyId, secretAccessKey, sessionToken } = credentials
  return {
    credentials: {
      accessKeyId,
      secretAccessKey: Redacted.value(secretAccessKey),
      ...(sessionToken === null ? {} : { sessionToken: Redacted.value(sessionToken) })
    }
  }
}

const clientOf = (options: S3Options, waits: Waits) =>
  new S3Client({
    region: options.region,
    ...(options.endpoint === null ? {} : { endpoint: options.endpoint }),
    ignoreConfiguredEndpointUrls: true,
    forcePathStyle: options.pathStyle,
    ...credentialsOf(options),
    // Other servers than AWS's do not know these. The signature covers the bytes that are sent, and readers check them.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    retryMode: "standard",
    maxAttempts: S3Limits.bucketTries,
    // It would take a connection of its own for each object of some size.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: waits.connectMs,
      requestTimeout: waits.answerMs,
      // Else it is only logged, and waited for.
      throwOnRequestTimeout: true,
      socketTimeout: waits.silenceMs,
      // Requests wait for their turn before the client, not in it.
      httpAgent: { keepAlive: true, maxSockets: Infinity },
      httpsAgent: { keepAlive: true, maxSockets: Infinity }
    }
  })

const acquired = (options: S3Options, waits: Waits) =>
  Effect.acquireRelease(
    Effect.sync(() => clientOf(options, waits)),
    (client) => Effect.sync(() => client.destroy())
  )

/** The bucket of these options, until the scope ends. Nothing is asked of it yet. */
export const open = (options: S3Options, waits: Waits = usual) =>
  Effect.gen(function* () {
    const client = yield* acquired(options, waits)
    // A connection is silent too while nobody takes what came: whoever reads a stream looks at the time itself.
    const streaming = yield* acquired(options, { ...waits, silenceMs: 0 })
    return new S3Bucket({ client, streaming }, options, waits)
  })
