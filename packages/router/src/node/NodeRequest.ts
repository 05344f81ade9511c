/** What node:http received, as the router takes it, or the status that refuses it before any app is asked. */
import { RouterLimits } from "../RouterLimits.ts"
import type { Headers } from "@pawl/core/app/AppRuntime"
import type { IncomingMessage, ServerResponse } from "node:http"
import { TLSSocket } from "node:tls"
import type { Body } from "../Body.ts"
import { headerName } from "../HeaderNames.ts"
import { anyOrigin, type FrontRequest } from "../Router.ts"
import { methodRefused, methodUnknown, type Refusal, upgradeRefused, uriTooLong } from "./ConnectionRefusals.ts"

/** Names in lower case, every value kept apart, in the order they came. */
const pairs = (raw: ReadonlyArray<string>): Headers => {
  const headers: Array<readonly [string, string]> = []
  for (let i = 0; i < raw.length; i += 2) headers.push([headerName(raw[i]!).name, raw[i + 1]!])
  return headers
}

/** Upgrades to HTTP/2 may be ignored (RFC 9110, 7.8), and some clients offer one with every first request. */
const wantsOtherProtocol = (upgrade: string | undefined): boolean =>
  upgrade !== undefined && upgrade.split(",").some((protocol) => protocol.trim().toLowerCase() !== "h2c")

/** Methods that Node's parser reads and workerd's does not: no app could be asked with them. */
const unknownMethods = new Set(["BIND", "LINK", "M-SEARCH", "MKCALENDAR", "REBIND", "SOURCE", "UNBIND", "UNLINK"])

/** The headers that say where a request ends and for whom it is: the last of each, and how many there are. */
interface Framing {
  readonly host: string
  readonly hosts: number
  readonly coding: string
  readonly codings: number
  readonly lengths: number
}

const framingOf = (headers: Headers): Framing => {
  let host = ""
  let hosts = 0
  let coding = ""
  let codings = 0
  let lengths = 0
  for (const [name, value] of headers) {
    if (name === "host") {
      host = value
      hosts++
    } else if (name === "transfer-encoding") {
      coding = value
      codings++
    } else if (name === "content-length") lengths++
  }
  return { host, hosts, coding, codings, lengths }
}

const ambiguous = (reason: string): Refusal => ({ status: 400, code: "ambiguous_request", reason })

/** A second opinion on top of the strict parser: no request may be read in two ways. */
const refusalOf = (req: IncomingMessage, framing: Framing): Refusal | null => {
  const { coding, codings, host, hosts, lengths } = framing
  if (hosts !== 1 || host === "") return ambiguous("A request needs exactly one Host header.")
  if (codings > 0 && lengths > 0)
    return ambiguous("Content-Length and Transfer-Encoding stand together. Send one of them.")
  if (lengths > 1) return ambiguous("There is more than one Content-Length.")
  if (codings > 1 || (codings === 1 && coding.trim().toLowerCase() !== "chunked"))
    return { status: 501, code: "unknown_coding", reason: "The only Transfer-Encoding that is served is chunked." }
  if (codings > 0 && req.httpVersion !== "1.1") return ambiguous("Transfer-Encoding needs HTTP/1.1.")
  if (req.method === "TRACE" || req.method === "CONNECT") return methodRefused
  if (unknownMethods.has(req.method ?? "")) return methodUnknown
  if ((req.url ?? "").length > RouterLimits.requestTargetBytes) return uriTooLong
  if (wantsOtherProtocol(req.headers.upgrade)) return upgradeRefused
  return null
}

/** The path and query of a request target. An absolute one must name the very host of the Host header. */
const pathOf = (target: string, host: string): string | null => {
  if (target.startsWith("/")) return target
  const absolute = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target)
  if (absolute === null || absolute[1]!.toLowerCase() !== host.toLowerCase()) return null
  return absolute[2]!.startsWith("/") ? absolute[2]! : `/${absolute[2]!}`
}

/** The request's body. Leaving it early does not cut the connection, so that the answer still gets through. */
class RequestBody implements Body {
  readonly #req: IncomingMessage
  readonly #onStart: () => void
  constructor(req: IncomingMessage, onStart: () => void) {
    this.#req = req
    this.#onStart = onStart
  }
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    this.#onStart()
    return this.#req.iterator({ destroyOnReturn: false })
  }
}

/**
 * Reads on behind an answer that came before the end of the body, or the next request of the connection would never be
 * seen. Node does it only for a body of which nothing was read.
 */
const readOn = (req: IncomingMessage): void => {
  if (req.readableEnded || req.destroyed) return
  const drop = () => {
    while (req.read() !== null);
  }
  // Not `resume`, which does nothing as long as an iterator stands open.
  req.on("readable", drop)
  drop()
}

interface Settled {
  readonly headers: Headers
  readonly framing: Framing
  readonly host: string
  /** Path and query. */
  readonly path: string
}

const settledOf = (req: IncomingMessage): Settled | Refusal => {
  const headers = pairs(req.rawHeaders)
  const framing = framingOf(headers)
  const refusal = refusalOf(req, framing)
  if (refusal !== null) return refusal
  const { host } = framing
  const path = pathOf(req.url ?? "", host)
  return path === null ? ambiguous("The request target and the Host header differ.") : { headers, framing, host, path }
}

/** For a server that does not hand on to the router: path and query, or why the request cannot be taken. */
export const targetOf = (req: IncomingMessage): string | Refusal => {
  const settled = settledOf(req)
  return "reason" in settled ? settled : settled.path
}

/** Reads a request. `awaitsContinue`: the client holds its body back until it is told to go on. */
export const read = (req: IncomingMessage, res: ServerResponse, awaitsContinue: boolean): FrontRequest | Refusal => {
  const settled = settledOf(req)
  if ("reason" in settled) return settled
  const { framing, headers, host, path } = settled
  const hasBody = framing.codings > 0 || (framing.lengths > 0 && Number(req.headers["content-length"]) > 0)
  if (hasBody) res.once("finish", () => readOn(req))
  let held = awaitsContinue
  // The connection cannot go on after an answer that came before the body was asked for.
  const goesOn = res.shouldKeepAlive
  if (held) res.shouldKeepAlive = false
  const start = () => {
    if (!held || res.headersSent) return
    held = false
    res.shouldKeepAlive = goesOn
    res.writeContinue()
  }
  return {
    method: req.method ?? "GET",
    // The router puts the real origin in its place.
    url: `${anyOrigin}${path}`,
    headers,
    body: hasBody ? new RequestBody(req, start) : null,
    host,
    remoteAddress: req.socket.remoteAddress ?? "",
    secure: req.socket instanceof TLSSocket
  }
}
