/** The merge of two package.json by what they say: each dependency by its name, whichever lines it stands on. */
import { compareCodePoints } from "../primitives/CodePoints.ts"
import { canonicalJson } from "../primitives/Digest.ts"
import { objectOf, readManifestText, writeManifest } from "./ManifestText.ts"
import { dependencyKinds, isObject, type JsonObject } from "./PackageManifest.ts"

/** Fields whose entries are merged one by one. */
const merged: ReadonlySet<string> = new Set([...dependencyKinds, "peerDependenciesMeta", "scripts", "engines"])

/** A key that no side has. */
const nothing = Symbol("nothing")
type Value = unknown

const valueOf = (object: JsonObject, key: string): Value => (Object.hasOwn(object, key) ? object[key] : nothing)

const isSame = (one: Value, other: Value): boolean =>
  one === nothing || other === nothing ? one === other : canonicalJson(one) === canonicalJson(other)

/** What three sides come to; undefined for a conflict. */
const chosen = (base: Value, ours: Value, theirs: Value): { readonly value: Value } | undefined => {
  if (isSame(ours, theirs) || isSame(theirs, base)) return { value: ours }
  return isSame(ours, base) ? { value: theirs } : undefined
}

const keysOf = (...objects: ReadonlyArray<JsonObject>): ReadonlyArray<string> => [
  ...new Set(objects.flatMap((object) => Object.keys(object)))
]

/** The entries of one field, in order of ours; what is new is sorted in where ours is sorted. */
const mergeEntries = (base: JsonObject, ours: JsonObject, theirs: JsonObject): JsonObject | undefined => {
  const entries: Array<readonly [string, Value]> = []
  for (const key of keysOf(ours, theirs, base)) {
    const found = chosen(valueOf(base, key), valueOf(ours, key), valueOf(theirs, key))
    if (found === undefined) return undefined
    if (found.value !== nothing) entries.push([key, found.value])
  }
  const own = Object.keys(ours)
  const isSorted = own.every((key, index) => index === 0 || compareCodePoints(own[index - 1]!, key) < 0)
  return objectOf(isSorted ? entries.toSorted(([a], [b]) => compareCodePoints(a, b)) : entries)
}

const asEntries = (value: Value): JsonObject | undefined =>
  value === nothing ? {} : isObject(value) ? value : undefined

const mergeField = (key: string, base: Value, ours: Value, theirs: Value): { readonly value: Value } | undefined => {
  const whole = chosen(base, ours, theirs)
  if (whole !== undefined || !merged.has(key)) return whole
  const [b, o, t] = [asEntries(base), asEntries(ours), asEntries(theirs)]
  if (b === undefined || o === undefined || t === undefined) return undefined
  const value = mergeEntries(b, o, t)
  return value === undefined ? undefined : { value: Object.keys(value).length === 0 ? nothing : value }
}

/** What two sides made of a package.json, in the form of ours. Null when they say different things of one of its parts. */
export const mergeManifests = (sides: {
  readonly base: Uint8Array
  readonly ours: Uint8Array
  readonly theirs: Uint8Array
}): Uint8Array | null => {
  const [base, ours, theirs] = [sides.base, sides.ours, sides.theirs].map(readManifestText)
  if (base === undefined || ours === undefined || theirs === undefined) return null
  if ("wrong" in base || "wrong" in ours || "wrong" in theirs) return null
  const entries: Array<readonly [string, Value]> = []
  for (const key of keysOf(ours.object, theirs.object, base.object)) {
    const found = mergeField(key, valueOf(base.object, key), valueOf(ours.object, key), valueOf(theirs.object, key))
    if (found === undefined) return null
    if (found.value !== nothing) entries.push([key, found.value])
  }
  return writeManifest(ours, objectOf(entries))
}
