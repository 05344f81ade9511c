/** `POST /mcp`: the Model Context Protocol over HTTP. Each request stands for itself, with a token as the API takes it. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { ReadableStream } from "node:stream/web"
import { Limits } from "@pawl/core/primitives/Limits"
import { Effect, Result } from "effect"
import type { ToolChoice } from "../../mcp/McpServer.ts"
import { makeToolApi, type ToolRefused } from "../../mcp/ToolApi.ts"
import { type TaskCaller, taskCallerOf } from "../../mcp/TaskCaller.ts"
import { problem } from "../listen/Listener.ts"
import { readOn } from "../listen/ReadOn.ts"

const path = "/mcp"

/** Where clients read who gives them a token (RFC 9728, section 3.1): the path of the resource comes last. */
const metadataPath = `/.well-known/oauth-protected-resource${path}`
const metadataAddress = (origin: string): string => `${origin}${metadataPath}`

/** What the listener is made from. */
export interface McpListenerOptions {
  /** Where the API of this process is reached from here. */
  readonly ownAddress: string
  /** Where people reach it. */
  readonly origin: string
  readonly version: string
  readonly choice: ToolChoice
  /** The provider of identities whose tokens count, as those name it; null for none. */
  readonly issuer: string | null
}

/** Whether a URL of a request is the protocol's, or asks who gives tokens for it. */
export const isMcp = (url: string | undefined): boolean => [path, metadataPath].includes(pathOf(url))

const pathOf = (url = ""): string => url.split("?", 1)[0] ?? ""

/** Answers who gives tokens for it: what RFC 9728 asks for, to anybody, pages of other origins too. 404 without a provider of identities. */
const metadata =
  ({ issuer, origin }: Pick<McpListenerOptions, "issuer" | "origin">): RequestListener =>
  (req, res) => {
    readOn(req, res)
    if (issuer === null)
      return problem(res, 404, "unknown_path", "Tokens are made here, and by no provider of identities: pawl login.")
    if (req.method !== "GET" && req.method !== "HEAD")
      return problem(res, 405, "unknown_method", "It is only read.", { allow: "GET, HEAD" })
    const body = JSON.stringify({
      resource: `${origin}${path}`,
      resource_name: "Pawl",
      authorization_servers: [issuer],
      bearer_methods_supported: ["header"]
    })
    res.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "cache-control": "public, max-age=300",
      "access-control-allow-origin": "*",
      "x-content-type-options": "nosniff"
    })
    res.end(req.method === "HEAD" ? undefined : body)
  }

/** A page whose own name leads here would be asking as itself: only pages of the host that is asked may. */
const isOfStrangers = ({ headers: { host, origin } }: IncomingMessage): boolean =>
  origin !== undefined && !(URL.canParse(origin) && new URL(origin).host === host)

const requestOf = (req: IncomingMessage, origin: string, signal: AbortSignal): Request => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(req.headers)) if (value !== undefined) headers.set(name, String(value))
  const isEmpty = req.method === "GET" || req.method === "HEAD"
  return new Request(`${origin}${req.url ?? path}`, {
    method: req.method ?? "GET",
    headers,
    signal,
    ...(isEmpty ? {} : { body: Readable.toWeb(req) as ReadableStream<Uint8Array>, duplex: "half" as const })
  })
}

const answer = async (res: ServerResponse, response: Response): Promise<void> => {
  readOn(res.req, res)
  res.writeHead(response.status, Object.fromEntries(response.headers))
  if (response.body === null) return void res.end()
  await pipeline(Readable.fromWeb(response.body as ReadableStream<Uint8Array>), res)
}

/**
 * Whose token it is, is asked first: clients want a 401 of their own to know that they need one. Answers the Task of a
 * token that is for one; `undefined` when the request was refused.
 */
const callerOf = async (
  res: ServerResponse,
  { issuer, origin, ownAddress }: McpListenerOptions
): Promise<TaskCaller | null | undefined> => {
  const { authorization } = res.req.headers
  const unauthenticated = (detail: string) => {
    readOn(res.req, res)
    const where = issuer === null ? "" : `, resource_metadata="${metadataAddress(origin)}"`
    problem(res, 401, "unauthenticated", detail, { "www-authenticate": `Bearer realm="pawl"${where}` })
  }
  if (authorization === undefined || !/^bearer /i.test(authorization)) {
    unauthenticated("Send an API token: Authorization: Bearer <token>.")
    return undefined
  }
  const api = makeToolApi({ baseUrl: ownAddress, authorization })
  const asked = await Effect.runPromise(Effect.result(taskCallerOf(api)))
  if (Result.isSuccess(asked)) return asked.success
  refuse(res, asked.failure, unauthenticated)
  return undefined
}

const refuse = (
  res: ServerResponse,
  { code, detail, facts }: ToolRefused,
  unauthenticated: (detail: string) => void
) => {
  if (code === "unauthenticated") return unauthenticated(detail)
  readOn(res.req, res)
  const { retryAfterSeconds } = facts
  const isRate = typeof retryAfterSeconds === "number"
  problem(res, isRate ? 429 : 503, code, detail, isRate ? { "retry-after": String(retryAfterSeconds) } : {})
}

/** Answers each request that is handed to it. The protocol is read when somebody first asks for it. */
export const make = (options: McpListenerOptions): RequestListener => {
  const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (isOfStrangers(req)) {
      readOn(req, res)
      return problem(res, 403, "cross_origin", "Pages of other origins may not ask here.")
    }
    const task = await callerOf(res, options)
    if (task === undefined) return
    const { createMcpHandler } = await import("@modelcontextprotocol/server")
    const { makeMcpServer } = await import("../../mcp/McpServer.ts")
    const { choice, origin, ownAddress: baseUrl, version } = options
    const authorization = String(req.headers.authorization)
    const handler = createMcpHandler(() => makeMcpServer({ baseUrl, authorization, origin, version, choice, task }), {
      maxRequestBodySize: Limits.sourceBodyBytes
    })
    const gone = new AbortController()
    res.once("close", () => gone.abort())
    await answer(res, await handler.fetch(requestOf(req, origin, gone.signal)))
  }
  const told = metadata(options)
  return (req, res) => {
    if (pathOf(req.url) === metadataPath) return told(req, res)
    serve(req, res).catch(() => {
      // The caller is gone, or the body broke off.
      if (res.headersSent) return void res.destroy()
      problem(res, 500, "internal", "The request could not be answered.")
    })
  }
}
