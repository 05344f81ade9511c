/** What credentials may do with a bucket that are to read some of it and nothing else. Each thing is tried once. */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import type { S3Options } from "./BucketAddress.ts"
import * as BucketClient from "./BucketClient.ts"
import type { S3Bucket } from "./S3Bucket.ts"
import { isForbidden, wordsOf } from "./S3Failures.ts"
import { S3Limits } from "./S3Limits.ts"

/** What was found. */
export interface ReadingReport {
  /** Why none of the objects could be read, in words; null when one could, or none was named. */
  readonly unread: string | null
  /** What is allowed that no reader needs. */
  readonly surplus: ReadonlyArray<string>
}

type Ask = (bucket: S3Bucket, signal: AbortSignal) => Promise<unknown>

/** Null when the bucket did it, else what it said. */
const refusal = (bucket: S3Bucket, ask: Ask): Effect.Effect<unknown> =>
  Effect.tryPromise({ try: (signal) => ask(bucket, signal), catch: (cause) => cause }).pipe(
    Effect.as(null),
    Effect.timeoutOrElse({ duration: S3Limits.bucketTrialMs, orElse: () => Effect.fail({ name: "TimeoutError" }) }),
    Effect.catch((cause) => Effect.succeed(cause))
  )

/** Under a name that nobody has: what is put is deleted again, where that is allowed too. */
const trials = (at: string): ReadonlyArray<readonly [name: string, ask: Ask]> => [
  ["put objects", (bucket, signal) => bucket.put(at, new Uint8Array(), signal)],
  ["delete objects", (bucket, signal) => bucket.remove(at, signal)],
  ["list the bucket", (bucket, signal) => bucket.look(signal)]
]

/** Reads one of these objects, and tries what no reader may: what is not refused is allowed. */
export const look = (options: S3Options, keys: ReadonlyArray<string>): Effect.Effect<ReadingReport> =>
  Effect.scoped(
    Effect.gen(function* () {
      const bucket = yield* BucketClient.open(options)
      let unread: string | null = null
      for (const key of keys) {
        const problem = yield* refusal(bucket, (asked, signal) => asked.get(key, signal))
        unread = problem === null ? null : `${key}: ${wordsOf(problem, bucket.place)}`
        if (unread === null) break
      }
      const surplus: Array<string> = []
      for (const [name, ask] of trials(`doctor/${randomUUID()}`)) {
        const problem = yield* refusal(bucket, ask)
        if (problem === null) surplus.push(name)
        // Who does not answer, or knows nobody of this name, allows nothing.
        else if (!isForbidden(problem)) unread ??= wordsOf(problem, bucket.place)
      }
      return { unread, surplus }
    })
  )
