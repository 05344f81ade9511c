/**
 * The two modules of ours that run in the app's isolate: the entry, which tells an answer from a failure, and `env.DATA`.
 * What an app changes in its isolate can mislead them about that app alone: they hold no right that it has not.
 */
import { LocalLimits } from "../../LocalLimits.ts"

/** On every answer: `ok`, or `threw` with the reason as its body. */
export const outcomeHeader = "x-pawl-outcome"
/** On an answer of the supervisor: the call is refused and its body says why. */
export const refusedHeader = "x-pawl-refused"
/** Between the reason and the stack of an answer that is `threw`. */
export const stackMark = "\u0000"
/** Of a body that the app leaves unread, workerd reads 64 KiB; behind a longer one it closes the connection. */
export const leftUnreadBytes = 32 * 1024

/** Runs before the app: says in words what the runtime says in a number. */
export const preludeModule = `const nowhere = () => Promise.reject(new Error("Apps have no network: fetch() reaches nothing. There are env.ASSETS and env.DATA."))
Object.defineProperty(globalThis, "fetch", { value: nowhere, writable: true, configurable: true })
`

/** The worker's main module; `prelude` is the module before the app, `main` the app's own. */
export const entryModule = (prelude: string, main: string): string => `import ${JSON.stringify(`./${prelude}`)}
import * as app from ${JSON.stringify(`./${main}`)}
const handler = app.default
const make = typeof handler === "function" ? (ctx, env) => new handler(ctx, env) : () => handler
const cut = (text, length) => text.length > length ? text.slice(0, length) : text
const tell = (error) => {
  try {
    const stack = typeof error?.stack === "string" ? error.stack.replace(/\\n\\s+at [^\\n]*pawl-entry-\\d+\\.js[^\\n]*/g, "") : ""
    return cut(String(error), ${LocalLimits.appReasonLength}) + "\\u0000" + cut(stack, ${4 * LocalLimits.appReasonLength})
  } catch {
    return "something that cannot be shown was thrown"
  }
}
// A body that comes whole is taken whole: behind one that the app leaves unread, workerd closes the connection, often
// before the answer was read.
const whole = async (request) => {
  const length = Number(request.headers.get("content-length"))
  if (!(length > ${leftUnreadBytes} && length <= ${LocalLimits.appHeldUploadBytes})) return request
  if (request.method === "GET" || request.method === "HEAD") return request
  return new Request(request, { body: await request.arrayBuffer() })
}
// The same for a longer one: what the app did not ask for is read and dropped.
const drained = async (request, response) => {
  if (request.body === null || request.bodyUsed || request.body.locked || request.body === response.body) return
  try {
    for await (const piece of request.body) if (piece.length < 0) break
  } catch {}
}
export default {
  async fetch(received, env, ctx) {
    try {
      const made = make(ctx, env)
      if (typeof made?.fetch !== "function") throw new TypeError("The default export of the app has no fetch handler.")
      const request = await whole(received)
      const response = await made.fetch(request, env, ctx)
      if (!(response instanceof Response)) throw new TypeError("The fetch handler of the app did not answer with a Response.")
      if (response.bodyUsed) throw new TypeError("The body of the app's Response was used before it was sent.")
      await drained(request, response)
      if (response.webSocket) throw new TypeError("WebSockets are not served here.")
      try {
        response.headers.set("${outcomeHeader}", "ok")
        return response
      } catch {
        // The headers of what env.ASSETS answered, or of a redirect, cannot be changed.
        const copy = new Response(response.body, response)
        copy.headers.set("${outcomeHeader}", "ok")
        return copy
      }
    } catch (error) {
      return new Response(tell(error), { status: 500, headers: { "${outcomeHeader}": "threw" } })
    }
  }
}
`

/** `env.DATA`: each call is one request to the supervisor; a refusal is thrown as an `Error` with its words. */
export const dataModule = {
  name: "pawl:data",
  source: `const text = (name, value) => {
  if (typeof value !== "string") throw new TypeError("DATA: the " + name + " must be a string")
  return value
}
class Data {
  #store
  constructor(store) { this.#store = store }
  async #call(call) {
    const response = await this.#store.fetch("http://supervisor/data", { method: "POST", body: JSON.stringify(call) })
    if (response.headers.has("${refusedHeader}")) throw new Error(await response.text())
    return (await response.json()).value
  }
  async get(key) { return await this.#call({ op: "get", key: text("key", key) }) }
  async put(key, value) { await this.#call({ op: "put", key: text("key", key), value: text("value", value) }) }
  async delete(key) { await this.#call({ op: "delete", key: text("key", key) }) }
  async list(options) {
    const { prefix, limit } = options ?? {}
    if (prefix !== undefined) text("prefix", prefix)
    if (limit !== undefined && (!Number.isInteger(limit) || limit < 1)) throw new TypeError("DATA: the limit must be a positive integer")
    return await this.#call({ op: "list", prefix, limit })
  }
}
Object.freeze(Data.prototype)
export default (env) => Object.freeze(new Data(env.store))
`
} as const
