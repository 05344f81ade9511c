/** `AppRuntime` over functions. */
import { Effect, Layer } from "effect"
import {
  type AppOverLimit,
  type AppRequest,
  type AppResponse,
  AppRuntime,
  type AppRuntimeUnavailable,
  AppThrew,
  BundleUnusable
} from "@pawl/core/app/AppRuntime"

/** One running app version of the memory layer: what it holds in its closure lives until it is stopped. */
export type AppHandler = (
  request: AppRequest
) => Effect.Effect<AppResponse, AppThrew | AppOverLimit | BundleUnusable | AppRuntimeUnavailable>

/** Apps as functions, by version id. A version without one is `BundleUnusable`, a handler that dies is `AppThrew`. */
export const layerMemory = (apps: ReadonlyMap<string, () => AppHandler>): Layer.Layer<AppRuntime> =>
  Layer.sync(AppRuntime, () => {
    const running = new Map<string, AppHandler>()
    return {
      fetch: (version, request) =>
        Effect.gen(function* () {
          const make = apps.get(version.id)
          if (make === undefined)
            return yield* new BundleUnusable({ version: version.id, reason: "there is no such app" })
          const handler = running.get(version.id) ?? make()
          running.set(version.id, handler)
          return yield* handler(request)
        }).pipe(Effect.catchDefect((defect) => new AppThrew({ version: version.id, reason: String(defect) }))),
      stop: (versionId) => Effect.sync(() => void running.delete(versionId))
    }
  })
