/**
 * What runs inside a workerd process before and around the app: the host worker and its configuration.
 * The app lives in an isolate of its own; it reaches the host worker only through `env.DATA` and `env.ASSETS`.
 */
import { Limits } from "@pawl/core/primitives/Limits"

/** Set by the host worker on every answer: `<mark>:ok` or `<mark>:threw`. The app never learns the mark. */
export const outcomeHeader = "x-pawl-outcome"
/** Set by the host worker on calls to the supervisor; an app's own value is replaced. */
export const operationHeader = "x-pawl-operation"
export const assetUrlHeader = "x-pawl-asset-url"
/** On an answer of the supervisor: the call is refused and its body says why. */
export const refusedHeader = "x-pawl-refused"

const source = `import { WorkerEntrypoint } from "cloudflare:workers"

let app = null

const moduleOf = (type, bytes) => {
  const text = () => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
  if (type === "esm") return { js: text() }
  if (type === "text") return { text: text() }
  if (type === "json") return { json: JSON.parse(text()) }
  const copy = bytes.slice().buffer
  return type === "wasm" ? { wasm: copy } : { data: copy }
}

/** Takes the app, once. Frame: length of the index (32 bits, big endian), the index as JSON, the modules' bytes. */
export class Control extends WorkerEntrypoint {
  async fetch(request) {
    if (app !== null) return new Response("this host has its app", { status: 409 })
    const frame = new Uint8Array(await request.arrayBuffer())
    const length = new DataView(frame.buffer).getUint32(0)
    const index = JSON.parse(new TextDecoder().decode(frame.subarray(4, 4 + length)))
    const modules = Object.create(null)
    let at = 4 + length
    for (const [name, type, size] of index.modules) {
      modules[name] = moduleOf(type, frame.subarray(at, at + size))
      at += size
    }
    app = { mark: index.mark, code: { ...index.code, modules } }
    return new Response(null, { status: 204 })
  }
}

const supervisor = async (env, path, operation, init) => {
  const headers = new Headers(init.headers)
  headers.set("${operationHeader}", operation)
  const response = await env.SUPERVISOR.fetch("http://supervisor" + path, { ...init, headers, redirect: "manual" })
  if (response.headers.has("${refusedHeader}")) throw new Error(await response.text())
  return response
}
const data = async (env, call) =>
  (await (await supervisor(env, "/data", "data", { method: "POST", body: JSON.stringify(call) })).json()).value
const text = (name, value) => {
  if (typeof value !== "string") throw new TypeError("DATA: the " + name + " must be a string")
  return value
}

export class Data extends WorkerEntrypoint {
  async get(key) { return await data(this.env, { op: "get", key: text("key", key) }) }
  async put(key, value) { await data(this.env, { op: "put", key: text("key", key), value: text("value", value) }) }
  async delete(key) { await data(this.env, { op: "delete", key: text("key", key) }) }
  async list(options) {
    const { prefix, limit } = options ?? {}
    if (prefix !== undefined) text("prefix", prefix)
    if (limit !== undefined && (!Number.isInteger(limit) || limit < 1)) throw new TypeError("DATA: the limit must be a positive integer")
    return await data(this.env, { op: "list", prefix, limit })
  }
}

export class Assets extends WorkerEntrypoint {
  async fetch(request) {
    const headers = new Headers(request.headers)
    headers.set("${assetUrlHeader}", request.url)
    return await supervisor(this.env, "/asset", "asset", { method: request.method, headers })
  }
}

const reasonOf = (error) => {
  try {
    return String(error).slice(0, ${Limits.appReasonLength})
  } catch {
    return "something that cannot be shown was thrown"
  }
}

export default {
  async fetch(request, env, ctx) {
    if (app === null) return new Response("this host has no app", { status: 503 })
    try {
      const worker = env.LOADER.get("app", () => ({
        ...app.code,
        env: { ASSETS: ctx.exports.Assets({}), DATA: ctx.exports.Data({}) },
        globalOutbound: null
      }))
      const response = await worker.getEntrypoint().fetch(request)
      const marked = new Response(response.body, response)
      marked.headers.set("${outcomeHeader}", app.mark + ":ok")
      return marked
    } catch (error) {
      return new Response(reasonOf(error), { status: 500, headers: { "${outcomeHeader}": app.mark + ":threw" } })
    }
  }
}
`

// A young generation of one megabyte and a whole collection each time: with workerd's defaults a
// collection of over 100 ms comes every 20,000 requests and looks like an app over its CPU bound.
const configuration = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  v8Flags = ["--gc-global", "--max-semi-space-size=1"],
  services = [
    (name = "host", worker = .host),
    (name = "internet", network = (allow = [])),
    (name = "supervisor", external = (address = "unix:unset", http = ())),
  ],
  sockets = [
    (name = "app", address = "unix:unset", http = (style = proxy, cfBlobHeader = "x-pawl-cf"), service = "host"),
    (name = "control", address = "unix:unset", http = (), service = (name = "host", entrypoint = "Control")),
  ],
);
const host :Workerd.Worker = (
  modules = [ (name = "host", esModule = embed "host.js") ],
  compatibilityDate = "2026-08-04",
  compatibilityFlags = ["no_nodejs_compat", "no_nodejs_compat_v2"],
  globalOutbound = "internet",
  bindings = [ (name = "LOADER", workerLoader = ()), (name = "SUPERVISOR", service = "supervisor") ],
);
`

/** The files of the folder that every process sees read-only. */
export const hostFiles: Readonly<Record<string, string>> = { "host.js": source, "host.capnp": configuration }

/** `workerd`'s arguments; paths as the process sees them. */
export const hostArguments = (hostFolder: string, socketFolder: string): ReadonlyArray<string> => [
  "serve",
  "--experimental",
  `${hostFolder}/host.capnp`,
  "--control-fd",
  "3",
  "--socket-addr",
  `app=unix:${socketFolder}/app.sock`,
  "--socket-addr",
  `control=unix:${socketFolder}/control.sock`,
  "--external-addr",
  `supervisor=unix:${socketFolder}/supervisor.sock`
]
