/** Static files of app versions: bundles parsed once, bytes verified against their digests before anyone sees them. */
import { type AppRequest, type AppResponse, type AppVersion, BundleUnusable } from "@pawl/core/app/AppRuntime"
import { AssetServer } from "@pawl/core/app/AssetServer"
import { assetKey, type AssetEntry } from "@pawl/core/app/Bundle"
import * as BundleStore from "@pawl/core/app/BundleStore"
import { ObjectStore, ObjectStoreUnavailable } from "@pawl/core/objects/ObjectStore"
import { sha256 } from "@pawl/core/primitives/Digest"
import { Limits } from "@pawl/core/primitives/Limits"
import { Context, Effect, Layer } from "effect"
import { fileResponse, methodNotAllowed, moved, nothing, notModified } from "./AssetResponse.ts"
import { fileRoute, type Site, siteOf, type SiteRoute } from "./Routes.ts"
import * as SharedCache from "./SharedCache.ts"

type Failure = BundleUnusable | ObjectStoreUnavailable

export class Assets extends Context.Tag("@pawl/router/Assets")<
  Assets,
  {
    /** The files and settings of a version, from its bundle. */
    readonly site: (version: AppVersion) => Effect.Effect<Site, Failure>
    /** The response of a route that a file answers; of `App` and `Nothing` it is a bare 404. */
    readonly respond: (
      version: AppVersion,
      site: Site,
      route: SiteRoute,
      request: AppRequest
    ) => Effect.Effect<AppResponse, Failure>
  }
>() {}

const readWithin = <A, E>(key: string, read: Effect.Effect<A, E>): Effect.Effect<A, E | ObjectStoreUnavailable> =>
  Effect.timeoutFail(read, {
    duration: Limits.objectReadMs,
    onTimeout: () =>
      new ObjectStoreUnavailable({ operation: "get", key, reason: `no answer within ${Limits.objectReadMs} ms` })
  })

const unusable = (version: AppVersion, reason: string) => new BundleUnusable({ version: version.id, reason })

const make = Effect.gen(function* () {
  const objects = yield* ObjectStore
  const scope = yield* Effect.scope
  const sites = SharedCache.make<Site, Failure>({ scope, maxWeight: Limits.routerBundles, weigh: () => 1 })
  const bytes = SharedCache.make<Uint8Array, Failure>({
    scope,
    maxWeight: Limits.routerAssetCacheBytes,
    weigh: (body) => body.length
  })
  const reads = yield* Effect.makeSemaphore(Limits.routerAssetReads)

  const loadSite = (version: AppVersion): Effect.Effect<Site, Failure> =>
    BundleStore.load(version.bundleKey, version.bundleDigest).pipe(
      Effect.provideService(ObjectStore, objects),
      (load) => readWithin(version.bundleKey, load),
      Effect.map(({ bundle }) => siteOf(bundle, version.bundleKey)),
      Effect.catchTags({
        ObjectMissing: () => unusable(version, "its bundle is missing"),
        InvalidKey: ({ reason }) => unusable(version, `its bundle key cannot be read: ${reason}`),
        BundleDamaged: ({ reason }) => unusable(version, `its bundle is damaged: ${reason}`)
      })
    )

  const loadBytes = (version: AppVersion, key: string, entry: AssetEntry): Effect.Effect<Uint8Array, Failure> =>
    Effect.gen(function* () {
      const body = yield* readWithin(key, objects.get(key))
      if (body.length !== entry.size || (yield* sha256(body)) !== entry.sha256) {
        return yield* unusable(version, `${key} is not what was built`)
      }
      return body
    }).pipe(
      reads.withPermits(1),
      Effect.catchTags({
        ObjectMissing: () => unusable(version, `${key} is missing`),
        InvalidKey: ({ reason }) => unusable(version, `${key} cannot be read: ${reason}`)
      })
    )

  const respond = (
    version: AppVersion,
    site: Site,
    route: SiteRoute,
    request: AppRequest
  ): Effect.Effect<AppResponse, Failure> => {
    switch (route._tag) {
      case "App":
      case "Nothing":
        return Effect.succeed(nothing)
      case "MethodNotAllowed":
        return Effect.succeed(methodNotAllowed)
      case "Move":
        return Effect.succeed(moved(route.to))
      case "File": {
        const { entry, status } = route
        const same = notModified(request, entry, status)
        if (same !== null) return Effect.succeed(same)
        const key = assetKey(site.prefix, route.file.slice(1))
        return Effect.map(bytes.get(`${entry.sha256} ${key}`, loadBytes(version, key, entry)), (body) =>
          fileResponse(request, entry, status, body)
        )
      }
    }
  }

  return Assets.of({
    site: (version) => sites.get(`${version.bundleDigest} ${version.bundleKey}`, loadSite(version)),
    respond
  })
})

/** `env.ASSETS.fetch` over the same files and caches. */
const server = Effect.map(Assets, (assets) =>
  AssetServer.of({
    fetch: (version, request) =>
      Effect.gen(function* () {
        const site = yield* assets.site(version)
        const { pathname, search } = new URL(request.url)
        return yield* assets.respond(
          version,
          site,
          fileRoute(site, { method: request.method, pathname, search }),
          request
        )
      }).pipe(
        Effect.catchTag("ObjectStoreUnavailable", ({ reason }) =>
          unusable(version, `the object store cannot be read: ${reason}`)
        )
      )
  })
)

export const layer: Layer.Layer<Assets | AssetServer, never, ObjectStore> = Layer.provideMerge(
  Layer.effect(AssetServer, server),
  Layer.scoped(Assets, make)
)
