/**
 * The public script of the hosts of apps. Nothing that is in flight is shared between two requests: each has layers of its
 * own, and what they read is kept by Cloudflare's products alone.
 */
import type { Bucket } from "@pawl/adapters-cloudflare/objects/Bucket"
import * as R2ObjectStore from "@pawl/adapters-cloudflare/objects/R2ObjectStore"
import { chunksOf, streamOf } from "@pawl/adapters-cloudflare/runtime/Streams"
import type { WorkerLoader } from "@pawl/adapters-cloudflare/runtime/WorkerLoader"
import { PointerSource, PointerSourceUnavailable } from "@pawl/core/app/PointerSource"
import { Router } from "@pawl/router/Router"
import { Effect, Layer } from "effect"
import type { CanonicalForRouters, InstallationSettings } from "./Bindings.ts"
import * as ObjectParts from "./ObjectParts.ts"

export { AppFiles, AppStore } from "./AppEntrypoints.ts"

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

/** Answers a visitor of an app. */
const answer = (request: Request, env: RouterBindings, ctx: unknown): Promise<Response> => {
  const layer = ObjectParts.hosting(env, ObjectParts.appEnvironment(ctx)).pipe(
    Layer.provide(pointers(env)),
    Layer.provide(R2ObjectStore.layer(env.BUCKET)),
    Layer.provide(ObjectParts.settingsOf(env))
  )
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
    Effect.flatMap(Router, (router) => router.handle(asked)).pipe(
      Effect.map(
        ({ body, headers, status }) =>
          new Response(body === null ? null : streamOf(body), {
            status,
            headers: headers.map(([name, value]): [string, string] => [name, value])
          })
      ),
      Effect.provide(layer)
    )
  )
}

export default { fetch: answer }
