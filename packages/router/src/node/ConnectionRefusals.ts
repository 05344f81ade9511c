/** What a server answers before anybody is asked: bytes that are no request, or one that is not served. */
import { RouterLimits } from "../RouterLimits.ts"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

/** An answer to what is not served, and why. */
export interface Refusal {
  readonly status: number
  /** One lower-case word or more, joined by underscores. */
  readonly code: string
  /** For whoever sent it: what is wrong and what to do. */
  readonly reason: string
}

/** Nothing is gained from a longer one, and its place in logs and caches costs. */
export const uriTooLong: Refusal = {
  status: 414,
  code: "uri_too_long",
  reason: `The path and query may have at most ${RouterLimits.requestTargetBytes} bytes. Send what is long in the body.`
}

/** To a request for another protocol. */
export const upgradeRefused: Refusal = {
  status: 501,
  code: "upgrade_not_served",
  reason:
    "WebSockets and other upgrades are not served: an app answers one request at a time, each with a bounded CPU time, and an open socket has no end. Ask again and again with plain requests."
}

const methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

/** To methods that are known and never served. */
export const methodRefused: Refusal = {
  status: 405,
  code: "method_not_allowed",
  reason: `TRACE and CONNECT are not served. Use one of ${methods}.`
}

/** To methods that no standard names, or none that is known here. */
export const methodUnknown: Refusal = {
  status: 501,
  code: "unknown_method",
  reason: `This method is not known here. Use one of ${methods}.`
}

const expectationRefused: Refusal = {
  status: 417,
  code: "expectation_failed",
  reason: "The only expectation that can be met is 100-continue."
}

const headersTooLarge: Refusal = {
  status: 431,
  code: "headers_too_large",
  reason: `The request line and all headers may have at most ${RouterLimits.requestHeaderBytes} bytes together. Send fewer or shorter headers and cookies.`
}

const bodyOf = ({ code, reason, status }: Refusal): string =>
  JSON.stringify({
    type: `urn:pawl:problem:${code}`,
    title: code.replaceAll("_", " "),
    status,
    code,
    detail: reason
  })

/** The headers of a refusal. The connection is closed after it. */
export const headersOf = (refusal: Refusal): Record<string, string> => ({
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  ...(refusal.status === 405 ? { allow: methods } : {}),
  // A neighbour's page may have filled a browser with cookies: this browser asks again without them.
  ...(refusal.status === 431 ? { "clear-site-data": '"cookies"' } : {}),
  connection: "close"
})

const condemned = new WeakSet<Duplex>()

/**
 * Whether an answer ended the connection of this request before the request was read. It must not be acted on: the parser
 * hands out what stands behind a refused request in the same packet, and nobody knows who sent it.
 */
export const comesTooLate = (req: IncomingMessage): boolean => condemned.has(req.socket)

/** From now on nothing that this connection brings is acted on. */
export const condemn = (res: ServerResponse): void => void condemned.add(res.req.socket)

/** Answers with a problem (RFC 9457) and closes: what follows on the connection cannot be trusted. */
export const refuseWithProblem = (res: ServerResponse, refusal: Refusal): void => {
  condemn(res)
  if (res.headersSent) return void res.destroy()
  const body = bodyOf(refusal)
  res.writeHead(refusal.status, {
    "content-type": "application/problem+json",
    "content-length": String(Buffer.byteLength(body)),
    ...headersOf(refusal)
  })
  res.end(body)
}

const reasons: Readonly<Record<number, string>> = {
  400: "Bad Request",
  405: "Method Not Allowed",
  408: "Request Timeout",
  413: "Content Too Large",
  414: "URI Too Long",
  431: "Request Header Fields Too Large"
}

/** The same where there is no response object. */
const write = (socket: Duplex, refusal: Refusal): void => {
  const body = bodyOf(refusal)
  const headers = {
    "content-type": "application/problem+json",
    "content-length": String(Buffer.byteLength(body)),
    ...headersOf(refusal)
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 ${refusal.status} ${reasons[refusal.status] ?? ""}\r\n${lines.join("\r\n")}\r\n\r\n${body}`)
}

interface ParserError extends Error {
  readonly code?: string
  /** The parser's own words. */
  readonly reason?: string
  readonly rawPacket?: Buffer
}

/** The request line alone fills what came: no line ended within the bound. */
const lineIsTooLong = (packet: Buffer | undefined): boolean =>
  packet !== undefined && /^[A-Z-]+ \S*$/.test(packet.toString("latin1", 0, RouterLimits.requestHeaderBytes))

const refusalOf = (error: ParserError): Refusal => {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return lineIsTooLong(error.rawPacket) ? uriTooLong : headersTooLarge
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return {
        status: 413,
        code: "chunk_extensions_too_large",
        reason: "The extensions of a chunk are too long. Send none."
      }
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { status: 408, code: "request_timeout", reason: "The request did not arrive in time." }
    default:
      return {
        status: 400,
        code: "malformed_request",
        reason: `This is no request that can be read in one way only: ${error.reason ?? "it breaks off"}.`
      }
  }
}

/** The newest exchange of a connection: answers come in the order of requests. */
type Newest = WeakMap<Duplex, { readonly req: IncomingMessage; readonly res: ServerResponse }>

const malformed = (newest: Newest, error: ParserError, socket: Duplex): void => {
  const { code } = error
  // Garbage can come with every packet until the connection is gone; one answer is enough.
  socket.removeAllListeners("data")
  if (!socket.writable || code === "ECONNRESET") return void socket.destroy()
  const last = newest.get(socket)
  if (last === undefined || last.res.writableFinished) return write(socket, refusalOf(error))
  // The requests before it were whole: each gets its own answer first.
  if (last.req.complete) return void last.res.once("finish", () => write(socket, refusalOf(error)))
  // It is the body of this very request that is malformed.
  if (last.res.headersSent) socket.destroy()
  else write(socket, refusalOf(error))
}

/** Gives each way in which a connection can go wrong an answer that says what is wrong. */
export const attachRefusals = (server: Server): void => {
  const newest: Newest = new WeakMap()
  const note = (req: IncomingMessage, res: ServerResponse) => void newest.set(req.socket, { req, res })
  server.on("request", note)
  server.on("checkContinue", note)
  server.on("checkExpectation", (_req: IncomingMessage, res: ServerResponse) =>
    refuseWithProblem(res, expectationRefused)
  )
  server.on("clientError", (error: ParserError, socket: Duplex) => malformed(newest, error, socket))
  server.on("connect", (_req: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => undefined)
    write(socket, methodRefused)
  })
}
