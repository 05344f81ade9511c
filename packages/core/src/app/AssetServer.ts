/** Serves an app's own assets. The router answers visitors with it, the runtime answers `env.ASSETS.fetch` with it. */
import { Context, Effect, Layer } from "effect"
import { type AppRequest, type AppResponse, type AppVersion, BundleUnusable } from "./AppRuntime.ts"

export class AssetServer extends Context.Service<
  AssetServer,
  {
    /**
     * The asset that a URL of the app names, by the bundle's `htmlHandling` and `notFoundHandling`.
     * Where there is none this is the plain 404 of the bundle's settings, never the app's own code.
     * Fails with `BundleUnusable` when the bundle or the asset is missing or damaged.
     */
    readonly fetch: (version: AppVersion, request: AppRequest) => Effect.Effect<AppResponse, BundleUnusable>
  }
>()("@pawl/core/app/AssetServer") {}

const empty = (status: number, ...headers: AppResponse["headers"]): AppResponse => ({
  status,
  headers: [...headers, ["content-length", "0"]],
  body: null
})

async function* once(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body
}

/** The decoded path of an absolute URL, without its query. */
const pathOf = (url: string): string => decodeURIComponent(/^[a-z]+:\/\/[^/?#]*(\/[^?#]*)?/.exec(url)?.[1] ?? "/")

/** Assets by version id and then by path, which begins with a slash and is decoded. No redirects, no not-found pages. */
export const layerMemory = (sites: ReadonlyMap<string, ReadonlyMap<string, Uint8Array>>): Layer.Layer<AssetServer> =>
  Layer.succeed(AssetServer, {
    fetch: (version, { method, url }) =>
      Effect.suspend(() => {
        const site = sites.get(version.id)
        if (site === undefined) return new BundleUnusable({ version: version.id, reason: "its bundle is missing" })
        const asset = site.get(pathOf(url))
        if (asset === undefined) return Effect.succeed(empty(404))
        if (method !== "GET" && method !== "HEAD") return Effect.succeed(empty(405, ["allow", "GET, HEAD"]))
        return Effect.succeed<AppResponse>({
          status: 200,
          headers: [["content-length", String(asset.length)]],
          body: method === "HEAD" ? null : once(asset)
        })
      })
  })
