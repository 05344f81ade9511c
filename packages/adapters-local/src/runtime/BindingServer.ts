/** Answers an app's calls on `env.DATA` and `env.ASSETS`, on the one socket that only its process sees. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { pipeline, Readable } from "node:stream"
import type { AppData } from "@pawl/core/app/AppData"
import type { AppVersion } from "@pawl/core/app/AppRuntime"
import type { AssetServer } from "@pawl/core/app/AssetServer"
import { Limits } from "@pawl/core/primitives/Limits"
import { LocalLimits } from "../LocalLimits.ts"
import { type Context, Effect, Exit } from "effect"
import { operationHeader } from "./host/HostConfig.ts"
import { refusedHeader } from "./host/HostModules.ts"
import { fromWire, toWire } from "./wire/WireHeaders.ts"

/** The stores that the calls reach, and the context in which they run. */
export interface Bindings {
  readonly data: AppData["Service"]
  readonly assets: AssetServer["Service"]
  readonly context: Context.Context<never>
}

/** Whose calls they are, and whether this one is within the bound of its request. */
export interface Caller {
  readonly version: () => AppVersion | null
  readonly countCall: () => boolean
}

const subrequestsMessage = `Too many subrequests: an app may make ${LocalLimits.appSubrequests} per request`

const refuse = (response: ServerResponse, message: string): void => {
  response.writeHead(429, { [refusedHeader]: "1" }).end(message)
}

/** A data call's text. Null when it is over what any call within the bounds needs. */
const readCall = async (request: IncomingMessage): Promise<string | null> => {
  const chunks: Array<Buffer> = []
  let total = 0
  for await (const chunk of request) {
    total += chunk.length
    // JSON may take six characters for one byte of the value.
    if (total > 6 * Limits.appDataValueBytes + 64 * Limits.appDataKeyLength) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

interface DataCall {
  readonly op: "get" | "put" | "delete" | "list"
  readonly key: string
  readonly value: string
  readonly prefix?: string
  readonly limit?: number
}

const isText = (value: unknown): value is string => typeof value === "string"

/** Our module of the app's isolate wrote it, but an app may reach the socket behind it: anything may stand there. */
const readDataCall = (text: string): DataCall | null => {
  let said: unknown
  try {
    said = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof said !== "object" || said === null) return null
  const { key = "", limit, op, prefix, value = "" }: Partial<Record<keyof DataCall, unknown>> = said
  if (op !== "get" && op !== "put" && op !== "delete" && op !== "list") return null
  if (!isText(key) || !isText(value) || (prefix !== undefined && !isText(prefix))) return null
  if (limit !== undefined && typeof limit !== "number") return null
  return { op, key, value, ...(prefix === undefined ? {} : { prefix }), ...(limit === undefined ? {} : { limit }) }
}

const callData = (data: Bindings["data"], version: AppVersion, call: DataCall) => {
  const { project, channel, incarnation } = version
  const store = { project, channel, ...(incarnation === undefined ? {} : { incarnation }) }
  if (call.op === "get") return data.get(store, call.key)
  if (call.op === "put") return data.put(store, call.key, call.value)
  if (call.op === "delete") return data.remove(store, call.key)
  return data.list(store, {
    ...(call.prefix === undefined ? {} : { prefix: call.prefix }),
    ...(call.limit === undefined ? {} : { limit: call.limit })
  })
}

const answerData = async (
  bindings: Bindings,
  version: AppVersion,
  request: IncomingMessage,
  response: ServerResponse
): Promise<void> => {
  const text = await readCall(request)
  if (text === null)
    return refuse(
      response,
      `DATA: a value may have ${Limits.appDataValueBytes} bytes and a key ${Limits.appDataKeyLength} characters`
    )
  const call = readDataCall(text)
  if (call === null) return refuse(response, "DATA: this is not a call of env.DATA")
  const answer = await Effect.runPromiseWith(bindings.context)(
    callData(bindings.data, version, call).pipe(
      Effect.map((value) => ({ value })),
      Effect.catch((error) =>
        Effect.succeed({
          refused: error._tag === "DataRefused" ? error.message : "DATA: the store cannot be reached now"
        })
      )
    )
  )
  if ("refused" in answer) return refuse(response, answer.refused)
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ value: answer.value ?? null }))
}

const answerAsset = async (
  bindings: Bindings,
  version: AppVersion,
  request: IncomingMessage,
  response: ServerResponse
): Promise<void> => {
  // workerd puts the whole URL in the first line; whoever writes something else there is not heard.
  const url = URL.parse(request.url ?? "")?.href
  if (url === undefined) return refuse(response, "ASSETS: the request has no URL")
  const exit = await Effect.runPromiseExitWith(bindings.context)(
    bindings.assets.fetch(version, {
      method: request.method ?? "GET",
      url,
      headers: fromWire(request.rawHeaders),
      body: null
    })
  )
  if (Exit.isFailure(exit)) return refuse(response, "ASSETS: the assets of this app cannot be served now")
  const answer = exit.value
  response.writeHead(answer.status, toWire(answer.headers))
  if (answer.body === null) return void response.end()
  const body = answer.body instanceof Readable ? answer.body : Readable.from(answer.body)
  // The callback keeps a broken body from being an uncaught one; the app sees its answer cut off.
  pipeline(body, response, () => undefined)
}

/** Listens on a unix socket. Close the server with `closeAllConnections` and `close`. */
export const listenForCalls = (path: string, bindings: Bindings, caller: Caller): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer(
      { maxHeaderSize: LocalLimits.appHeaderBytes, keepAliveTimeout: 0, requestTimeout: 0, requireHostHeader: false },
      (request, response) => {
        const version = caller.version()
        if (version === null) return refuse(response, "this process has no app")
        if (!caller.countCall()) return refuse(response, subrequestsMessage)
        const answer = request.headers[operationHeader] === "data" ? answerData : answerAsset
        answer(bindings, version, request, response).catch(() => response.destroy())
      }
    )
    // Later ones are connections that could not be accepted, which the app sees.
    server.on("error", reject)
    server.listen(path, () => resolve(server))
  })
