/**
 * Stacks in what apps print and throw name the files and lines of the source, by the maps that stand beside the bundle.
 * Lines are rewritten on their way to the store, where no request waits for them.
 */
import * as BundleStore from "@pawl/core/bundle/BundleStore"
import type { AppVersion } from "@pawl/core/app/AppRuntime"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { sha256 } from "@pawl/core/primitives/Digest"
import { Effect } from "effect"
import { LocalLimits } from "../../LocalLimits.ts"
import { MapReader } from "./MapReader.ts"
import { type Frame, framesOf, placed } from "./StackFrames.ts"

/** A text of a version, before it is stored. */
export interface StackText {
  readonly version: AppVersion
  readonly text: string
}

/** Rewrites texts, in their order. It never rejects: what cannot be told stays as it is. */
export type PlaceStacks = (texts: ReadonlyArray<StackText>) => Promise<ReadonlyArray<string>>

/** Where the map of each module lies, by the module's name. */
type Maps = ReadonlyMap<string, { readonly sha256: string; readonly key: string }>

type Run = <A>(effect: Effect.Effect<A, never, ObjectStore>) => Promise<A>

const none: Maps = new Map()

const mapsOf = (version: AppVersion): Effect.Effect<Maps, never, ObjectStore> =>
  BundleStore.load(version.bundleKey, version.bundleDigest).pipe(
    Effect.map(({ bundle }): Maps => {
      const prefix = version.bundleKey.slice(0, version.bundleKey.lastIndexOf("/") + 1)
      const maps = Object.entries(bundle.maps ?? {})
      return new Map(maps.map(([name, map]) => [name, { sha256: map.sha256, key: `${prefix}${map.object}` }]))
    }),
    Effect.catch(() => Effect.succeed(none))
  )

const bytesOf = (key: string, digest: string) =>
  Effect.flatMap(ObjectStore, (objects) => objects.get(key)).pipe(
    Effect.flatMap((bytes) => Effect.map(sha256(bytes), (found) => (found === digest ? bytes : null))),
    Effect.catch(() => Effect.succeed(null))
  )

interface Found {
  /** Of the texts. */
  readonly index: number
  readonly frames: ReadonlyArray<Frame>
  readonly maps: Maps
}

/** One for a runtime. `run` reads the objects of bundles. */
export class SourceStacks {
  private readonly run: Run
  private readonly reader = new MapReader()
  private readonly versions = new Map<string, Promise<Maps>>()

  constructor(run: Run) {
    this.run = run
  }

  readonly place: PlaceStacks = async (texts) => {
    const out = texts.map(({ text }) => text)
    const found: Array<Found> = []
    for (const [index, { text, version }] of texts.entries()) {
      const frames = framesOf(text)
      if (frames.length === 0) continue
      const maps = await this.mapsFor(version)
      const known = frames.filter(({ module }) => maps.has(module))
      if (known.length > 0) found.push({ index, frames: known, maps })
    }
    const keys = new Map<string, string>()
    const asked = found.flatMap(({ frames, maps }) =>
      frames.map(({ column, line, module }) => {
        const map = maps.get(module)
        if (map !== undefined) keys.set(map.sha256, map.key)
        return { map: map?.sha256 ?? "", line, column }
      })
    )
    if (asked.length === 0) return out
    const places = await this.reader.places(asked, async (digest) => {
      const key = keys.get(digest)
      return key === undefined ? null : this.run(bytesOf(key, digest))
    })
    let from = 0
    for (const { frames, index } of found) {
      out[index] = placed(out[index] ?? "", frames, places.slice(from, from + frames.length))
      from += frames.length
    }
    return out
  }

  close(): void {
    this.reader.close()
  }

  private mapsFor(version: AppVersion): Promise<Maps> {
    const key = `${version.bundleKey}\n${version.bundleDigest}`
    const known = this.versions.get(key)
    if (known !== undefined) return known
    if (this.versions.size >= LocalLimits.stackVersions) {
      const [oldest] = this.versions.keys()
      if (oldest !== undefined) this.versions.delete(oldest)
    }
    const made = this.run(mapsOf(version)).catch(() => none)
    this.versions.set(key, made)
    return made
  }
}
