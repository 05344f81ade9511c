/** One listener for everything: by `Host`, a request goes to the API, to the router, or nowhere. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { placeOf } from "@pawl/router/Front"
import { KnownHosts } from "@pawl/router/KnownHosts"
import { serverOptions, type NodeFront } from "@pawl/router/node/NodeFront"
import { targetOf } from "@pawl/router/node/NodeRequest"
import { attachRefusals, comesTooLate, refuseWithProblem } from "@pawl/router/node/ConnectionRefusals"
import { Effect, Schema } from "effect"
import { plainProblem, problemType } from "../../http/answer/PlainProblem.ts"
import { ServerLimits } from "../../ServerLimits.ts"
import type { Options } from "../Options.ts"
import { version } from "../Version.ts"
import type { Addresses } from "./Addresses.ts"

/** The address cannot be listened on: taken, or not of this machine. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  address: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Cannot listen on ${this.address}: ${this.reason}`
  }
}

/** A listener whose port is taken, before there is anything behind it. */
export interface Listener {
  readonly port: number
  /** From here on each answer ends its connection: who has more to ask connects anew, where others may take it. */
  readonly leave: Effect.Effect<void>
  /** Takes no connections any more, and waits for the requests that are under way. Repeating it does nothing. */
  readonly drain: Effect.Effect<void>
  /** Until this is called every request but `GET /health` is answered 503. */
  readonly attach: (parts: {
    readonly api: RequestListener
    readonly apps: NodeFront | null
    readonly appsDomain: string | null
    readonly addresses: Addresses
  }) => void
}

/** Ends an answer with a problem (RFC 9457) that needs no handler. */
export const problem = (
  res: ServerResponse,
  status: number,
  code: string,
  detail: string,
  headers: Readonly<Record<string, string>> = {}
) => {
  res.writeHead(status, { "content-type": problemType, ...headers })
  res.end(plainProblem(status, code, detail))
}

/** A process that brings its database to shape is alive: who restarted it would have it begin again, for ever. */
const starting =
  ({ environment }: Pick<Options, "environment">): RequestListener =>
  (req, res) => {
    if (/^\/health(\?|$)/.test(req.url ?? "")) {
      res.writeHead(200, { "content-type": "application/json" })
      res.end(JSON.stringify({ status: "ok", version, environment }))
      return
    }
    if (/^\/health\/ready(\?|$)/.test(req.url ?? "")) {
      res.writeHead(503, { "content-type": "application/json", "retry-after": "1" })
      res.end(JSON.stringify({ status: "starting", missing: ["starting"] }))
      return
    }
    problem(res, 503, "starting", "The server is starting. Try again in a second.", { "retry-after": "1" })
  }

/** 503 `not_served_here`, for what another process of this installation does. */
export const notHere = (res: ServerResponse, what: string, role: string): void =>
  problem(res, 503, "not_served_here", `This process does not serve ${what}. One with the role ${role} does.`)

const dispatch = (parts: Parameters<Listener["attach"]>[0], expecting: boolean): RequestListener => {
  const elsewhere = parts.appsDomain === null ? null : new KnownHosts(parts.appsDomain)
  const hosts = { apps: parts.apps === null ? elsewhere : parts.apps.hosts, isApi: parts.addresses.isApi }
  // Most requests come for the host of the one before.
  let [lastHost, lastPlace] = ["", placeOf(hosts, "")]
  return (req: IncomingMessage, res: ServerResponse) => {
    const host = req.headers.host ?? ""
    const place = host === lastHost ? lastPlace : placeOf(hosts, host)
    ;[lastHost, lastPlace] = [host, place]
    if (place === "app") {
      if (parts.apps === null) return notHere(res, "apps", "router")
      return expecting ? parts.apps.handleExpecting(req, res) : parts.apps.handle(req, res)
    }
    if (comesTooLate(req)) return
    const target = targetOf(req)
    if (typeof target !== "string") return refuseWithProblem(res, target)
    if (place === "nowhere")
      return problem(
        res,
        421,
        "unknown_host",
        `This server does not answer for ${JSON.stringify(host)}. Set PAWL_BASE_URL to the address people use.`
      )
    req.url = target
    if (expecting) res.writeContinue()
    parts.api(req, res)
  }
}

const listen = (server: Server, host: string, port: number) =>
  Effect.callback<number, CannotListen>((resume) => {
    const failed = (error: NodeJS.ErrnoException) => {
      const reason = error.code === "EADDRINUSE" ? "the port is taken; choose another with --port" : error.message
      resume(new CannotListen({ address: `${host}:${port}`, reason }))
    }
    server.once("error", failed)
    server.listen(port, host, () => {
      server.off("error", failed)
      resume(Effect.succeed((server.address() as AddressInfo).port))
    })
  })

/** Stops taking connections, lets requests end for `drainMs`, then cuts what is left. */
const close = (server: Server, drainMs: number): Effect.Effect<void> =>
  // A plain wait: a stop interrupts the fiber that runs this, and whatever could be interrupted would end at once.
  Effect.callback<void>((resume) => {
    // A connection that has had its answer would be kept for the next request.
    const idle = setInterval(() => server.closeIdleConnections(), ServerLimits.drainLookMs)
    const timer = setTimeout(() => server.closeAllConnections(), drainMs)
    server.close(() => {
      clearInterval(idle)
      clearTimeout(timer)
      resume(Effect.void)
    })
    server.closeIdleConnections()
  })

/** Listens until the scope ends. Fails with `CannotListen`; port 0 takes a free one. */
export const make = Effect.fnUntraced(function* (options: {
  readonly host: string
  readonly port: number
  readonly drainMs: number
  readonly environment: Options["environment"]
}) {
  const server = createServer(serverOptions)
  let onRequest: RequestListener = starting(options)
  let onExpecting: RequestListener = onRequest
  server.maxHeadersCount = 0
  attachRefusals(server)
  let isLeaving = false
  const takes = (listener: () => RequestListener) => (req: IncomingMessage, res: ServerResponse) => {
    if (isLeaving) res.shouldKeepAlive = false
    listener()(req, res)
  }
  server.on(
    "request",
    takes(() => onRequest)
  )
  server.on(
    "checkContinue",
    takes(() => onExpecting)
  )
  const drain = close(server, options.drainMs)
  const port = yield* Effect.acquireRelease(listen(server, options.host, options.port), () => drain)
  return {
    port,
    leave: Effect.sync(() => void (isLeaving = true)),
    drain,
    attach: (parts) => {
      onRequest = dispatch(parts, false)
      onExpecting = dispatch(parts, true)
    }
  } satisfies Listener
})
