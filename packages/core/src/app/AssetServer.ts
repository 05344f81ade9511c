/** Serves an app's own assets. The router answers visitors with it, the runtime answers `env.ASSETS.fetch` with it. */
import { Context, type Effect } from "effect"
import type { AppRequest, AppResponse, AppVersion, BundleUnusable } from "./AppRuntime.ts"

/** Whoever serves an app's files, inside and outside of it, serves the same. */
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
