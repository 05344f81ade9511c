/**
 * `ObjectStore` in a bucket of R2, through a Worker's binding. `create` is a put on the condition that nothing is there,
 * of which R2 lets exactly one through. R2 lists in the order of code points by itself.
 */
import {
  checkedKey,
  checkedPrefix,
  ObjectMissing,
  ObjectStore,
  ObjectStoreUnavailable
} from "@pawl/core/objects/ObjectStore"
import { Limits } from "@pawl/core/primitives/Limits"
import { Effect, Layer, Stream } from "effect"
import { CloudflareLimits } from "../CloudflareLimits.ts"
import type { Bucket, BucketEntry, BucketPage } from "./Bucket.ts"

type Store = typeof ObjectStore.Service

const unavailable = (operation: string, key: string, cause: unknown) =>
  new ObjectStoreUnavailable({ operation, key, reason: cause instanceof Error ? cause.message : "unknown" })

const attempt = <A>(operation: string, key: string, work: () => Promise<A>) =>
  Effect.tryPromise({ try: work, catch: (cause) => unavailable(operation, key, cause) })

/** Of an object that should be there. */
const found = <A>(operation: string, key: string, work: () => Promise<A | null>) =>
  Effect.flatMap(attempt(operation, key, work), (object) =>
    object === null ? new ObjectMissing({ key }) : Effect.succeed(object)
  )

const infoOf = ({ key, size, uploaded }: BucketEntry) => ({
  key,
  sizeBytes: size,
  storedAtMs: uploaded.getTime()
})

/** The page of a listing that follows what was found. */
const nextPage = (bucket: Bucket, prefix: string, limit: number, last: BucketPage | undefined, after?: string) => {
  const from = last?.cursor === undefined ? (after === undefined ? {} : { startAfter: after }) : { cursor: last.cursor }
  return bucket.list({ prefix, limit, ...from })
}

const listed = async (bucket: Bucket, prefix: string, limit: number, after?: string) => {
  const entries: Array<BucketEntry> = []
  let page: BucketPage | undefined
  // A page may be shorter than what was asked for, and yet not the last.
  while (entries.length < limit && page?.truncated !== false) {
    page = await nextPage(bucket, prefix, limit - entries.length, page, after)
    entries.push(...page.objects)
  }
  return entries.map(infoOf)
}

const removed = async (bucket: Bucket, prefix: string): Promise<number> => {
  let count = 0
  for (;;) {
    const { objects, truncated } = await bucket.list({ prefix, limit: CloudflareLimits.bucketDeletedAtOnce })
    if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key))
    count += objects.length
    if (!truncated) return count
  }
}

/** The bytes of a range that begins within the object. R2 refuses one that begins beyond it. */
const streamed = (bucket: Bucket, key: string, range: Parameters<Store["stream"]>[1]) =>
  Stream.unwrap(
    Effect.gen(function* () {
      yield* checkedKey(key)
      const { size } = yield* found("stream", key, () => bucket.head(key))
      const start = Math.max(0, range?.start ?? 0)
      const length = Math.min(range?.end ?? size, size) - start
      if (length <= 0) return Stream.empty
      const { body } = yield* found("stream", key, () => bucket.get(key, { range: { offset: start, length } }))
      return Stream.fromReadableStream<Uint8Array, ObjectStoreUnavailable>({
        evaluate: () => body,
        onError: (cause) => unavailable("stream", key, cause)
      })
    })
  )

const make = (bucket: Bucket): Store => ({
  put: (key, body) => Effect.andThen(checkedKey(key), Effect.asVoid(attempt("put", key, () => bucket.put(key, body)))),
  create: (key, body) =>
    Effect.andThen(
      checkedKey(key),
      Effect.map(
        attempt("create", key, () => bucket.put(key, body, { onlyIf: { etagDoesNotMatch: "*" } })),
        (stored) => stored !== null
      )
    ),
  get: (key) =>
    Effect.gen(function* () {
      yield* checkedKey(key)
      const object = yield* found("get", key, () => bucket.get(key))
      return new Uint8Array(yield* attempt("get", key, () => object.arrayBuffer()))
    }),
  stream: (key, range) => streamed(bucket, key, range),
  head: (key) =>
    Effect.andThen(
      checkedKey(key),
      Effect.map(
        found("head", key, () => bucket.head(key)),
        infoOf
      )
    ),
  copy: (from, to) =>
    Effect.gen(function* () {
      yield* Effect.andThen(checkedKey(from), checkedKey(to))
      const { body } = yield* found("copy", from, () => bucket.get(from))
      yield* attempt("copy", to, () => bucket.put(to, body))
    }),
  list: (prefix, { after, limit = Limits.objectListLimit } = {}) =>
    Effect.andThen(
      checkedPrefix(prefix),
      attempt("list", prefix, () => listed(bucket, prefix, Math.min(limit, Limits.objectListLimit), after))
    ),
  remove: (key) =>
    Effect.andThen(
      checkedKey(key),
      attempt("remove", key, () => bucket.delete(key))
    ),
  removePrefix: (prefix) =>
    Effect.andThen(
      checkedPrefix(prefix, "whole"),
      attempt("removePrefix", prefix, () => removed(bucket, prefix))
    )
})

/** The objects of a bucket that a Worker is bound to. */
export const layer = (bucket: Bucket): Layer.Layer<ObjectStore> => Layer.sync(ObjectStore, () => make(bucket))
