/**
 * What is in a bundle, as CycloneDX 1.6 (cyclonedx.org) has it: made from what was built, not from what was asked for. It
 * holds no chance and no clock: building again gives the same bytes.
 */
import { Effect, Result, Schema } from "effect"
import { Base64, Hex } from "effect/encoding"
import { canonicalJson, sha256, utf8 } from "../primitives/Digest.ts"
import { compareCodePoints } from "../primitives/CodePoints.ts"
import type { PackageGraph } from "./PackageGraph.ts"
import { licensesOf } from "./SbomLicenses.ts"
import type { LayeredPackage } from "./PackageStore.ts"
import { textOf } from "../primitives/Utf8.ts"

/** The media type of a list (cyclonedx.org/specification/overview). */
export const sbomType = "application/vnd.cyclonedx+json; version=1.6"

/** A package of which a bundle holds something. */
export interface HeldPackage {
  /** Its folder: `node_modules/a`. */
  readonly path: string
  /** Of one that the builder brings along itself, which lies neither in the layer nor in the source. */
  readonly brought?: { readonly name: string; readonly version: string; readonly license: string | null }
}

/** The bundle that a list is of, and what is known of the packages that were there when it was built. */
export interface SbomInput {
  readonly project: string
  readonly commit: string
  readonly tree: string
  /** The time of the build, as the bundle has it. */
  readonly builtAt: string
  readonly builder: { readonly name: string; readonly version: string }
  /** The packages that the build saw in its `node_modules`; empty without a lock file. */
  readonly layer: ReadonlyArray<LayeredPackage>
  /** Who needs whom of them, by the lock. Without it no package is said to need another. */
  readonly graph?: PackageGraph
  /** The packages of which the bundle is known to hold something. */
  readonly held: ReadonlyArray<HeldPackage>
  /** Whether others of the layer may be in it too, as after a build command: then all of the layer is listed. */
  readonly mayHoldOthers: boolean
  /** The package.json of a package that is vendored in the source, by its folder; null for none. */
  readonly manifest: (folder: string) => Uint8Array | null
}

const Property = Schema.Struct({ name: Schema.String, value: Schema.String })
const Component = Schema.Struct({ name: Schema.String, version: Schema.String })
type Component = Record<string, unknown>

/** The parts of a stored list that name one commit; the rest is kept as it is. */
const Readdressed = Schema.fromJsonString(
  Schema.StructWithRest(
    Schema.Struct({
      metadata: Schema.StructWithRest(
        Schema.Struct({
          timestamp: Schema.String,
          component: Schema.StructWithRest(Component, [Schema.Record(Schema.String, Schema.Unknown)])
        }),
        [Schema.Record(Schema.String, Schema.Unknown)]
      )
    }),
    [Schema.Record(Schema.String, Schema.Unknown)]
  )
)

/** What half a surrogate pair becomes: no URL can hold it. */
const wellFormed = (text: string): string => text.replaceAll(/\p{Surrogate}/gu, "\uFFFD")
const escaped = (text: string): string => encodeURIComponent(wellFormed(text))

/** The package URL of an npm package (github.com/package-url): `pkg:npm/%40scope/name@1.0.0`. */
export const purlOf = (name: string, version: string | null): string =>
  `pkg:npm/${name.split("/").map(escaped).join("/")}${version === null ? "" : `@${escaped(version)}`}`

const algorithms: Readonly<Record<string, string>> = {
  sha512: "SHA-512",
  sha384: "SHA-384",
  sha256: "SHA-256",
  sha1: "SHA-1"
}

/** The hashes that an integrity of a lock file names, in hex; what cannot be read is left out. */
export const hashesOf = (integrity: string): ReadonlyArray<{ readonly alg: string; readonly content: string }> =>
  integrity.split(/\s+/).flatMap((part) => {
    const [, name = "", value = ""] = /^(sha\d+)-([A-Za-z0-9+/=]+)/.exec(part) ?? []
    const [alg, bytes] = [algorithms[name], Base64.decode(value)]
    return alg === undefined || Result.isFailure(bytes) ? [] : [{ alg, content: Hex.encode(bytes.success) }]
  })

const namesOf = (name: string): { readonly group?: string; readonly name: string } => {
  const slash = name.indexOf("/")
  return name.startsWith("@") && slash > 0 ? { group: name.slice(0, slash), name: name.slice(slash + 1) } : { name }
}

const property = (name: string, value: string): typeof Property.Type => ({ name, value })

const ofLayer = (found: LayeredPackage, isHeld: boolean): Component => ({
  type: "library",
  "bom-ref": found.path,
  ...namesOf(found.name),
  version: found.version,
  // Nobody can tell whether a build command put something of it in: starters have what they ship among what they build with.
  scope: isHeld || !found.dev ? "required" : "optional",
  hashes: hashesOf(found.integrity),
  licenses: licensesOf(found.license),
  purl: purlOf(found.name, found.version),
  properties: [
    property("cdx:npm:package:path", found.path),
    ...(found.dev ? [property("cdx:npm:package:development", "true")] : []),
    ...(found.scripts.length === 0 ? [] : [property("pawl:scripts-not-run", found.scripts.join(" "))])
  ]
})

const Vendored = Schema.fromJsonString(
  Schema.Struct({
    name: Schema.optionalKey(Schema.Unknown),
    version: Schema.optionalKey(Schema.Unknown),
    license: Schema.optionalKey(Schema.Unknown)
  })
)

const saidText = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null)

/** A package that lies in the source: it says itself what it is, and nobody checked that. */
const ofSource = (folder: string, manifest: Uint8Array | null): Component => {
  const read = manifest === null ? null : Schema.decodeResult(Vendored)(textOf(manifest))
  const said = read === null || Result.isFailure(read) ? {} : read.success
  const name = saidText(said.name) ?? folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length)
  const version = saidText(said.version)
  return {
    type: "library",
    "bom-ref": folder,
    ...namesOf(name),
    ...(version === null ? {} : { version }),
    scope: "required",
    licenses: licensesOf(saidText(said.license)),
    purl: purlOf(name, version),
    properties: [property("cdx:npm:package:path", folder), property("pawl:vendored", "true")]
  }
}

/** A package that the builder brings along. Its place is nobody's: its URL stands for it. */
const ofBuilder = ({ license, name, version }: NonNullable<HeldPackage["brought"]>): Component => ({
  type: "library",
  "bom-ref": purlOf(name, version),
  ...namesOf(name),
  version,
  scope: "required",
  licenses: licensesOf(license),
  purl: purlOf(name, version),
  properties: [property("pawl:vendored", "true")]
})

const inner = "/node_modules/"

/** The package of the layer that a folder is of: the nearest upward, for what is bundled in a package is of its archive. */
const placeIn = (there: ReadonlyMap<string, LayeredPackage>, folder: string): LayeredPackage | undefined => {
  for (let place = folder; ; place = place.slice(0, place.lastIndexOf(inner))) {
    const found = there.get(place)
    if (found !== undefined || !place.includes(inner)) return found
  }
}

const byRef = (one: Component, other: Component): number => compareCodePoints(refOf(one), refOf(other))

const componentsOf = ({ held, layer, manifest, mayHoldOthers }: SbomInput): ReadonlyArray<Component> => {
  const there = new Map(layer.map((each) => [each.path, each]))
  const seen = new Set<LayeredPackage>()
  const found = new Map<string, Component>()
  for (const { brought, path } of held) {
    const own = brought === undefined ? placeIn(there, path) : undefined
    if (own !== undefined) seen.add(own)
    else if (brought !== undefined) found.set(purlOf(brought.name, brought.version), ofBuilder(brought))
    else found.set(path, ofSource(path, manifest(path)))
  }
  const listed = mayHoldOthers ? layer : layer.filter((each) => seen.has(each))
  return [...listed.map((each) => ofLayer(each, seen.has(each))), ...found.values()].toSorted(byRef)
}

const refOf = (component: Component): string => String(component["bom-ref"])

/** The listed packages that one needs, also by way of those that are not listed. */
const neededBy = (graph: PackageGraph, listed: ReadonlySet<string>, from: string): ReadonlyArray<string> => {
  const found = new Set<string>()
  const passed = new Set([from])
  for (const place of passed)
    for (const next of graph.get(place) ?? []) {
      if (listed.has(next)) found.add(next)
      else passed.add(next)
    }
  return [...found].filter((each) => each !== from).toSorted(compareCodePoints)
}

/**
 * Who needs whom. What a vendored package needs is not known, so it has no entry of its own. What no other is known to
 * need is there for the source itself.
 */
const dependenciesOf = ({ graph = new Map(), project }: SbomInput, components: ReadonlyArray<Component>) => {
  const listed = new Set(components.map(refOf))
  const entries = components.map(refOf).flatMap((ref) => {
    return graph.has(ref) ? [{ ref, dependsOn: neededBy(graph, listed, ref) }] : []
  })
  const needed = new Set(entries.flatMap(({ dependsOn }) => dependsOn))
  const own = new Set([...neededBy(graph, listed, ""), ...[...listed].filter((ref) => !needed.has(ref))])
  return [{ ref: project, dependsOn: [...own].toSorted(compareCodePoints) }, ...entries]
}

/** A UUID of version 8 (RFC 9562, 5.8) from a digest. */
const uuidOf = (digest: string): string => {
  const variant = (8 + (Number.parseInt(digest.charAt(16), 16) % 4)).toString(16)
  const parts = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`
  ]
  return `urn:uuid:${parts.join("-")}-${digest.slice(20, 32)}`
}

/**
 * The bytes of a list: canonical JSON, with a serial number that is a digest of all else. Each field is written once: a
 * list of some hundred packages takes milliseconds, for which a build waits.
 */
const encoded = (list: Readonly<Record<string, unknown>>): Effect.Effect<Uint8Array> =>
  Effect.suspend(() => {
    const written = new Map(Object.entries(list).map(([name, value]) => [name, canonicalJson(value)]))
    const text = () => {
      const names = [...written.keys()].sort()
      return `{${names.map((name) => `${JSON.stringify(name)}:${written.get(name)}`).join(",")}}`
    }
    written.delete("serialNumber")
    return Effect.map(sha256(text()), (digest) => {
      written.set("serialNumber", canonicalJson(uuidOf(digest)))
      return utf8(text())
    })
  })

/** The list of a bundle's packages, as bytes of CycloneDX 1.6 JSON. Equal builds give equal bytes. */
export const sbomOf = (input: SbomInput): Effect.Effect<Uint8Array> => {
  const { builder, builtAt, commit, mayHoldOthers, project, tree } = input
  const components = componentsOf(input)
  return encoded({
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp: builtAt,
      lifecycles: [{ phase: "build" }],
      tools: {
        components: [
          { type: "application", name: "pawl" },
          { type: "application", ...builder }
        ]
      },
      component: {
        type: "application",
        "bom-ref": project,
        name: project,
        version: commit,
        properties: [property("pawl:tree", tree), property("pawl:listed", mayHoldOthers ? "installed" : "bundled")]
      }
    },
    components,
    dependencies: dependenciesOf(input, components)
  })
}

/** The same list for a commit with the same tree: what a build of that commit would have listed. */
export const readdressed = (
  stored: Uint8Array,
  to: { readonly commit: string; readonly builtAt: string }
): Effect.Effect<Uint8Array, Schema.SchemaError> =>
  Effect.flatMap(Schema.decodeEffect(Readdressed)(textOf(stored)), (list) =>
    encoded({
      ...list,
      metadata: {
        ...list.metadata,
        timestamp: to.builtAt,
        component: { ...list.metadata.component, version: to.commit }
      }
    })
  )
