/** The Model Context Protocol before a Node server. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { ReadableStream } from "node:stream/web"
import * as McpAnswer from "../../mcp/McpAnswer.ts"
import { readOn } from "../listen/ReadOn.ts"

const pathOf = (url = ""): string => url.split("?", 1)[0] ?? ""

/** Whether a URL of a request is the protocol's, or asks who gives tokens for it. */
export const isMcp = (url: string | undefined): boolean => McpAnswer.isMcp(pathOf(url))

const requestOf = (req: IncomingMessage, origin: string, signal: AbortSignal): Request => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(req.headers)) if (value !== undefined) headers.set(name, String(value))
  const isEmpty = req.method === "GET" || req.method === "HEAD"
  return new Request(`${origin}${req.url ?? "/"}`, {
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

const headOf = (req: IncomingMessage): McpAnswer.McpHead => ({
  method: req.method ?? "GET",
  pathname: pathOf(req.url),
  header: (name) => req.headers[name]?.toString() ?? null
})

/** Answers each request that is handed to it. */
export const make = (options: McpAnswer.McpAnswerOptions): RequestListener => {
  const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    // The body is left alone until somebody is let in: what is left of it is read on, and dropped.
    const head = headOf(req)
    const caller = await McpAnswer.mcpCaller(head, options)
    if (caller instanceof Response) return answer(res, caller)
    const gone = new AbortController()
    res.once("close", () => gone.abort())
    await answer(res, await McpAnswer.mcpAnswer(requestOf(req, options.origin, gone.signal), caller, options))
  }
  return (req, res) => {
    serve(req, res)
      .catch(async () => {
        // The caller is gone, or the body broke off.
        if (res.headersSent) return void res.destroy()
        await answer(res, await McpAnswer.brokenOff(headOf(req)))
      })
      .catch(() => res.destroy())
  }
}
