/**
 * The public script of the hosts of apps. Nothing that is in flight is shared between two requests: each reads for itself,
 * and what was read whole is kept for the next.
 */
import { exports } from "cloudflare:workers"
import type { Bucket } from "@pawl/adapters-cloudflare/objects/Bucket"
import * as R2ObjectStore from "@pawl/adapters-cloudflare/objects/R2ObjectStore"
import { chunksOf, streamOf } from "@pawl/adapters-cloudflare/runtime/Streams"
import type { WorkerLoader } from "@pawl/adapters-cloudflare/runtime/WorkerLoader"
import { PointerSource, PointerSourceUnavailable } from "@pawl/core/app/PointerSource"
import { Router } from "@pawl/router/Router"
import { SharesLoads } from "@pawl/router/SharedCache"
import { Context, Effect, Layer, Scope } from "effect"
import type { CanonicalForRouters, InstallationSettings } from "./Bindings.ts"
import * as ObjectParts from "./ObjectParts.ts"

export { AppFiles, RoutedAppStore as AppStore, RoutedAppTail as AppTail } from "./AppEntrypoints.ts"

/** Bindings of the script. */
export interface RouterBindings {
  readonly CANONICAL: CanonicalForRouters
  readonly BUCKET: Bucket
  readonly LOADER: WorkerLoader
  readonly SETTINGS: InstallationSettings
}

const pointers = ({ CANONICAL }: RouterBindings) =>
  Layer.succeed(PointerSource, {
    find: (label, channel) =>
      Effect.tryPromise({
        try: () => CANONICAL.pointer(label, channel),
        catch: () => new PointerSourceUnavailable({ reason: "the directory does not answer" })
      })
  })

/** The router of this isolate. It is made at once, and holds nothing that a request waits for. */
let made: Router["Service"] | null = null

const routerOf = (env: RouterBindings): Router["Service"] => {
  made ??= Effect.runSync(
    Effect.map(
      // The isolate's end is nobody's to see: the scope is never closed.
      Layer.buildWithScope(
        ObjectParts.hosting(env, ObjectParts.surroundings({ exports })).pipe(
          Layer.provide(pointers(env)),
          Layer.provide(R2ObjectStore.layer(env.BUCKET)),
          Layer.provide(ObjectParts.settingsOf(env))
        ),
        Scope.makeUnsafe()
      ).pipe(Effect.provideService(SharesLoads, false)),
      (services) => Context.get(services, Router)
    )
  )
  return made
}

/** Answers a visitor of an app. */
const answer = (request: Request, env: RouterBindings): Promise<Response> => {
  const { host, protocol } = new URL(request.url)
  const asked = {
    method: request.method,
    url: request.url,
    headers: [...request.headers],
    body: request.body === null ? null : chunksOf(request.body),
    host: request.headers.get("host") ?? host,
    remoteAddress: request.headers.get("cf-connecting-ip") ?? "",
    secure: protocol === "https:"
  }
  return Effect.runPromise(
    Effect.map(
      routerOf(env).handle(asked),
      ({ body, headers, status }) =>
        new Response(body === null ? null : streamOf(body), {
          status,
          headers: headers.map(([name, value]): [string, string] => [name, value])
        })
    )
  )
}

export default { fetch: answer }
