/** `ObjectStore` in a folder of this machine: one file per object, written whole, synced, then named. */
import { resolve } from "node:path"
import { Effect, Layer, Option, Stream } from "effect"
import {
  checkedKey,
  checkedPrefix,
  ObjectMissing,
  ObjectStore,
  ObjectStoreUnavailable
} from "@pawl/core/objects/ObjectStore"
import { Limits } from "@pawl/core/primitives/Limits"
import { absent, codeOf } from "./DurableFile.ts"
import { ObjectFolder } from "./ObjectFolder.ts"

const unavailable = (operation: string, key: string) => (cause: unknown) =>
  new ObjectStoreUnavailable({ operation, key, reason: codeOf(cause) })

/** File work is never left half done by an interruption: it is short, and ends with its temporary file gone. */
const attempt = <A>(operation: string, key: string, work: () => Promise<A>): Effect.Effect<A, ObjectStoreUnavailable> =>
  Effect.uninterruptible(Effect.tryPromise({ try: work, catch: unavailable(operation, key) }))

const reading = <A>(
  operation: string,
  key: string,
  work: () => Promise<A>
): Effect.Effect<A, ObjectMissing | ObjectStoreUnavailable> =>
  Effect.uninterruptible(
    Effect.tryPromise({
      try: work,
      catch: (cause) =>
        absent.includes(codeOf(cause)) ? new ObjectMissing({ key }) : unavailable(operation, key)(cause)
    })
  )

const opened = (folder: ObjectFolder, key: string) =>
  Effect.andThen(
    checkedKey(key),
    Effect.acquireRelease(
      reading("read", key, () => folder.read(key)),
      ({ handle }) => Effect.promise(() => handle.close())
    )
  )

const streamed = (
  folder: ObjectFolder,
  key: string,
  range: { readonly start: number; readonly end: number } | undefined
) =>
  Stream.unwrap(
    Effect.map(opened(folder, key), ({ handle, sizeBytes }) => {
      const end = Math.min(range?.end ?? sizeBytes, sizeBytes)
      return Stream.paginate(Math.max(0, range?.start ?? 0), (position) => {
        const length = Math.min(Limits.objectChunkBytes, end - position)
        if (length <= 0) return Effect.succeed([[], Option.none<number>()] as const)
        return Effect.map(
          attempt("read", key, () => handle.read(new Uint8Array(length), 0, length, position)),
          ({ buffer, bytesRead }) =>
            [
              bytesRead === 0 ? [] : [buffer.subarray(0, bytesRead)],
              bytesRead === 0 ? Option.none<number>() : Option.some(position + bytesRead)
            ] as const
        )
      })
    })
  )

const make = (folder: ObjectFolder): typeof ObjectStore.Service => ({
  put: (key, body) =>
    Effect.andThen(
      checkedKey(key),
      attempt("put", key, () => folder.put(key, body))
    ),
  create: (key, body) =>
    Effect.andThen(
      checkedKey(key),
      attempt("create", key, () => folder.create(key, body))
    ),
  get: (key) =>
    Effect.scoped(
      Effect.flatMap(opened(folder, key), ({ handle }) =>
        Effect.map(
          attempt("get", key, () => handle.readFile()),
          (bytes) => new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
        )
      )
    ),
  stream: (key, range) => streamed(folder, key, range),
  head: (key) =>
    Effect.andThen(
      checkedKey(key),
      reading("head", key, () => folder.infoOf(key))
    ),
  copy: (from, to) =>
    checkedKey(from).pipe(
      Effect.andThen(checkedKey(to)),
      Effect.andThen(reading("copy", from, () => folder.copy(from, to)))
    ),
  list: (prefix, options) =>
    Effect.andThen(
      checkedPrefix(prefix),
      attempt("list", prefix, () =>
        folder.list(prefix, options?.after, Math.min(options?.limit ?? Limits.objectListLimit, Limits.objectListLimit))
      )
    ),
  remove: (key) =>
    Effect.andThen(
      checkedKey(key),
      attempt("remove", key, () => folder.remove(key))
    ),
  removePrefix: (prefix) =>
    Effect.andThen(
      checkedPrefix(prefix, "whole"),
      attempt("removePrefix", prefix, () => folder.removePrefix(prefix))
    )
})

/**
 * The store under `directory`, which is made when it is not there. Only one process at a time may open it with `alone`
 * (the default): it removes what others were writing.
 */
export const layer = (options: {
  readonly directory: string
  readonly alone?: boolean
}): Layer.Layer<ObjectStore, ObjectStoreUnavailable> =>
  Layer.effect(
    ObjectStore,
    Effect.suspend(() => {
      const folder = new ObjectFolder(resolve(options.directory))
      return Effect.as(
        attempt("open", "", () => folder.open(options.alone ?? true)),
        make(folder)
      )
    })
  )
