/**
 * An adapter from outside: objects as rows of one SQLite file, with the SQLite that Node brings along. It is here to
 * show what an adapter takes, not to be used: a row is read whole, and a large object blocks the event loop.
 */
import { DatabaseSync } from "node:sqlite"
import {
  checkedKey,
  checkedPrefix,
  type InvalidKey,
  ObjectMissing,
  ObjectStore,
  ObjectStoreUnavailable
} from "@pawl/core/objects/ObjectStore"
import { Limits } from "@pawl/core/primitives/Limits"
import { Effect, Layer, Stream } from "effect"

type Unavailable = ObjectStoreUnavailable

/** What SQLite throws is a store that is away, with the operation and the key, and nothing of the object. */
const attempt = <A>(operation: string, key: string, run: () => A): Effect.Effect<A, Unavailable> =>
  Effect.try({
    try: run,
    catch: (cause) =>
      new ObjectStoreUnavailable({ operation, key, reason: cause instanceof Error ? cause.message : "it failed" })
  })

const bodyOf = (row: Record<string, unknown> | undefined): Uint8Array | undefined => {
  const body = row?.["body"]
  return body instanceof Uint8Array ? body : undefined
}

const chunks = (body: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(body.length / Limits.objectChunkBytes) }, (_, index) =>
    body.slice(index * Limits.objectChunkBytes, (index + 1) * Limits.objectChunkBytes)
  )

const infoOf = (row: Record<string, unknown>) => ({
  key: String(row["key"]),
  sizeBytes: Number(row["size"]),
  storedAtMs: Number(row["stored_at"])
})

const make = (database: DatabaseSync): ObjectStore["Service"] => {
  const insert = database.prepare(
    "insert into object (key, body, stored_at) values (?, ?, ?) on conflict (key) do nothing"
  )
  const upsert = database.prepare(
    "insert into object (key, body, stored_at) values (?, ?, ?) on conflict (key) do update set body = excluded.body, stored_at = excluded.stored_at"
  )
  const select = database.prepare("select body, stored_at from object where key = ?")
  // The keys are UTF-8 and compared byte by byte, which is the order of code points.
  const page = database.prepare(
    "select key, length(body) as size, stored_at from object where substr(key, 1, length(?1)) = ?1 and key > ?2 order by key limit ?3"
  )
  const remove = database.prepare("delete from object where key = ?")
  const removePrefix = database.prepare("delete from object where substr(key, 1, length(?1)) = ?1")

  const get = (key: string): Effect.Effect<Uint8Array, InvalidKey | ObjectMissing | Unavailable> =>
    Effect.andThen(
      checkedKey(key),
      Effect.flatMap(
        attempt("get", key, () => bodyOf(select.get(key))),
        (body) => (body === undefined ? new ObjectMissing({ key }) : Effect.succeed(body))
      )
    )
  const put = (key: string, body: Uint8Array): Effect.Effect<void, InvalidKey | Unavailable> =>
    Effect.andThen(checkedKey(key), Effect.asVoid(attempt("put", key, () => upsert.run(key, body, Date.now()))))

  return {
    get,
    put,
    create: (key, body) =>
      Effect.andThen(
        checkedKey(key),
        attempt("create", key, () => insert.run(key, body, Date.now()).changes === 1)
      ),
    head: (key) =>
      Effect.flatMap(get(key), (body) =>
        Effect.map(
          attempt("head", key, () => select.get(key)),
          (row) => ({ key, sizeBytes: body.length, storedAtMs: Number(row?.["stored_at"]) })
        )
      ),
    copy: (from, to) =>
      Effect.andThen(
        checkedKey(to),
        Effect.flatMap(get(from), (body) => put(to, body))
      ),
    stream: (key, range) =>
      Stream.unwrap(
        Effect.map(get(key), (body) =>
          Stream.fromIterable(
            chunks(range === undefined ? body : body.slice(Math.max(0, range.start), Math.max(0, range.end)))
          )
        )
      ),
    list: (prefix, options) =>
      Effect.andThen(
        checkedPrefix(prefix),
        attempt("list", prefix, () => {
          const limit = Math.min(options?.limit ?? Limits.objectListLimit, Limits.objectListLimit)
          return page.all(prefix, options?.after ?? "", limit).map(infoOf)
        })
      ),
    remove: (key) => Effect.andThen(checkedKey(key), Effect.asVoid(attempt("remove", key, () => remove.run(key)))),
    removePrefix: (prefix) =>
      Effect.andThen(
        checkedPrefix(prefix, "whole"),
        attempt("removePrefix", prefix, () => Number(removePrefix.run(prefix).changes))
      )
  }
}

const open = (filename: string): DatabaseSync => {
  const database = new DatabaseSync(filename)
  // A commit that was answered must outlive a power cut.
  database.exec(
    "pragma journal_mode = wal; pragma synchronous = full; create table if not exists object (key text primary key, body blob not null, stored_at integer not null) strict"
  )
  return database
}

/** Objects in this file; `:memory:` for none. The file is closed with the layer's scope. */
export const layer = (options: { readonly filename: string }): Layer.Layer<ObjectStore> =>
  Layer.effect(
    ObjectStore,
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => open(options.filename)),
        (database) => Effect.sync(() => database.close())
      ),
      make
    )
  )
