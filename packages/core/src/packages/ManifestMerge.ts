/** The merge of two package.json by what they say: each dependency by its name, whichever lines it stands on. */
import { compareCodePoints } from "../primitives/CodePoints.ts"
import { canonicalJson } from "../primitives/Digest.ts"
import { short } from "../primitives/ShortText.ts"
import { objectOf, readManifestText, writeManifest } from "./ManifestText.ts"
import { dependencyKinds, isObject, type JsonObject } from "./PackageManifest.ts"

/** Fields whose entries are merged one by one; of `pnpm`, also the entries of its own. */
const merged: ReadonlyMap<string, number> = new Map([
  ...[...dependencyKinds, "peerDependenciesMeta", "scripts", "engines", "overrides", "resolutions"].map(
    (field) => [field, 1] as const
  ),
  ["pnpm", 2]
])

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

/** The entries of one field, in order of ours; what is new is sorted in where ours is sorted. `depth`: how deep entries are. */
const mergeEntries = (
  base: JsonObject,
  ours: JsonObject,
  theirs: JsonObject,
  depth: number
): JsonObject | undefined => {
  const entries: Array<readonly [string, Value]> = []
  for (const key of keysOf(ours, theirs, base)) {
    const found = mergeValue(valueOf(base, key), valueOf(ours, key), valueOf(theirs, key), depth - 1)
    if (found === undefined) return undefined
    if (found.value !== nothing) entries.push([key, found.value])
  }
  const own = Object.keys(ours)
  const isSorted = own.every((key, index) => index === 0 || compareCodePoints(own[index - 1]!, key) < 0)
  return objectOf(isSorted ? entries.toSorted(([a], [b]) => compareCodePoints(a, b)) : entries)
}

const asEntries = (value: Value): JsonObject | undefined =>
  value === nothing ? {} : isObject(value) ? value : undefined

const mergeValue = (base: Value, ours: Value, theirs: Value, depth: number): { readonly value: Value } | undefined => {
  const whole = chosen(base, ours, theirs)
  if (whole !== undefined || depth === 0) return whole
  const [b, o, t] = [asEntries(base), asEntries(ours), asEntries(theirs)]
  if (b === undefined || o === undefined || t === undefined) return undefined
  const value = mergeEntries(b, o, t, depth)
  return value === undefined ? undefined : { value: Object.keys(value).length === 0 ? nothing : value }
}

const mergeField = (key: string, base: Value, ours: Value, theirs: Value) =>
  mergeValue(base, ours, theirs, merged.get(key) ?? 0)

/** The three texts of a merge. */
interface ManifestSides {
  readonly base: Uint8Array
  readonly ours: Uint8Array
  readonly theirs: Uint8Array
}

const readSides = (sides: ManifestSides) => {
  const [base, ours, theirs] = [sides.base, sides.ours, sides.theirs].map(readManifestText)
  if (base === undefined || ours === undefined || theirs === undefined) return null
  return "wrong" in base || "wrong" in ours || "wrong" in theirs ? null : { base, ours, theirs }
}

/** Something that two sides each say in another way, as JSON; null for a side that does not have it. */
export interface ManifestConflict {
  /** A field of package.json, such as `dependencies`. */
  readonly field: string
  /** The entry of it, such as a package; null for the whole field. */
  readonly name: string | null
  readonly ours: string | null
  readonly theirs: string | null
}

const told = (value: Value): string | null => (value === nothing ? null : short(canonicalJson(value)))

/** The entries of a field that are in conflict, or the field itself. */
const conflictsIn = (key: string, base: Value, ours: Value, theirs: Value): ReadonlyArray<ManifestConflict> => {
  if (mergeField(key, base, ours, theirs) !== undefined) return []
  const [b, o, t] = [asEntries(base), asEntries(ours), asEntries(theirs)]
  const depth = merged.get(key) ?? 0
  if (depth === 0 || b === undefined || o === undefined || t === undefined)
    return [{ field: key, name: null, ours: told(ours), theirs: told(theirs) }]
  return keysOf(o, t, b).flatMap((name) => {
    const [mine, other] = [valueOf(o, name), valueOf(t, name)]
    if (mergeValue(valueOf(b, name), mine, other, depth - 1) !== undefined) return []
    return [{ field: key, name, ours: told(mine), theirs: told(other) }]
  })
}

/** Why `mergeManifests` finds nothing: each part of which two sides say different things. None where a text is no package.json. */
export const manifestConflicts = (sides: ManifestSides): ReadonlyArray<ManifestConflict> => {
  const read = readSides(sides)
  if (read === null) return []
  const [base, ours, theirs] = [read.base.object, read.ours.object, read.theirs.object]
  return keysOf(ours, theirs, base).flatMap((key) =>
    conflictsIn(key, valueOf(base, key), valueOf(ours, key), valueOf(theirs, key))
  )
}

/** What two sides made of a package.json, in the form of ours. Null when they say different things of one of its parts. */
export const mergeManifests = (sides: ManifestSides): Uint8Array | null => {
  const read = readSides(sides)
  if (read === null) return null
  const { base, ours, theirs } = read
  const entries: Array<readonly [string, Value]> = []
  for (const key of keysOf(ours.object, theirs.object, base.object)) {
    const found = mergeField(key, valueOf(base.object, key), valueOf(ours.object, key), valueOf(theirs.object, key))
    if (found === undefined) return null
    if (found.value !== nothing) entries.push([key, found.value])
  }
  return writeManifest(ours, objectOf(entries))
}
