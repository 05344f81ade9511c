/** The files of a layer, for the Worker of one build: it names what it needs, and reaches no bucket itself. */
import type { LayerManifest } from "@pawl/adapters-local/packages/LayerManifest"
import type { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Effect } from "effect"
import { CloudflareLimits } from "../CloudflareLimits.ts"
import type { Bucket } from "../objects/Bucket.ts"
import * as R2ObjectStore from "../objects/R2ObjectStore.ts"
import { dropLayer, dropUnpacked, keptContent, keptLayer, type KeptLayer } from "./KeptPackages.ts"

/** What the Worker of a build is given of a layer. */
export interface GivenLayer {
  readonly manifest: LayerManifest
  /** The bytes of a file, and of others of its package when that is small; by path. Rejects when it is gone. */
  readonly read: (path: string) => Promise<ReadonlyMap<string, Uint8Array>>
}

/** A layer that is open. */
export interface OpenLayer extends GivenLayer {
  readonly id: string
  /** Whether something that the layer names was gone. The layer was forgotten then, so that it is made again. */
  readonly isLost: () => boolean
}

type Content = KeptLayer["contents"][number]

const manifestOf = ({ contents, links, packages }: KeptLayer): LayerManifest => ({
  packages,
  links,
  files: contents.flatMap(({ files, path }) => files.map(([name]) => `${path}/${name}`)).toSorted()
})

/** The last contents that were asked for, within their bound. */
class Held {
  readonly #bytes = new Map<string, Uint8Array>()
  #size = 0
  get(digest: string): Uint8Array | undefined {
    return this.#bytes.get(digest)
  }
  add(digest: string, bytes: Uint8Array): void {
    if (this.#bytes.has(digest)) return
    this.#bytes.set(digest, bytes)
    this.#size += bytes.length
    for (const [oldest, { length }] of this.#bytes) {
      if (this.#size <= CloudflareLimits.packagesHeldBytes || oldest === digest) break
      this.#bytes.delete(oldest)
      this.#size -= length
    }
  }
}

/** What is sent for one file. */
const sent = ({ files, path }: Content, bytes: Uint8Array, wanted: string): ReadonlyMap<string, Uint8Array> => {
  const isSmall = bytes.length <= CloudflareLimits.packageBroughtBytes
  return new Map(
    files.flatMap(([name, offset, length]) => {
      const place = `${path}/${name}`
      return isSmall || place === wanted ? [[place, bytes.slice(offset, offset + length)] as const] : []
    })
  )
}

/** Opens a layer of a bucket; null when it is not kept. */
export const openLayer = async (bucket: Bucket, id: string): Promise<OpenLayer | null> => {
  const run = <A, E>(effect: Effect.Effect<A, E, ObjectStore>) =>
    Effect.runPromise(Effect.provide(effect, R2ObjectStore.layer(bucket)))
  const layer = await run(keptLayer(id))
  if (layer === null) return null
  const places = new Map<string, Content>(
    layer.contents.flatMap((content) => content.files.map(([name]) => [`${content.path}/${name}`, content] as const))
  )
  const held = new Held()
  let lost = false
  const lose = async (digest: string): Promise<never> => {
    lost = true
    await run(Effect.andThen(dropUnpacked(digest), dropLayer(id)))
    throw new Error("a package is gone")
  }
  return {
    id,
    manifest: manifestOf(layer),
    isLost: () => lost,
    read: async (path) => {
      const content = places.get(path)
      if (content === undefined) return new Map()
      const bytes = held.get(content.digest) ?? (await run(keptContent(content.digest, content.sha256)))
      if (bytes === null) return lose(content.digest)
      held.add(content.digest, bytes)
      return sent(content, bytes, path)
    }
  }
}
