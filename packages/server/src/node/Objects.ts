/** The object store that the options ask for. No other place asks which one it is. */
import { join } from "node:path"
import * as FileObjectStore from "@pawl/adapters-local/objects/FileObjectStore"
import { placeText, type S3Options } from "@pawl/adapters-s3/BucketAddress"
import { bundleKinds } from "@pawl/core/bundle/Bundle"
import { Effect, Layer } from "effect"
import type { ObjectsChoice } from "./ObjectOptions.ts"

/** What is wrong with where objects are, for `pawl doctor`. */
export interface FoundObjects {
  readonly state: "ok" | "weak" | "missing"
  readonly found: string
  readonly remedy: string | null
}

const folderOf = (data: string): string => join(data, "objects")

/** The client of S3 is read when there is a bucket: a server without one starts the sooner. */
const inBucket = (options: S3Options) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("@pawl/adapters-s3/S3ObjectStore")),
      (S3ObjectStore) => S3ObjectStore.layer(options)
    )
  )

/** The store. `alone`: no other process works in the data folder. */
export const layer = ({ data, objects }: { readonly data: string; readonly objects: ObjectsChoice }, alone: boolean) =>
  objects._tag === "Bucket" ? inBucket(objects) : FileObjectStore.layer({ directory: folderOf(data), alone })

/**
 * The store of a process that only routes. Of a bucket its credentials may read bundles alone: nothing else is asked of it,
 * not even at the start.
 */
export const layerForRouter = (
  { data, objects }: { readonly data: string; readonly objects: ObjectsChoice },
  alone: boolean
) =>
  objects._tag === "Bucket"
    ? Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("@pawl/adapters-s3/S3ObjectStore")),
          (S3ObjectStore) => S3ObjectStore.layerReading(objects, bundleKinds)
        )
      )
    : FileObjectStore.layer({ directory: folderOf(data), alone })

const lookIn = (options: S3Options): Effect.Effect<FoundObjects> =>
  Effect.gen(function* () {
    const { look } = yield* Effect.promise(() => import("@pawl/adapters-s3/BucketLook"))
    const { does, isForbidden, lacks } = yield* look(options)
    const where = `${placeText(options)} at ${options.endpoint ?? "AWS"}, ${options.region}, bucket in the ${options.pathStyle ? "path" : "host"}`
    if (lacks.length === 0) return { state: "ok", found: `${where}: ${does.join(", ")}`, remedy: null } as const
    const remedy = isForbidden
      ? "give the credentials the rights that docs/operating/s3.md lists, or other ones (AWS_…)"
      : does.length === 0
        ? "correct PAWL_OBJECTS, PAWL_S3_… or the credentials (AWS_…); see docs/operating/s3.md"
        : "use a server that does it; see docs/operating/s3.md"
    return { state: "missing", found: `${where}. It lacks: ${lacks.join("; ")}`, remedy } as const
  })

const readIn = (options: S3Options, keys: ReadonlyArray<string>): Effect.Effect<FoundObjects> =>
  Effect.gen(function* () {
    const { look } = yield* Effect.promise(() => import("@pawl/adapters-s3/ReadingLook"))
    const { surplus, unread } = yield* look(options, keys)
    const where = `${placeText(options)} at ${options.endpoint ?? "AWS"}, ${options.region}, bucket in the ${options.pathStyle ? "path" : "host"}`
    const remedy = "see docs/operating/router-rights.md for the policy of a router's credentials"
    if (unread !== null) return { state: "missing", found: `${where}. It lacks: ${unread}`, remedy } as const
    const reads = keys.length === 0 ? "no bundle is there yet to be read" : "bundles are read"
    if (surplus.length === 0)
      return { state: "ok", found: `${where}: ${reads}, and nothing else`, remedy: null } as const
    return { state: "weak", found: `${where}: ${reads}. A router needs not: ${surplus.join(", ")}`, remedy } as const
  })

/** The same as a process that only routes: some of the bundles that it serves are read, and what it needs not is tried. */
export const lookAsRouter = (
  options: Parameters<typeof look>[0],
  keys: ReadonlyArray<string>
): Effect.Effect<FoundObjects> => (options.objects._tag === "Bucket" ? readIn(options.objects, keys) : look(options))

/** Looks at where objects are; in a bucket each thing is tried once. */
export const look = ({
  data,
  objects
}: {
  readonly data: string
  readonly objects: ObjectsChoice
}): Effect.Effect<FoundObjects> =>
  objects._tag === "Bucket"
    ? lookIn(objects)
    : Effect.succeed({ state: "ok", found: `files in ${folderOf(data)}`, remedy: null })
