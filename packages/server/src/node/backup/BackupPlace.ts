/** Where a backup is: a folder of its own, or a place of its own in a bucket. */
import { mkdir, readdir, readFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { absent, codeOf, syncDirectory, unless, writeSynced } from "@pawl/adapters-local/objects/DurableFile"
import { placeText } from "@pawl/adapters-s3/BucketAddress"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { wordsOf } from "@pawl/core/primitives/Words"
import { Effect, Layer, Option, type Scope } from "effect"
import { objectsOf } from "../ObjectOptions.ts"
import type { Options } from "../Options.ts"
import { type BackupUnusable, unusable } from "./BackupFormat.ts"
import { fileWords } from "./FileWords.ts"

/** Named bytes. */
export interface BackupPlace {
  /** As people write it. */
  readonly text: string
  readonly isEmpty: Effect.Effect<boolean, BackupUnusable>
  /** Stores a new file, durably. */
  readonly put: (name: string, bytes: Uint8Array) => Effect.Effect<void, BackupUnusable>
  /** The bytes of a file; null where there is none. */
  readonly get: (name: string) => Effect.Effect<Uint8Array | null, BackupUnusable>
}

/** Folder by folder, where others may be at the same: `recursive` says of a read-only disk that something is not there. */
const makeFolder = async (path: string): Promise<void> => {
  const make = () =>
    unless<boolean, boolean>(
      mkdir(path, { mode: 0o700 }).then(() => true),
      ["EEXIST"],
      false
    )
  const made = await make().catch(async (cause: unknown) => {
    if (codeOf(cause) !== "ENOENT") throw cause
    await makeFolder(dirname(path))
    return make()
  })
  if (made) await syncDirectory(dirname(path))
}

const inFolder = (given: string): BackupPlace => {
  const folder = resolve(given)
  const attempt = <A>(what: string, work: () => Promise<A>) =>
    Effect.uninterruptible(
      Effect.tryPromise({ try: work, catch: (cause) => unusable(`${join(folder, what)}: ${fileWords(cause)}`) })
    )
  return {
    text: folder,
    isEmpty: attempt("", async () => (await unless(readdir(folder), ["ENOENT"], [])).length === 0),
    put: (name, bytes) =>
      attempt(name, async () => {
        const path = join(folder, name)
        await makeFolder(dirname(path))
        await writeSynced(path, bytes)
        await syncDirectory(dirname(path))
      }),
    get: (name) => attempt(name, () => unless<Uint8Array, null>(readFile(join(folder, name)), absent, null))
  }
}

const inStore = (text: string, objects: ObjectStore["Service"]): BackupPlace => {
  const said = (error: Error) => unusable(`${text}: ${wordsOf(error)}`)
  return {
    text,
    isEmpty: objects.list("", { limit: 1 }).pipe(
      Effect.map((found) => found.length === 0),
      Effect.mapError(said)
    ),
    put: (name, bytes) => Effect.mapError(objects.put(name, bytes), said),
    get: (name) =>
      objects.get(name).pipe(
        Effect.catchTag("ObjectMissing", () => Effect.succeed(null)),
        Effect.mapError(said)
      )
  }
}

/** The bucket of the installation's own objects is reached as those are; another one by AWS's own names alone. */
const bucketOf = (text: string, { objects }: Pick<Options, "objects">) => {
  const endpoint = process.env["AWS_ENDPOINT_URL_S3"] ?? process.env["AWS_ENDPOINT_URL"]
  const read = objectsOf({
    objects: text,
    s3Endpoint: Option.fromNullishOr(endpoint),
    s3Region: Option.none(),
    s3PathStyle: Option.none()
  })
  if (typeof read === "string" || read._tag === "Folder" || objects._tag === "Folder") return read
  const { endpoint: own, pathStyle, region } = objects
  return { ...read, endpoint: own, pathStyle, region }
}

const inBucket = (text: string, options: Pick<Options, "objects">) =>
  Effect.gen(function* () {
    const bucket = bucketOf(text, options)
    if (typeof bucket === "string") return yield* unusable(bucket)
    if (bucket._tag === "Folder") return yield* unusable(`${text} names no bucket`)
    const { objects } = options
    const mixes =
      objects._tag === "Bucket" &&
      objects.bucket === bucket.bucket &&
      (bucket.root.startsWith(objects.root) || objects.root.startsWith(bucket.root))
    if (mixes) return yield* unusable(`${placeText(bucket)} is where the objects are: name a place of its own`)
    const { layer } = yield* Effect.promise(() => import("@pawl/adapters-s3/S3ObjectStore"))
    const services = yield* Effect.mapError(Layer.build(layer(bucket)), (error) => unusable(wordsOf(error)))
    return inStore(placeText(bucket), yield* Effect.provide(ObjectStore, services))
  })

/** The place that a text names: `s3://bucket/prefix`, or a folder. */
export const placeOf = (
  text: string,
  options: Pick<Options, "objects">
): Effect.Effect<BackupPlace, BackupUnusable, Scope.Scope> =>
  text.startsWith("s3:") ? inBucket(text, options) : Effect.succeed(inFolder(text))
