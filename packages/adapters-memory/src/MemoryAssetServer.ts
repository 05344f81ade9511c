/** `AssetServer` over maps of files. */
import { Effect, Layer } from "effect"
import { type AppResponse, BundleUnusable } from "@pawl/core/app/AppRuntime"
import { AssetServer } from "@pawl/core/app/AssetServer"

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
