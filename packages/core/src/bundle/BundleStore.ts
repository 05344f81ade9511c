/** Bundles in the object store: assets first, `bundle.json` last, so that a bundle that exists is complete. */
import { Effect, Schema } from "effect"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { sha256, utf8, canonicalJson } from "../primitives/Digest.ts"
import { readdressed } from "../packages/Sbom.ts"
import { assetKey, Bundle, bundleKey, sbomName } from "./Bundle.ts"
import { textOf } from "../primitives/Utf8.ts"

/** The stored bundle is not what it should be: another digest, or bytes that do not parse. It must not be served. */
export class BundleDamaged extends Schema.TaggedError<BundleDamaged>()("BundleDamaged", {
  key: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The bundle ${this.key} is damaged: ${this.reason}`
  }
}

/** A bundle that was read, with what a pointer names it by. */
export interface StoredBundle {
  readonly bundle: Bundle
  readonly key: string
  /** SHA-256 of the stored `bundle.json`. */
  readonly digest: string
}

/** The bytes of a `bundle.json`: canonical JSON, so that equal bundles have one digest. */
export const encode = (bundle: Bundle): Uint8Array => utf8(canonicalJson(Schema.encodeSync(Bundle)(bundle)))

/** A bundle that was built, as it is stored: it names the list of its packages by its digest. */
export const digested = Effect.fnUntraced(function* (built: { readonly bundle: Bundle; readonly sbom?: Uint8Array }) {
  const { sbom } = built
  const bundle: Bundle =
    sbom === undefined ? built.bundle : { ...built.bundle, sbom: { sha256: yield* sha256(sbom), object: sbomName } }
  const body = encode(bundle)
  return { bundle, body, digest: yield* sha256(body) }
})

/** Stores assets, module objects, source maps and the list of packages, then `bundle.json`. Storing the same bundle again is safe. */
export const store = Effect.fnUntraced(function* (
  prefix: string,
  built: {
    readonly bundle: Bundle
    readonly assets: ReadonlyMap<string, Uint8Array>
    readonly objects: ReadonlyMap<string, Uint8Array>
    /** Makes the list of its packages, while the rest is being stored. The bundle names it by its digest from then on. */
    readonly sbom?: Effect.Effect<Uint8Array>
  }
) {
  const objects = yield* ObjectStore
  const parts: ReadonlyArray<readonly [key: string, body: Uint8Array]> = [
    ...[...built.objects].map(([name, body]) => [`${prefix}${name}`, body] as const),
    ...[...built.assets].map(([path, body]) => [assetKey(prefix, path), body] as const)
  ]
  const storing = Effect.forEach(parts, ([key, body]) => objects.put(key, body), { concurrency: 8, discard: true })
  const { sbom: listing, ...rest } = built
  const listed = Effect.gen(function* () {
    if (listing === undefined) return yield* digested(rest)
    const sbom = yield* listing
    const stored = objects.put(`${prefix}${sbomName}`, sbom)
    return (yield* Effect.all([digested({ ...rest, sbom }), stored], { concurrency: "unbounded" }))[0]
  })
  const [, { body, bundle, digest }] = yield* Effect.all([storing, listed], { concurrency: "unbounded" })
  yield* objects.put(bundleKey(prefix), body)
  return { bundle, key: bundleKey(prefix), digest } satisfies StoredBundle
})

/** The bundle under a key, checked against the digest when one is given. Fails with `ObjectMissing` or `BundleDamaged`. */
export const load = Effect.fnUntraced(function* (key: string, expectedDigest?: string) {
  const objects = yield* ObjectStore
  const body = yield* objects.get(key)
  const digest = yield* sha256(body)
  if (expectedDigest !== undefined && digest !== expectedDigest)
    return yield* new BundleDamaged({ key, reason: `its digest is ${digest}, not ${expectedDigest}` })
  const bundle = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(Bundle))(textOf(body)).pipe(
    Effect.mapError((error) => new BundleDamaged({ key, reason: error.message }))
  )
  return { bundle, key, digest } satisfies StoredBundle
})

/** As `load`, or `null` when there is none. */
export const find = (key: string, expectedDigest?: string) =>
  load(key, expectedDigest).pipe(Effect.catchTag("ObjectMissing", () => Effect.succeed(null)))

const copyParts = Effect.fnUntraced(function* (fromPrefix: string, toPrefix: string, bundle: Bundle) {
  const objects = yield* ObjectStore
  const names = [
    ...Object.keys(bundle.assets.manifest).map((path) => `assets/${path}`),
    ...Object.values(bundle.modules).flatMap((module) => (module.object === undefined ? [] : [module.object])),
    ...Object.values(bundle.maps ?? {}).map((map) => map.object)
  ]
  yield* Effect.forEach(names, (name) => objects.copy(`${fromPrefix}${name}`, `${toPrefix}${name}`), {
    concurrency: 8,
    discard: true
  })
})

/** The list of a bundle's packages; null when it has none. Fails with `ObjectMissing`, or `BundleDamaged` when it is another one. */
export const sbomOf = Effect.fnUntraced(function* (stored: StoredBundle) {
  const { sbom } = stored.bundle
  if (sbom === undefined) return null
  const key = `${stored.key.slice(0, -bundleKey("").length)}${sbom.object}`
  const body = yield* Effect.flatMap(ObjectStore, (objects) => objects.get(key))
  const digest = yield* sha256(body)
  return digest === sbom.sha256
    ? body
    : yield* new BundleDamaged({ key, reason: `its digest is ${digest}, not ${sbom.sha256}` })
})

/** Copies a bundle with its assets and objects, `bundle.json` last. */
export const copy = Effect.fnUntraced(function* (fromPrefix: string, toPrefix: string, stored: StoredBundle) {
  yield* copyParts(fromPrefix, toPrefix, stored.bundle)
  const { sbom } = stored.bundle
  if (sbom !== undefined)
    yield* Effect.flatMap(ObjectStore, (objects) =>
      objects.copy(`${fromPrefix}${sbom.object}`, `${toPrefix}${sbom.object}`)
    )
  yield* Effect.flatMap(ObjectStore, (objects) => objects.copy(bundleKey(fromPrefix), bundleKey(toPrefix)))
  return { ...stored, key: bundleKey(toPrefix) } satisfies StoredBundle
})

/** Which commit a bundle is to be of, and when it counts as built. */
interface Readdress {
  readonly commit: string
  readonly builtAt: string
}

const listedAt = Effect.fnUntraced(function* (fromPrefix: string, stored: StoredBundle, to: Readdress) {
  const listed = yield* sbomOf({ ...stored, key: bundleKey(fromPrefix) })
  return listed === null ? {} : { sbom: yield* Effect.orDie(readdressed(listed, to)) }
})

/** The digest that a bundle gets when it is given to another commit of the same tree. Nothing is stored. */
export const readdressedDigest = Effect.fnUntraced(function* (fromPrefix: string, stored: StoredBundle, to: Readdress) {
  const listed = yield* listedAt(fromPrefix, stored, to)
  return (yield* digested({ bundle: { ...stored.bundle, ...to }, ...listed })).digest
})

/**
 * Gives a bundle of another commit with the same tree to this commit: the same modules and assets under its own
 * address, and so is the list of its packages. Its digest is what a build of this commit would have had.
 */
export const readdress = Effect.fnUntraced(function* (
  fromPrefix: string,
  toPrefix: string,
  stored: StoredBundle,
  to: Readdress
) {
  yield* copyParts(fromPrefix, toPrefix, stored.bundle)
  const { sbom } = yield* listedAt(fromPrefix, stored, to)
  return yield* store(toPrefix, {
    bundle: { ...stored.bundle, ...to },
    assets: new Map(),
    objects: new Map(),
    ...(sbom === undefined ? {} : { sbom: Effect.succeed(sbom) })
  })
})
