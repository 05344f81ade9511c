/** `ObjectStore` in memory. */
import { Effect, Layer, Stream } from "effect"
import { compareCodePoints } from "@pawl/core/primitives/CodePoints"
import { Limits } from "@pawl/core/primitives/Limits"
import { nowMillis } from "@pawl/core/primitives/Time"
import { checkedKey, checkedPrefix, ObjectMissing, ObjectStore } from "@pawl/core/objects/ObjectStore"

const chunks = (bytes: Uint8Array): Array<Uint8Array> => {
  const result: Array<Uint8Array> = []
  for (let start = 0; start < bytes.length; start += Limits.objectChunkBytes)
    result.push(bytes.slice(start, start + Limits.objectChunkBytes))
  return result
}

interface Kept {
  readonly body: Uint8Array
  readonly storedAtMs: number
}

const make = (objects: Map<string, Kept>): typeof ObjectStore.Service => {
  const found = (key: string) =>
    Effect.flatMap(checkedKey(key), () => {
      const kept = objects.get(key)
      return kept === undefined ? new ObjectMissing({ key }) : Effect.succeed(kept)
    })
  const infoOf = (key: string, { body, storedAtMs }: Kept) => ({ key, sizeBytes: body.length, storedAtMs })
  const startingWith = (prefix: string) => [...objects.keys()].filter((key) => key.startsWith(prefix))

  return {
    put: (key, body) =>
      Effect.zipWith(
        checkedKey(key),
        nowMillis,
        (_, storedAtMs) => void objects.set(key, { body: body.slice(), storedAtMs })
      ),
    create: (key, body) =>
      Effect.zipWith(checkedKey(key), nowMillis, (_, storedAtMs) => {
        if (objects.has(key)) return false
        objects.set(key, { body: body.slice(), storedAtMs })
        return true
      }),
    get: (key) => Effect.map(found(key), ({ body }) => body.slice()),
    stream: (key, range) =>
      Stream.unwrap(
        Effect.map(found(key), ({ body }) =>
          Stream.fromIterable(
            chunks(range === undefined ? body : body.slice(Math.max(0, range.start), Math.max(0, range.end)))
          )
        )
      ),
    head: (key) => Effect.map(found(key), (kept) => infoOf(key, kept)),
    copy: (from, to) =>
      Effect.andThen(
        checkedKey(to),
        Effect.map(found(from), (kept) => void objects.set(to, kept))
      ),
    list: (prefix, options) =>
      Effect.map(checkedPrefix(prefix), () =>
        startingWith(prefix)
          .filter((key) => options?.after === undefined || compareCodePoints(key, options.after) > 0)
          .sort(compareCodePoints)
          .slice(0, Math.max(0, Math.min(options?.limit ?? Limits.objectListLimit, Limits.objectListLimit)))
          .flatMap((key) => {
            const kept = objects.get(key)
            return kept === undefined ? [] : [infoOf(key, kept)]
          })
      ),
    remove: (key) => Effect.map(checkedKey(key), () => void objects.delete(key)),
    removePrefix: (prefix) =>
      Effect.map(checkedPrefix(prefix, "whole"), () => startingWith(prefix).filter((key) => objects.delete(key)).length)
  }
}

/** A fresh store. */
export const layerMemory: Layer.Layer<ObjectStore> = Layer.sync(ObjectStore, () => make(new Map()))
