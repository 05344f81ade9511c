/**
 * Packages in a bucket: what an archive unpacked to, once by its digest, and layers, which name what stands at which place
 * of them. All of it can be made again from the registry; what is damaged counts as missing.
 */
import { UnpackedFacts } from "@pawl/adapters-local/packages/UnpackedFacts"
import { LayerManifest } from "@pawl/adapters-local/packages/LayerManifest"
import { type InvalidKey, ObjectStore, type ObjectStoreUnavailable } from "@pawl/core/objects/ObjectStore"
import { sha256, utf8 } from "@pawl/core/primitives/Digest"
import { textOf } from "@pawl/core/primitives/Utf8"
import { Effect, Option, Schema } from "effect"
import type { UnpackAnswer } from "./UnpackMessages.ts"

type Kept<A> = Effect.Effect<A, InvalidKey | ObjectStoreUnavailable, ObjectStore>

const KeptFacts = Schema.Struct({
  facts: UnpackedFacts,
  /** The bytes of each of `facts.files`, which stand in the object one after the other. */
  lengths: Schema.Array(Schema.Finite),
  /** Of the object. */
  sha256: Schema.String
})
/** What is known of an unpacked archive, and of its one object. */
export interface KeptFacts extends Schema.Schema.Type<typeof KeptFacts> {}

const KeptLayer = Schema.Struct({
  packages: LayerManifest.fields.packages,
  links: LayerManifest.fields.links,
  contents: Schema.Array(
    Schema.Struct({
      /** The place of the package. */
      path: Schema.String,
      digest: Schema.String,
      sha256: Schema.String,
      /** Below that place, with where each begins in the object and how long it is. */
      files: Schema.Array(Schema.Tuple([Schema.String, Schema.Finite, Schema.Finite]))
    })
  )
})
/** A layer: which packages stand in it, and in which objects their files are. */
export interface KeptLayer extends Schema.Schema.Type<typeof KeptLayer> {}

/** Changes when archives are unpacked, or layers written, in another way. */
const form = 1
const factsKey = (digest: string): string => `unpacked/${form}/${digest}.json`
const contentKey = (digest: string): string => `unpacked/${form}/${digest}`
const layerKey = (id: string): string => `layers/${form}/${id}.json`

const got = (key: string): Kept<Uint8Array | null> =>
  Effect.flatMap(ObjectStore, (objects) => objects.get(key)).pipe(
    Effect.catchTag("ObjectMissing", () => Effect.succeed(null))
  )

const put = (key: string, bytes: Uint8Array): Kept<void> =>
  Effect.flatMap(ObjectStore, (objects) => objects.put(key, bytes))

const decodeFacts = Schema.decodeUnknownOption(Schema.fromJsonString(KeptFacts))
const decodeLayer = Schema.decodeUnknownOption(Schema.fromJsonString(KeptLayer))

/** What is known of an unpacked archive; null where it, or its one object, is not kept. */
export const keptFacts = Effect.fnUntraced(function* (digest: string) {
  const bytes = yield* got(factsKey(digest))
  const known = bytes === null ? null : Option.getOrNull(decodeFacts(textOf(bytes)))
  if (known === null) return null
  const objects = yield* ObjectStore
  return yield* objects.head(contentKey(digest)).pipe(
    Effect.as(known),
    Effect.catchTag("ObjectMissing", () => Effect.succeed(null))
  )
})

/** Keeps what an archive unpacked to. What is known of it comes last. */
export const keepUnpacked = Effect.fnUntraced(function* (
  digest: string,
  { content, facts, lengths }: Extract<UnpackAnswer, { readonly _tag: "Unpacked" }>
) {
  const kept: KeptFacts = { facts, lengths, sha256: yield* sha256(content) }
  yield* put(contentKey(digest), content)
  yield* put(factsKey(digest), utf8(JSON.stringify(kept)))
  return kept
})

/** The files of an unpacked archive; null where they are not kept, or are others than were. */
export const keptContent = Effect.fnUntraced(function* (digest: string, expected: string) {
  const bytes = yield* got(contentKey(digest))
  return bytes !== null && (yield* sha256(bytes)) === expected ? bytes : null
})

/** Forgets what is known of an archive, so that it is fetched again. */
export const dropUnpacked = (digest: string): Kept<void> =>
  Effect.flatMap(ObjectStore, (objects) => objects.remove(factsKey(digest)))

/** A layer that is kept; null for none. */
export const keptLayer = (id: string): Kept<KeptLayer | null> =>
  Effect.map(got(layerKey(id)), (bytes) => (bytes === null ? null : Option.getOrNull(decodeLayer(textOf(bytes)))))

/** Keeps a layer. */
export const keepLayer = (id: string, layer: KeptLayer): Kept<void> => put(layerKey(id), utf8(JSON.stringify(layer)))

/** Forgets a layer, so that it is made again. */
export const dropLayer = (id: string): Kept<void> =>
  Effect.flatMap(ObjectStore, (objects) => objects.remove(layerKey(id)))
