/**
 * `ObjectStore` in a bucket of S3. Nothing that is stored here is trusted for being there: whoever reads it checks its
 * SHA-256, which stands elsewhere.
 */
import {
  checkedKey,
  checkedPrefix,
  InvalidKey,
  ObjectMissing,
  ObjectStore,
  ObjectStoreUnavailable
} from "@pawl/core/objects/ObjectStore"
import { Limits } from "@pawl/core/primitives/Limits"
import { utf8Length } from "@pawl/core/primitives/CodePoints"
import { Effect, Layer, Semaphore, Stream } from "effect"
import { placeText, type S3Options } from "./BucketAddress.ts"
import * as BucketClient from "./BucketClient.ts"
import type { ByteRange } from "./BucketBody.ts"
import type { S3Bucket } from "./S3Bucket.ts"
import { isForbidden, isForPeople, isMissingKey, WrongAnswer, wordsOf } from "./S3Failures.ts"
import { S3Limits } from "./S3Limits.ts"

type Work<A> = (signal: AbortSignal) => Promise<A>

/** The turn is waited for outside the client, whose clocks run while a request waits for a connection. */
const requests = (bucket: S3Bucket, turns: Semaphore.Semaphore) => {
  const unavailable = (operation: string, key: string, cause: unknown) =>
    new ObjectStoreUnavailable({ operation, key, reason: wordsOf(cause, bucket.place) })

  const failed = (operation: string, key: string, cause: unknown) =>
    isMissingKey(cause) ? new ObjectMissing({ key }) : unavailable(operation, key, cause)

  return {
    unavailable,
    attempt: <A>(operation: string, key: string, work: Work<A>): Effect.Effect<A, ObjectStoreUnavailable> =>
      turns.withPermit(Effect.tryPromise({ try: work, catch: (cause) => unavailable(operation, key, cause) })),
    /** Of an object that should be there. */
    reading: <A>(operation: string, key: string, work: Work<A>) =>
      turns.withPermit(Effect.tryPromise({ try: work, catch: (cause) => failed(operation, key, cause) }))
  }
}

const tooLong = `with the bucket's prefix it is longer than ${S3Limits.bucketKeyBytes.toLocaleString("en-US")} bytes`

/** Fails for what cannot be a key, or not below this prefix. */
const checkedBelow = (root: string) => {
  const room = S3Limits.bucketKeyBytes - utf8Length(root)
  return (key: string): Effect.Effect<void, InvalidKey> =>
    Effect.andThen(
      checkedKey(key),
      Effect.suspend(() => (utf8Length(key) > room ? new InvalidKey({ key, reason: tooLong }) : Effect.void))
    )
}

/** What is open ends with the stream, however that ends. */
const streamed = (
  bucket: S3Bucket,
  { reading, unavailable }: ReturnType<typeof requests>,
  key: string,
  range: ByteRange | undefined
) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const { signal } = yield* Effect.acquireRelease(
        Effect.sync(() => new AbortController()),
        (controller) => Effect.sync(() => controller.abort())
      )
      const body = yield* Effect.timeoutOrElse(
        reading("stream", key, () => bucket.open(key, range, signal)),
        {
          duration: S3Limits.bucketOpenMs,
          orElse: () => Effect.fail(unavailable("stream", key, new WrongAnswer("TimeoutError")))
        }
      )
      if (body === null) return Stream.empty
      return Stream.fromAsyncIterable<Uint8Array, ObjectStoreUnavailable>(body, (cause) =>
        unavailable("stream", key, cause)
      )
    })
  )

const make = (bucket: S3Bucket, turns: Semaphore.Semaphore): typeof ObjectStore.Service => {
  const asked = requests(bucket, turns)
  const { attempt, reading } = asked
  const checked = checkedBelow(bucket.place.root)
  const most = (limit: number = Limits.objectListLimit) => Math.min(limit, Limits.objectListLimit)
  const { andThen } = Effect

  return {
    put: (key, body) =>
      andThen(
        checked(key),
        attempt("put", key, (signal) => bucket.put(key, body, signal))
      ),
    create: (key, body) =>
      andThen(
        checked(key),
        attempt("create", key, (signal) => bucket.create(key, body, signal))
      ),
    get: (key) =>
      andThen(
        checked(key),
        reading("get", key, (signal) => bucket.get(key, signal))
      ),
    stream: (key, range) => Stream.unwrap(Effect.as(checked(key), streamed(bucket, asked, key, range))),
    head: (key) =>
      andThen(
        checked(key),
        reading("head", key, (signal) => bucket.head(key, signal))
      ),
    copy: (from, to) =>
      andThen(
        andThen(checked(from), checked(to)),
        reading("copy", from, (signal) => bucket.copy(from, to, signal))
      ),
    list: (prefix, { after, limit } = {}) =>
      andThen(
        checkedPrefix(prefix),
        attempt("list", prefix, (signal) => bucket.list(prefix, after, most(limit), signal))
      ),
    remove: (key) =>
      andThen(
        checked(key),
        attempt("remove", key, (signal) => bucket.remove(key, signal))
      ),
    removePrefix: (prefix) =>
      andThen(
        checkedPrefix(prefix, "whole"),
        attempt("removePrefix", prefix, (signal) => bucket.removePrefix(prefix, signal))
      )
  }
}

/** The store in a bucket that was opened. */
export const of = (bucket: S3Bucket): Effect.Effect<typeof ObjectStore.Service> =>
  Effect.map(Semaphore.make(S3Limits.bucketRequestsAtOnce), (turns) => make(bucket, turns))

/**
 * Looks once whether the bucket can be read. What a person has to mend fails with `ObjectStoreUnavailable`; a server that
 * is away for now is logged, and waited for by who needs it.
 */
const looked =
  (look: (bucket: S3Bucket, signal: AbortSignal) => Promise<void>) =>
  (bucket: S3Bucket): Effect.Effect<void, ObjectStoreUnavailable> =>
    Effect.tryPromise({ try: (signal) => look(bucket, signal), catch: (cause) => cause }).pipe(
      Effect.timeoutOrElse({
        duration: S3Limits.bucketLookMs,
        orElse: () => Effect.fail({ name: "TimeoutError" })
      }),
      Effect.catch((cause) => {
        const reason = wordsOf(cause, bucket.place)
        return isForPeople(cause)
          ? Effect.fail(new ObjectStoreUnavailable({ operation: "open", key: placeText(bucket.place), reason }))
          : Effect.logWarning(`the object store does not answer yet: ${reason}`)
      })
    )

/** The store at this place. Fails when the bucket cannot be used until a person mends something. */
export const layer = (options: S3Options): Layer.Layer<ObjectStore, ObjectStoreUnavailable> =>
  Layer.effect(
    ObjectStore,
    Effect.flatMap(
      Effect.tap(
        BucketClient.open(options),
        looked((bucket, signal) => bucket.look(signal))
      ),
      of
    )
  )

/**
 * The same for who may only read what lies below these folders. To such credentials S3 does not say whether an object is
 * missing or not theirs: the start fails only where the bucket or the credentials are not known at all.
 */
export const layerReading = (
  options: S3Options,
  folders: ReadonlyArray<string>
): Layer.Layer<ObjectStore, ObjectStoreUnavailable> => {
  const look = async (bucket: S3Bucket, signal: AbortSignal) => {
    for (const folder of folders)
      await bucket.get(`${folder}/none`, signal).catch((cause: unknown) => {
        if (!isMissingKey(cause) && !isForbidden(cause)) throw cause
      })
  }
  return Layer.effect(ObjectStore, Effect.flatMap(Effect.tap(BucketClient.open(options), looked(look)), of))
}
