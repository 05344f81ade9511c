/** What an app's `env` holds here: calls over RPC that reach its own data and its own files alone. */
import type { AppData, AppDataUnavailable, DataRefused, DataStoreRef } from "@pawl/core/app/AppData"
import type { AssetServer } from "@pawl/core/app/AssetServer"
import type { AppVersion } from "@pawl/core/app/AppRuntime"
import { Effect } from "effect"
import { chunksOf, streamOf } from "./Streams.ts"

/** A call of `env.DATA`. */
export type DataCall =
  | { readonly op: "get"; readonly key: unknown }
  | { readonly op: "put"; readonly key: unknown; readonly value: unknown }
  | { readonly op: "delete"; readonly key: unknown }
  | { readonly op: "list"; readonly options: unknown }

const text = (name: string, value: unknown): string => {
  if (typeof value !== "string") throw new TypeError(`DATA: the ${name} must be a string`)
  return value
}

const listing = (options: unknown): { readonly prefix?: string; readonly limit?: number } => {
  const { limit, prefix }: { limit?: unknown; prefix?: unknown } =
    typeof options === "object" && options !== null ? options : {}
  if (limit !== undefined && (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1))
    throw new TypeError("DATA: the limit must be a positive integer")
  return {
    ...(prefix === undefined ? {} : { prefix: text("prefix", prefix) }),
    ...(limit === undefined ? {} : { limit })
  }
}

/** The words of a refusal are for the app; those of a store that is away are not. */
const thrown = (error: DataRefused | AppDataUnavailable): Error =>
  new Error(error._tag === "DataRefused" ? error.message : "DATA: the store cannot be reached now")

/** Answers a call; rejects with an `Error` whose words are for the app. */
export const callData = (
  data: typeof AppData.Service,
  { channel, incarnation, project }: Pick<AppVersion, "channel" | "incarnation" | "project">,
  call: DataCall
): Promise<unknown> => {
  const store: DataStoreRef = { project, channel, ...(incarnation === undefined ? {} : { incarnation }) }
  const asked = (): Effect.Effect<unknown, DataRefused | AppDataUnavailable> => {
    if (call.op === "get") return data.get(store, text("key", call.key))
    if (call.op === "put") return data.put(store, text("key", call.key), text("value", call.value))
    if (call.op === "delete") return data.remove(store, text("key", call.key))
    return data.list(store, listing(call.options))
  }
  return Effect.runPromise(Effect.mapError(Effect.suspend(asked), thrown))
}

/** Answers `env.ASSETS.fetch` with what visitors get of the same files. */
export const fetchAsset = (
  assets: typeof AssetServer.Service,
  version: AppVersion,
  request: Request
): Promise<Response> =>
  Effect.runPromise(
    Effect.map(
      assets.fetch(version, {
        method: request.method,
        url: request.url,
        headers: [...request.headers],
        body: request.body === null ? null : chunksOf(request.body)
      }),
      ({ body, headers, status }) =>
        new Response(body === null ? null : streamOf(body), {
          status,
          headers: headers.map(([name, value]): [string, string] => [name, value])
        })
    )
  )
