/** The API and the app hosts as the demo uses them: plain HTTP, as curl would. */
import { request } from "node:http"

/** An answer that is not what the step needs. The demo ends non-zero with it. */
export class Unexpected extends Error {}

/** What an app answered. */
export interface Page {
  readonly status: number
  readonly text: string
}

/** What of a refusal the demo looks at. */
export interface Problem {
  readonly code: string
  readonly detail: string
}

/** Each verb answers the JSON of a success, and rejects with `Unexpected` for any other status. */
export interface DemoApi {
  readonly get: <A>(path: string) => Promise<A>
  readonly post: <A>(path: string, body?: unknown) => Promise<A>
  readonly put: <A>(path: string, body: unknown) => Promise<A>
  readonly delete: <A>(path: string) => Promise<A>
  /** As `post`, for an answer that should be a refusal. */
  readonly refused: (path: string, body?: unknown) => Promise<{ readonly status: number; readonly problem: Problem }>
  readonly text: (path: string) => Promise<string>
  /** Fetches a page of an app through its public host. */
  readonly page: (url: string) => Promise<Page>
}

/** Node does not resolve `x.localhost`: it connects to the listener and names the host. */
const pageOf = (address: { readonly host: string; readonly port: number }, url: string): Promise<Page> =>
  new Promise((resolve, reject) => {
    const target = new URL(url)
    const options = {
      host: address.host,
      port: address.port,
      path: `${target.pathname}${target.search}`,
      headers: { host: target.host }
    }
    const sent = request(options, (response) => {
      const pieces: Array<Buffer> = []
      response.on("data", (piece: Buffer) => pieces.push(piece))
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString("utf8") })
      )
      response.on("error", reject)
    })
    sent.on("error", reject)
    sent.end()
  })

/** Speaks to the listener at an address, with a bearer token. A 429 is waited out, as often as it comes. */
export const make = (address: { readonly host: string; readonly port: number }, token: string): DemoApi =>
  makeAt(`http://${address.host}:${address.port}`, token, (url) => pageOf(address, url))

const fetched = async (url: string): Promise<Page> => {
  const response = await fetch(url)
  return { status: response.status, text: await response.text() }
}

/** The same to an origin, whose apps have names that are known to this machine unless it is told how a page is fetched. */
export const makeAt = (origin: string, token: string, page: (url: string) => Promise<Page> = fetched): DemoApi => {
  // Who asks too often is told when to come back: on a slow machine the demo asks often enough.
  const send = async (method: string, path: string, body: unknown, accept: string): Promise<Response> => {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept,
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    if (response.status !== 429) return response
    await response.body?.cancel()
    await new Promise((resolve) => setTimeout(resolve, 1000 * Number(response.headers.get("retry-after") ?? "1")))
    return send(method, path, body, accept)
  }
  const call = async <A>(method: string, path: string, body?: unknown): Promise<A> => {
    const response = await send(method, path, body, "application/json")
    const text = await response.text()
    if (!response.ok) throw new Unexpected(`${method} ${path} answered ${response.status}: ${text}`)
    return JSON.parse(text) as A
  }
  return {
    get: (path) => call("GET", path),
    post: (path, body = {}) => call("POST", path, body),
    put: (path, body) => call("PUT", path, body),
    delete: (path) => call("DELETE", path),
    refused: async (path, body = {}) => {
      const response = await send("POST", path, body, "application/json")
      if (response.ok) throw new Unexpected(`POST ${path} should have been refused, but answered ${response.status}`)
      return { status: response.status, problem: (await response.json()) as Problem }
    },
    text: async (path) => {
      const response = await send("GET", path, undefined, "text/plain")
      if (!response.ok) throw new Unexpected(`GET ${path} answered ${response.status}`)
      return response.text()
    },
    page
  }
}
