/** Static files of app versions: bundles parsed once, bytes verified against their digests before anyone sees them. */
import { RouterLimits } from "./RouterLimits.ts"
import { type AppRequest, type AppResponse, type AppVersion, BundleUnusable } from "@pawl/core/app/AppRuntime"
import { AssetServer } from "@pawl/core/app/AssetServer"
import * as BundleStore from "@pawl/core/bundle/BundleStore"
import { ObjectStore, ObjectStoreUnavailable } from "@pawl/core/objects/ObjectStore"
import { sha256 } from "@pawl/core/primitives/Digest"
import { Context, Effect, Layer, Semaphore } from "effect"
import { conditionsOf, fileResponse, methodNotAllowed, moved, nothing, notModified } from "./AssetResponse.ts"
import { BytesBody } from "./Body.ts"
import { cookiePrefix } from "./Cookies.ts"
import { fileRoute, type Site, siteOf, type SiteRoute } from "./Routes.ts"
import * as SharedCache from "./SharedCache.ts"
import type { SiteFile } from "./SiteFile.ts"

type Failure = BundleUnusable | ObjectStoreUnavailable

/** Files from the object store. What is missing or damaged is `BundleUnusable`; a store that is away is its own error. */
export class Assets extends Context.Service<
  Assets,
  {
    /** The files and settings of a version, from its bundle. What is in memory is there at once: the effect has succeeded. */
    readonly site: (version: AppVersion) => Effect.Effect<Site, Failure>
    /** The response of a route that a file answers, in the same way; of `App` and `Nothing` it is a bare 404. */
    readonly respond: (
      version: AppVersion,
      route: SiteRoute,
      request: AppRequest
    ) => Effect.Effect<AppResponse, Failure>
  }
>()("@pawl/router/Assets") {}

const readWithin = <A, E>(key: string, read: Effect.Effect<A, E>): Effect.Effect<A, E | ObjectStoreUnavailable> =>
  Effect.timeoutOrElse(read, {
    duration: RouterLimits.objectReadMs,
    orElse: () =>
      Effect.fail(
        new ObjectStoreUnavailable({
          operation: "get",
          key,
          reason: `no answer within ${RouterLimits.objectReadMs} ms`
        })
      )
  })

const unusable = (version: AppVersion, reason: string) => new BundleUnusable({ version: version.id, reason })

/** One version answers many requests: the name of its bundle in the cache is made once. */
const siteKeys = new WeakMap<AppVersion, string>()
const siteKey = (version: AppVersion): string => {
  const before = siteKeys.get(version)
  if (before !== undefined) return before
  const key = `${version.bundleDigest} ${version.bundleKey}`
  siteKeys.set(version, key)
  return key
}

/** Some reads at a time. Who waits for a permit is woken by whoever gives one back, which is sharing too. */
const boundedReads = (sharesLoads: boolean) =>
  Effect.map(
    Semaphore.make(RouterLimits.routerAssetReads),
    (reads) =>
      <A, E>(read: Effect.Effect<A, E>): Effect.Effect<A, E> =>
        sharesLoads ? reads.withPermits(1)(read) : read
  )

const make = Effect.gen(function* () {
  const objects = yield* ObjectStore
  const shared = { scope: yield* Effect.scope, sharesLoads: yield* SharedCache.SharesLoads }
  const sites = SharedCache.make<Site, Failure>({
    ...shared,
    maxWeight: RouterLimits.routerBundles,
    weigh: ({ weight }) => weight
  })
  const bytes = SharedCache.make<BytesBody, Failure>({
    ...shared,
    maxWeight: RouterLimits.routerAssetCacheBytes,
    // A short one is kept as text too: see the front.
    weigh: ({ bytes: { length } }) => (length > RouterLimits.routerOneWriteBytes ? length : 2 * length)
  })
  const bounded = yield* boundedReads(shared.sharesLoads)

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

  const loadBytes = (version: AppVersion, { entry, key }: SiteFile): Effect.Effect<BytesBody, Failure> =>
    Effect.gen(function* () {
      const body = yield* readWithin(key, objects.get(key))
      if (body.length !== entry.size || (yield* sha256(body)) !== entry.sha256) {
        return yield* unusable(version, `${key} is not what was built`)
      }
      return new BytesBody(body)
    }).pipe(
      bounded,
      Effect.catchTags({
        ObjectMissing: () => unusable(version, `${key} is missing`),
        InvalidKey: ({ reason }) => unusable(version, `${key} cannot be read: ${reason}`)
      })
    )

  const respond = (version: AppVersion, route: SiteRoute, request: AppRequest): Effect.Effect<AppResponse, Failure> => {
    switch (route._tag) {
      case "App":
      case "Nothing":
        return Effect.succeed(nothing)
      case "MethodNotAllowed":
        return Effect.succeed(methodNotAllowed)
      case "Move":
        return Effect.succeed(moved(route.to, route.status))
      case "File": {
        const { change, file, status } = route
        const conditions = conditionsOf(request)
        const same = notModified(conditions, file, status, change)
        if (same !== null) return Effect.succeed(same)
        const wanted = { method: request.method, conditions, status, change }
        const at = bytes.peek(file.cacheKey)
        if (at !== undefined) return Effect.succeed(fileResponse(file, at, wanted))
        return Effect.map(bytes.get(file.cacheKey, loadBytes(version, file)), (body) =>
          fileResponse(file, body, wanted)
        )
      }
    }
  }

  const site = (version: AppVersion): Effect.Effect<Site, Failure> => {
    const key = siteKey(version)
    const known = sites.peek(key)
    return known === undefined ? sites.get(key, loadSite(version)) : Effect.succeed(known)
  }

  return Assets.of({ site, respond })
})

/** Cookies get their prefix on the way out of the router: what goes to the app itself is as the app wrote it. */
const forApp = (response: AppResponse): AppResponse =>
  response.headers.some(([name]) => name === "set-cookie")
    ? {
        ...response,
        headers: response.headers.map(([name, value]) =>
          name === "set-cookie" ? ([name, value.slice(cookiePrefix.length)] as const) : ([name, value] as const)
        )
      }
    : response

/** `env.ASSETS.fetch` over the same files and caches. */
const server = Effect.map(Assets, (assets) =>
  AssetServer.of({
    fetch: (version, request) =>
      Effect.gen(function* () {
        const site = yield* assets.site(version)
        const url = URL.parse(request.url)
        if (url === null) return nothing
        const { hostname, pathname, search } = url
        const route = fileRoute(site, { method: request.method, pathname, search, hostname })
        return forApp(yield* assets.respond(version, route, request))
      }).pipe(
        Effect.catchTag("ObjectStoreUnavailable", ({ reason }) =>
          unusable(version, `the object store cannot be read: ${reason}`)
        )
      )
  })
)

/** Over an object store. What was read stays in memory, within `RouterLimits`. */
export const layer: Layer.Layer<Assets | AssetServer, never, ObjectStore> = Layer.provideMerge(
  Layer.effect(AssetServer, server),
  Layer.effect(Assets, make)
)
