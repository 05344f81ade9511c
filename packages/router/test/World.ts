/** A small world for the router: real bundles in the memory object store, pointers in a list, apps as functions. */
import { type AppRequest, type AppResponse, AppRuntime, type AppVersion } from "@pawl/core/app/AppRuntime"
import type { AppOverLimit, AppRuntimeUnavailable, AppThrew, BundleUnusable } from "@pawl/core/app/AppRuntime"
import { type AssetServer } from "@pawl/core/app/AssetServer"
import { type Bundle, type BundleAssets, bundlePrefix } from "@pawl/core/bundle/Bundle"
import * as BundleStore from "@pawl/core/bundle/BundleStore"
import type { Channel, Pointer } from "@pawl/core/model/Pointer"
import { type FoundPointer, PointerSource, type PointerSourceUnavailable } from "@pawl/core/app/PointerSource"
import * as MemoryObjectStore from "@pawl/adapters-memory/MemoryObjectStore"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { sha256, utf8 } from "@pawl/core/primitives/Digest"
import { Settings } from "@pawl/core/primitives/Settings"
import { type ProbeClient } from "@pawl/core/release/ProbeClient"
import { Effect, Layer, ManagedRuntime } from "effect"
import * as Assets from "../src/Assets.ts"
import { readBody } from "../src/Body.ts"
import * as PointerCache from "../src/PointerCache.ts"
import * as Router from "../src/Router.ts"
import * as RouterProbeClient from "../src/RouterProbeClient.ts"

export const project = "proj_abcdef12-0000-4000-8000-000000000000"
export const commit = "a".repeat(40)
export const appsDomain = "apps.localhost"

type App = (
  version: AppVersion,
  request: AppRequest
) => Effect.Effect<AppResponse, AppThrew | AppOverLimit | BundleUnusable | AppRuntimeUnavailable>

export const text = async (body: AsyncIterable<Uint8Array> | null) =>
  new TextDecoder().decode(await readBody(body, 1e9))
export async function* bytesOf(...parts: ReadonlyArray<string>) {
  for (const part of parts) yield utf8(part)
}
export const ok = (body = "app", headers: AppResponse["headers"] = []): AppResponse => ({
  status: 200,
  headers,
  body: bytesOf(body)
})

export const pointer = (
  stored: { readonly key: string; readonly digest: string } | null,
  fields: Partial<Pointer> = {}
): Pointer => ({
  projectId: project,
  slug: "shop",
  label: "shop",
  channel: "production",
  incarnation: 1,
  commit: stored === null ? null : commit,
  generation: stored === null ? null : 0,
  bundleKey: stored?.key ?? null,
  bundleDigest: stored?.digest ?? null,
  status: "live",
  reason: null,
  candidateId: null,
  changeId: null,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  ...fields
})

/** Everything a test may turn: what the app does, what the rows say, whether the source answers. */
export class Controls {
  app: App = () => Effect.succeed(ok())
  rows: Array<Pointer> = []
  tombstones = new Set<string>()
  lookups = 0
  objectReads = 0
  readonly keysRead = new Set<string>()
  /** Runs before a lookup answers. */
  beforeLookup: Effect.Effect<void, PointerSourceUnavailable> = Effect.void
  seen: Array<{ readonly version: AppVersion; readonly request: AppRequest }> = []
  readonly stopped: Array<string> = []

  find(label: string, channel: Channel): Effect.Effect<FoundPointer, PointerSourceUnavailable> {
    return Effect.suspend(() => {
      this.lookups++
      const row = this.rows.find((each) => each.label === label && each.channel === channel)
      const found: FoundPointer = row ?? (this.tombstones.has(label) ? "removed" : null)
      return Effect.as(this.beforeLookup, found)
    })
  }
}

export const bundleOf = (
  assets: BundleAssets,
  mainModule: string | null,
  compatibilityDate = "2026-01-01"
): Bundle => ({
  version: 1,
  project,
  commit,
  tree: "b".repeat(40),
  builtAt: "2026-01-01T00:00:00.000Z",
  builder: { name: "test", version: "1.0.0" },
  mainModule,
  modules: {},
  compatibilityDate,
  compatibilityFlags: [],
  assets
})

export interface SiteOptions extends Partial<Omit<BundleAssets, "manifest">> {
  readonly files?: Record<string, string | Uint8Array>
  readonly worker?: boolean
  readonly compatibilityDate?: string
  /** Default: `commit`. */
  readonly of?: string
  /** Source maps, by module. */
  readonly maps?: Record<string, string>
}

/** Stores a bundle with these files and answers its key and digest. */
export const storeSite = (options: SiteOptions = {}) =>
  Effect.gen(function* () {
    const { compatibilityDate, files = {}, maps: mapTexts = {}, of = commit, worker = true, ...settings } = options
    const assets = new Map(
      Object.entries(files).map(([path, content]) => [path, typeof content === "string" ? utf8(content) : content])
    )
    const manifest: Record<string, BundleAssets["manifest"][string]> = {}
    for (const [path, body] of assets) {
      const contentType = path.endsWith(".html") ? "text/html; charset=utf-8" : "text/plain; charset=utf-8"
      manifest[path] = { sha256: yield* sha256(body), size: body.length, contentType }
    }
    const made = bundleOf(
      { notFoundHandling: "none", htmlHandling: "auto-trailing-slash", runWorkerFirst: false, ...settings, manifest },
      worker ? "index.js" : null,
      compatibilityDate
    )
    const bundle = { ...made, commit: of }
    const maps: Record<string, { readonly sha256: string; readonly object: string }> = {}
    for (const [name, map] of Object.entries(mapTexts))
      maps[name] = { sha256: yield* sha256(utf8(map)), object: `maps/${name}.map` }
    const objects = new Map(Object.entries(mapTexts).map(([name, map]) => [`maps/${name}.map`, utf8(map)]))
    const whole = objects.size === 0 ? bundle : { ...bundle, maps }
    return yield* BundleStore.store(bundlePrefix("apps", project, of), { bundle: whole, assets, objects })
  })

export const worldLayer = (controls: Controls, options: Partial<Router.RouterOptions> = {}) => {
  const countedObjects = Layer.effect(
    ObjectStore,
    Effect.map(ObjectStore, (objects) => ({
      ...objects,
      get: (key: string) =>
        Effect.suspend(() => {
          controls.objectReads++
          controls.keysRead.add(key)
          return objects.get(key)
        })
    }))
  ).pipe(Layer.provideMerge(MemoryObjectStore.layerMemory))
  const ports = Layer.mergeAll(
    Layer.succeed(PointerSource, { find: (label, channel) => controls.find(label, channel) }),
    Layer.succeed(AppRuntime, {
      fetch: (version, request) =>
        Effect.suspend(() => {
          controls.seen.push({ version, request })
          return controls.app(version, request)
        }),
      stop: (versionId) => Effect.sync(() => void controls.stopped.push(versionId))
    }),
    Layer.succeed(Settings, {
      environment: "production",
      appsDomain,
      paused: false,
      fixturesEnabled: false,
      buildsPerDay: 60,
      sandboxMsPerMonth: 18_000_000,
      smokeRetryMs: 1,
      appUrl: (host) => `http://${host}:8787/`
    })
  )
  return RouterProbeClient.layer.pipe(
    Layer.provideMerge(Router.layer({ apiOrigin: "http://localhost:8787", ...options })),
    Layer.provideMerge(Layer.merge(PointerCache.layer, Assets.layer)),
    Layer.provideMerge(Layer.merge(ports, countedObjects))
  )
}

export type WorldServices =
  | Router.Router
  | Assets.Assets
  | AssetServer
  | PointerCache.PointerCache
  | ProbeClient
  | ObjectStore

/** A world with one live app, ready to be asked. */
export const makeWorld = async (site: SiteOptions = {}, options: Partial<Router.RouterOptions> = {}) => {
  const controls = new Controls()
  const runtime = ManagedRuntime.make(worldLayer(controls, options))
  const run = <A, E>(effect: Effect.Effect<A, E, WorldServices>): Promise<A> => runtime.runPromise(effect)
  const stored = await run(storeSite(site))
  controls.rows = [pointer(stored)]
  controls.objectReads = 0
  const ask = (path = "/", request: Partial<Router.FrontRequest> = {}) =>
    run(
      Effect.flatMap(Router.Router, (router) =>
        router.handle({
          method: "GET",
          headers: [],
          body: null,
          host: `shop.${appsDomain}`,
          remoteAddress: "192.0.2.7",
          secure: false,
          url: `http://ignored${path}`,
          ...request
        })
      )
    )
  return { controls, run, runtime, ask, stored }
}

export const header = (response: { readonly headers: AppResponse["headers"] }, name: string) =>
  response.headers.find(([each]) => each === name)?.[1]
