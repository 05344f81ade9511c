/** Bundles: that each one is there whole, with all that it names, and whether one derives from another. */
import { Effect } from "effect"
import { Limits } from "../primitives/Limits.ts"
import { canonicalJson } from "../primitives/Digest.ts"
import { isLooked, objectOf, type Proof } from "./ProofState.ts"
import { type BundleText, isBundle } from "./RecordShapes.ts"
import { readOnce } from "../primitives/StrictJson.ts"
import { exactText } from "../primitives/Utf8.ts"
import type { KeptThing, Thing } from "./Material.ts"

/** The JSON of an object; null for what is none. */
const jsonOf = Effect.fnUntraced(function* (kept: KeptThing | null) {
  const text = kept === null ? null : exactText(yield* kept.bytes)
  const read = text === null ? null : readOnce(text, Limits.provenObjectBytes)
  return read !== null && "value" in read ? read.value : null
})

/** The bundle.json in an object; null for what is none. */
export const bundleIn = (kept: KeptThing) => Effect.map(jsonOf(kept), (json) => (isBundle(json) ? json : null))

const partsOf = ({
  assets,
  maps = {},
  modules,
  sbom
}: BundleText): ReadonlyArray<Pick<Thing, "as" | "sha256" | "name">> => [
  ...Object.entries(assets.manifest).map(([path, { sha256 }]) => ({
    as: "asset" as const,
    sha256,
    name: `assets/${path}`
  })),
  ...[...Object.values(modules), ...Object.values(maps)].flatMap(({ object, sha256 }) =>
    object === undefined ? [] : [{ as: "asset" as const, sha256, name: object }]
  ),
  ...(sbom === undefined ? [] : [{ as: "sbom" as const, sha256: sbom.sha256, name: sbom.object }])
]

/** A bundle.json; null where it is not there or not the one. With all that it names, once. */
export const bundleOf = Effect.fnUntraced(function* (proof: Proof, where: string, sha256: string, commit: string) {
  const thing: Thing = { as: "bundle", sha256, commit }
  const isNew = !isLooked(proof, thing)
  const kept = isNew
    ? yield* objectOf(proof, where, thing)
    : proof.material.object === null
      ? null
      : yield* proof.material.object(thing)
  if (kept?.sha256 !== sha256) return null
  const bundle = yield* jsonOf(kept)
  if (!isBundle(bundle)) {
    if (isNew) proof.findings.say(where, "bundle_mismatch", `${sha256} is no bundle.json`)
    return null
  }
  if (isNew)
    for (const part of partsOf(bundle)) {
      const whole = { ...part, commit }
      if (!isLooked(proof, whole)) yield* objectOf(proof, where, whole)
    }
  return bundle
})

/** All of a bundle but what names its commit: equal of two where one was derived from the other. */
const withoutAddress = (bundle: BundleText): string => {
  const rest: Record<string, unknown> = { ...bundle }
  for (const name of ["commit", "builtAt", "sbom"]) delete rest[name]
  return canonicalJson({ ...rest, packages: bundle.sbom !== undefined })
}

/** Whether a bundle is another one at this commit: the same modules, assets and rules. */
export const isDerived = (bundle: BundleText, from: BundleText, commit: string): boolean =>
  bundle.commit === commit && withoutAddress(bundle) === withoutAddress(from)
