/** The object store that the options ask for. No other place asks which one it is. */
import { join } from "node:path"
import * as FileObjectStore from "@pawl/adapters-local/objects/FileObjectStore"
import { placeText, type S3Options } from "@pawl/adapters-s3/BucketAddress"
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

const lookIn = (options: S3Options): Effect.Effect<FoundObjects> =>
  Effect.gen(function* () {
    const { look } = yield* Effect.promise(() => import("@pawl/adapters-s3/BucketLook"))
    const { does, lacks } = yield* look(options)
    const where = `${placeText(options)} at ${options.endpoint ?? "AWS"}, ${options.region}, bucket in the ${options.pathStyle ? "path" : "host"}`
    if (lacks.length === 0) return { state: "ok", found: `${where}: ${does.join(", ")}`, remedy: null } as const
    const remedy =
      does.length === 0
        ? "correct PAWL_OBJECTS, PAWL_S3_… or the credentials (AWS_…); see docs/operating/s3.md"
        : "use a server that does it; see docs/operating/s3.md"
    return { state: "missing", found: `${where}. It lacks: ${lacks.join("; ")}`, remedy } as const
  })

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
